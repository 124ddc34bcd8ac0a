import { estimateUsage } from '@lamb/engine';
import { putOrganizationConfig, readCounter, findBudgetMonth, withTenant } from '@lamb/store';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createAssistant } from '../completions/__fixtures__/create-assistant.ts';
import {
  startTestServer,
  testOrganizationConfig,
  type Person,
  type TestOrganization,
  type TestServer,
} from '../test-server/start-test-server.ts';
import { addOrganization } from './__fixtures__/add-organization.ts';
import { createBudgets } from './create-budgets.ts';
import { createRunBudget } from './create-run-budget.ts';

const path = '/lamb/v1/organizations/current';
const PROMPT = 'What is a force?';
const MAX_TOKENS = 46;
/** What a call reserves, and in the script uses too. */
const CALL = estimateUsage(PROMPT.length, 0).prompt_tokens + MAX_TOKENS;

let lamb: TestServer;
/** The organisation of this test. */
let here: TestOrganization;
let tutor: { id: number; model: string };

beforeAll(async () => {
  lamb = await startTestServer();
});
afterAll(async () => {
  await lamb.stop();
});
beforeEach(async () => {
  lamb.llm.reset();
  here = await addOrganization(lamb);
  tutor = await createAssistant(lamb, here.teacher, { name: 'Tutor', published: true });
});

async function put(what: 'budgets' | 'prices', body: unknown) {
  const reply = await lamb.call(here.admin, 'PUT', `${path}/${what}`, body);
  expect(reply.status, reply.text).toBe(200);
  return reply.body as Record<string, unknown>;
}

const setCaps = (body: unknown) => put('budgets', body);

async function configure(more: Record<string, unknown>): Promise<void> {
  const { db, secretBox, budgets } = lamb.services;
  const config = { ...testOrganizationConfig(lamb.llm, lamb.kb), ...more };
  await withTenant(db, here.id, (tx) => putOrganizationConfig(tx, secretBox, config));
  budgets.forget(here.id);
}

const ask = (person: Person = here.student) =>
  lamb.call(person, 'POST', '/v1/chat/completions', {
    model: tutor.model,
    messages: [{ role: 'user', content: PROMPT }],
    max_tokens: MAX_TOKENS,
  });

const usesAll = { text: 'A push.', usage: { promptTokens: CALL - MAX_TOKENS, completionTokens: MAX_TOKENS } };

const count = (subjectId = here.id) =>
  withTenant(lamb.services.db, here.id, (tx) => readCounter(tx, subjectId, findBudgetMonth(new Date())));

const usage = async (query = '') =>
  (await lamb.call(here.admin, 'GET', `${path}/usage?${query}`)).body as Record<string, unknown>;

test('50 at once against a cap for 20: 20 are answered, the others are told which cap and until when', async () => {
  await setCaps({ organization: { tokens: 20 * CALL, cost_micros: null } });
  lamb.llm.script({ ...usesAll, firstDelayMs: 20, times: 'always' });
  const people = [here.student, here.teacher, here.colleague, here.admin];
  const replies = await Promise.all(Array.from({ length: 50 }, (_, at) => ask(people[at % 4])));
  expect(Map.groupBy(replies, ({ status }) => status).get(200)).toHaveLength(20);
  expect(lamb.llm.requests).toHaveLength(20);
  const refused = replies.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(30);
  const until = findBudgetMonth(new Date()).until.getTime() / 1000;
  for (const { body, headers } of refused) {
    expect(body).toMatchObject({
      error: {
        code: 'budget_exceeded',
        type: 'rate_limit_error',
        message: expect.stringMatching(
          /^The organisation’s tokens for this month .* the next month begins on \d{4}-\d\d-01/,
        ),
        details: { cap: 'organization_tokens', limit: 20 * CALL, until },
      },
    });
    expect(headers.get('x-should-retry')).toBe('false');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(until - Date.now() / 1000 - 60);
  }
  expect(await count()).toMatchObject({ reserved: { tokens: 0 }, settled: { tokens: 20 * CALL } });
  expect(await usage()).toMatchObject({ runs: 20, total_tokens: 20 * CALL });
});

test('who set no limit gets the rest as one, however little it is, and less than an answer is refused', async () => {
  const askAtLength = () =>
    lamb.call(here.student, 'POST', '/v1/chat/completions', {
      model: tutor.model,
      messages: [{ role: 'user', content: PROMPT }],
    });
  const told = () => (lamb.llm.requests.at(-1)?.body as { max_tokens?: number }).max_tokens;
  lamb.llm.script({ tokens: 20_000, times: 'always' });
  await setCaps({ organization: { tokens: 10_000 } });
  expect((await askAtLength()).status).toBe(200);
  expect(told()).toBe(4096);
  await setCaps({ organization: { tokens: 10_000 }, user_default: { tokens: 4096 + 1000 } });
  expect((await askAtLength()).status).toBe(200);
  expect(told()).toBeLessThanOrEqual(1000);
  expect(told()).toBeGreaterThan(900);
  const refused = await askAtLength();
  expect(refused.status).toBe(429);
  expect(refused.body).toMatchObject({ error: { code: 'budget_exceeded' } });
});

test('money that is left is turned into tokens of an answer', async () => {
  await put('prices', {
    prices: [{ connector: 'openai', model: 'gpt-4o-mini', prompt_micros: 0, completion_micros: 3_000_000 }],
  });
  lamb.llm.script({ tokens: 20_000, times: 'always' });
  await setCaps({ organization: { cost_micros: 3000 } });
  const reply = await lamb.call(here.student, 'POST', '/v1/chat/completions', {
    model: tutor.model,
    messages: [{ role: 'user', content: PROMPT }],
  });
  expect(reply.status, reply.text).toBe(200);
  expect(lamb.llm.requests[0]?.body).toMatchObject({ max_tokens: 1000 });
});

test('who asks for a stream gets the same error, before anything is streamed', async () => {
  await setCaps({ organization: { tokens: 1, cost_micros: null } });
  const { status, body } = await lamb.call(here.student, 'POST', '/v1/chat/completions', {
    model: tutor.model,
    stream: true,
    messages: [{ role: 'user', content: PROMPT }],
  });
  expect(status).toBe(429);
  expect(body).toMatchObject({ error: { code: 'budget_exceeded', details: { cap: 'organization_tokens' } } });
  expect(lamb.llm.requests).toEqual([]);
});

test('each user has a cap, some one of their own; everybody sees what is left for them', async () => {
  await setCaps({
    user_default: { tokens: CALL },
    users: [{ user_id: here.colleague.id, tokens: 2 * CALL }],
  });
  lamb.llm.script({ ...usesAll, times: 'always' });
  const { student, colleague } = here;
  const statuses = async (person: Person) => [
    (await ask(person)).status,
    (await ask(person)).status,
    (await ask(person)).status,
  ];
  expect(await statuses(student)).toEqual([200, 429, 429]);
  expect(await statuses(colleague)).toEqual([200, 200, 429]);
  expect((await ask(student)).body).toMatchObject({ error: { details: { cap: 'user_tokens', limit: CALL } } });
  const budget = async (person: Person) => (await lamb.call(person, 'GET', '/lamb/v1/me/budget')).body as unknown;
  expect(await budget(student)).toMatchObject({
    caps: { tokens: CALL, cost_micros: null },
    used: { tokens: CALL },
    left: { tokens: 0, cost_micros: null },
  });
  expect(await budget(here.teacher)).toMatchObject({ used: { tokens: 0 }, left: { tokens: CALL } });
  // What the organisation has left can be less.
  await setCaps({ organization: { tokens: 3 * CALL + 7 }, user_default: { tokens: 2 * CALL } });
  expect(await budget(here.teacher)).toMatchObject({ left: { tokens: 7 } });
});

test('money is counted by the price table, and has its own cap', async () => {
  await put('prices', {
    prices: [{ connector: 'openai', model: 'gpt-4o-mini', prompt_micros: 1_000_000, completion_micros: 2_000_000 }],
  });
  const cost = CALL - MAX_TOKENS + 2 * MAX_TOKENS;
  await setCaps({ organization: { cost_micros: 2 * cost } });
  lamb.llm.script({ ...usesAll, times: 'always' });
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
  expect((await ask()).body).toMatchObject({ error: { details: { cap: 'organization_cost', limit: 2 * cost } } });
  expect(await usage('group_by=model')).toMatchObject({
    cost_micros: 2 * cost,
    groups: [{ key: 'openai/gpt-4o-mini', runs: 2, cost_micros: 2 * cost }],
  });
  expect(await usage('group_by=user')).toMatchObject({ groups: [{ key: here.student.id }] });
  expect(await usage('group_by=assistant')).toMatchObject({ groups: [{ key: String(tutor.id) }] });
  expect(await usage('group_by=day')).toMatchObject({ groups: [{ key: new Date().toISOString().slice(0, 10) }] });
  expect((await lamb.call(here.admin, 'GET', `${path}/usage?group_by=x`)).status).toBe(400);
});

test('a model without a price counts as free, and is reported', async () => {
  await setCaps({ organization: { cost_micros: 0 } });
  expect((await ask()).status).toBe(200);
  const { body } = await lamb.call(here.admin, 'GET', `${path}/prices`);
  expect(body).toEqual({ currency: 'EUR', prices: [], unpriced: [{ connector: 'openai', model: 'gpt-4o-mini' }] });
});

test('what a call used replaces what was set aside, be it more, less or not known', async () => {
  await setCaps({ organization: { tokens: 100_000 } });
  const settled = async () => {
    const { reserved, settled: sum } = await count();
    expect(reserved.tokens).toBe(0);
    return sum.tokens;
  };
  lamb.llm.script({ text: 'Less.', usage: { promptTokens: 2, completionTokens: 1 } });
  await ask();
  expect(await settled()).toBe(3);
  lamb.llm.script({ text: 'More.', usage: { promptTokens: 2, completionTokens: 5000 } });
  await ask();
  expect(await settled()).toBe(5005);
  lamb.llm.script({ text: '12345678', usage: null });
  await ask();
  expect(await settled()).toBe(5005 + estimateUsage(PROMPT.length, 8).total_tokens);
  // Refused at once: nothing was used.
  const before = await settled();
  lamb.llm.script({ faults: { status: 401 } });
  expect((await ask()).status).toBe(502);
  expect(await settled()).toBe(before);
  // Broken off in the middle: what was said counts.
  lamb.llm.script({ chunks: ['1234', '5678', '9'], faults: { cutAfterChunks: 2 } });
  expect((await ask()).status).toBe(502);
  expect(await settled()).toBe(before + estimateUsage(PROMPT.length, 8).total_tokens);
});

test('a client that leaves pays for the prompt and for what it was told', async () => {
  await setCaps({ organization: { tokens: 100_000 } });
  lamb.llm.script({ tokens: 100_000, intervalMs: 5 });
  const leaving = new AbortController();
  const response = await fetch(`${lamb.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${here.student.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: tutor.model, stream: true, messages: [{ role: 'user', content: PROMPT }] }),
    signal: leaving.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = '';
  while (!seen.includes('t20')) seen += (await reader?.read())?.value ?? '';
  leaving.abort();
  await vi.waitFor(async () => {
    const { reserved, settled } = await count();
    expect(reserved.tokens).toBe(0);
    expect(settled.tokens).toBeGreaterThan(estimateUsage(PROMPT.length, 40).total_tokens);
  });
});

test('the small model that rewrites a question is paid from the same budget', async () => {
  const collections = [String(lamb.kb.addCollection('notes', [{ text: 'A force changes motion.' }]))];
  const { model } = await createAssistant(lamb, here.teacher, {
    name: 'Rewriting',
    prompt_template: '{context}{user_input}',
    tools: [{ type: 'simple_rag', config: { collections } }],
    metadata: { prompt_processor: 'context_aware_augment' },
  });
  await setCaps({ organization: { tokens: 100_000 } });
  const small = { promptTokens: 100, completionTokens: 11 };
  lamb.llm.script({ when: { model: 'small-model' }, text: 'force unit', usage: small }, usesAll);
  const reply = await lamb.call(here.teacher, 'POST', '/v1/chat/completions', {
    model,
    messages: [
      { role: 'user', content: 'What is a force?' },
      { role: 'assistant', content: 'A push.' },
      { role: 'user', content: 'And its unit?' },
    ],
  });
  expect(reply.status).toBe(200);
  expect(await count()).toMatchObject({ reserved: { tokens: 0 }, settled: { tokens: 111 + CALL } });
  expect(await usage('group_by=model')).toMatchObject({ runs: 1, groups: [{ key: 'openai/small-model' }, {}] });
});

test('a durable run is held to the same budget', async () => {
  const chat = await lamb.call(here.student, 'POST', '/lamb/v1/chats', { assistant_id: tutor.id });
  const { id } = chat.body as { id: string };
  const runTurn = async () => {
    const started = await lamb.call(here.student, 'POST', `/lamb/v1/chats/${id}/turns`, { content: PROMPT });
    expect(started.status, started.text).toBe(202);
    const run = `/lamb/v1/runs/${(started.body as { id: string }).id}`;
    const { text: events } = await lamb.call(here.student, 'GET', `${run}/events`);
    return { events, answer: (await lamb.call(here.student, 'GET', `${run}/answer`)).body };
  };
  await setCaps({ organization: { tokens: 10 } });
  const refused = await runTurn();
  expect(refused.events).toContain('"type":"run.failed"');
  expect(refused.events).toContain('"code":"budget_exceeded"');
  expect(refused.events).toContain('"cap":"organization_tokens"');
  // Who looks later is told as much as who followed.
  expect(refused.answer).toMatchObject({
    error: { code: 'budget_exceeded', details: { cap: 'organization_tokens', limit: 10 } },
  });
  expect(lamb.llm.requests).toEqual([]);
  await setCaps({ organization: { tokens: 10_000 } });
  lamb.llm.script(usesAll);
  expect((await runTurn()).events).toContain('"type":"run.finished"');
  expect(await count()).toMatchObject({ reserved: { tokens: 0 }, settled: { tokens: CALL } });
  expect(await usage()).toMatchObject({ runs: 1, total_tokens: CALL });
});

/** Budgets as a process has them, at a time of the test's choice. */
function openBudget(now: () => Date, runId = randomUUID()) {
  const { services } = lamb;
  const connector = services.catalogue.findConnector('openai');
  if (!connector) throw new Error('There is no such connector.');
  const principal = {
    userId: here.student.id,
    organizationId: here.id,
    email: here.student.email,
    name: 'student',
    role: 'end_user' as const,
    systemAdmin: false,
    via: 'api_key' as const,
    assistants: 'all' as const,
    endUser: { id: here.student.id },
  };
  const model = { connector, model: 'gpt-4o-mini', settings: {} };
  return createRunBudget(
    { principal, runId, assistantId: tutor.id, model },
    { ...services, budgets: createBudgets(services.db, { now }) },
  );
}

const estimate = { promptChars: 0, maxCompletionTokens: 10 };

test('a new month brings a new budget', async () => {
  let now = new Date('2031-01-31T23:59:59.999Z');
  await setCaps({ organization: { tokens: 10 } });
  const budget = openBudget(() => now);
  const first = await budget.reserve(estimate, 'model:1');
  await budget.settle(first, { usage: estimateUsage(0, 40), outcome: 'finished' });
  await expect(budget.reserve(estimate, 'model:2')).rejects.toMatchObject({
    code: 'budget_exceeded',
    details: { cap: 'organization_tokens', until: Date.UTC(2031, 1, 1) / 1000, retry_after: 1 },
  });
  now = new Date('2031-02-01T00:00:00.000Z');
  await budget.reserve(estimate, 'model:2');
});

test('a step that another process takes over uses the reservation it had; what each of both used is booked', async () => {
  await setCaps({ organization: { tokens: 10 } });
  const runId = randomUUID();
  const now = () => new Date();
  const former = openBudget(now, runId);
  const heir = openBudget(now, runId);
  const first = await former.reserve(estimate, 'model:1');
  const second = await heir.reserve(estimate, 'model:1');
  await expect(heir.reserve(estimate, 'model:2')).rejects.toMatchObject({ code: 'budget_exceeded' });
  // The former one learns that it was superseded while the heir is still listening.
  await former.settle(first, { usage: estimateUsage(0, 8), outcome: 'cancelled' });
  expect(await count()).toMatchObject({ reserved: { tokens: 10 }, settled: { tokens: 2 } });
  await heir.settle(second, { usage: estimateUsage(0, 20), outcome: 'finished' });
  expect(await count()).toMatchObject({ reserved: { tokens: 0 }, settled: { tokens: 7 } });
  expect(await count(here.student.id)).toMatchObject({ reserved: { tokens: 0 }, settled: { tokens: 7 } });
  expect(await usage()).toMatchObject({ total_tokens: 7 });
});

test('who takes over a step that was given the rest is given the same, not more', async () => {
  await setCaps({ organization: { tokens: 1000 } });
  const runId = randomUUID();
  const ofAnyLength = { promptChars: 0, maxCompletionTokens: undefined };
  const [former, heir] = [openBudget(() => new Date(), runId), openBudget(() => new Date(), runId)];
  expect(await former.reserve(ofAnyLength, 'model:1')).toMatchObject({ maxCompletionTokens: 1000 });
  await setCaps({ organization: { tokens: 10_000 } });
  expect(await heir.reserve(ofAnyLength, 'model:1')).toMatchObject({ maxCompletionTokens: 1000 });
});

test('without caps a call asks the database nothing, and is booked with what it cost', async () => {
  await put('prices', {
    prices: [{ connector: 'openai', model: 'gpt-4o-mini', prompt_micros: 0, completion_micros: 1_000_000 }],
  });
  const budget = openBudget(() => new Date());
  await budget.reserve(estimate, 'model:1');
  const connection = vi.spyOn(lamb.services.db, 'connection');
  for (let call = 2; call < 100; call += 1) {
    expect(await budget.reserve(estimate, `model:${call}`)).toMatchObject({ id: undefined });
  }
  expect(connection).not.toHaveBeenCalled();
  connection.mockRestore();
  await budget.settle({ id: undefined, startedAt: 0 }, { usage: estimateUsage(0, 40), outcome: 'finished' });
  await lamb.services.usageRecorder.flush();
  expect(await usage()).toMatchObject({ total_tokens: 10, cost_micros: 10 });
});

test('only administrators see and change caps and prices; only members can be named; nothing is named twice', async () => {
  const { admin, teacher, student, colleague } = here;
  for (const what of ['budgets', 'prices']) {
    for (const person of [teacher, student]) {
      expect((await lamb.call(person, 'GET', `${path}/${what}`)).status).toBe(403);
      expect((await lamb.call(person, 'PUT', `${path}/${what}`, { prices: [] })).status).toBe(403);
    }
  }
  const refuse = async (what: string, body: unknown, says: string) => {
    const reply = await lamb.call(admin, 'PUT', `${path}/${what}`, body);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(says);
  };
  await refuse(
    'budgets',
    { users: [{ user_id: lamb.south.teacher.id, tokens: 1 }] },
    'Not members of this organisation',
  );
  await refuse('budgets', { users: [{ user_id: randomUUID(), tokens: 1 }] }, 'Not members of this organisation');
  const own = { user_id: colleague.id, tokens: 1, cost_micros: null };
  await refuse('budgets', { users: [own, own] }, 'names a user twice');
  await refuse('budgets', { organization: { tokens: -1 } }, 'organization.tokens');
  await refuse('budgets', { currency: 'euro' }, 'currency');
  const price = { connector: 'openai', model: 'a', prompt_micros: 1, completion_micros: 1 };
  await refuse('prices', { prices: [price, price] }, 'names a model twice');
  const changed = await setCaps({ currency: 'CHF', organization: { tokens: 5 }, users: [own] });
  expect(changed).toMatchObject({
    currency: 'CHF',
    organization: { tokens: 5, cost_micros: null },
    user_default: { tokens: null, cost_micros: null },
    users: [own],
    used: { tokens: 0, cost_micros: 0 },
  });
  expect((await lamb.call(admin, 'GET', `${path}/budgets`)).body).toEqual(changed);
  expect((await lamb.call(lamb.south.admin, 'GET', `${path}/budgets`)).body).toMatchObject({
    currency: 'EUR',
    users: [],
  });
});

test('requests per minute, of a key and of a user', async () => {
  await configure({ limits: { requests_per_minute: { key: 2 } } });
  const statuses = [(await ask()).status, (await ask()).status];
  const refused = await ask();
  expect([...statuses, refused.status]).toEqual([200, 200, 429]);
  expect(refused.body).toMatchObject({
    error: { code: 'rate_limited', details: { limit: 'key_requests_per_minute', requests_per_minute: 2 } },
  });
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(30);
  // Others, and what starts no turn, are free.
  expect((await ask(here.teacher)).status).toBe(200);
  expect((await lamb.call(here.student, 'GET', '/lamb/v1/me')).status).toBe(200);

  await configure({ limits: { requests_per_minute: { user: 1 } } });
  expect((await ask(here.colleague)).status).toBe(200);
  expect((await ask(here.colleague)).body).toMatchObject({
    error: { code: 'rate_limited', details: { limit: 'user_requests_per_minute' } },
  });
  const invalid = await lamb.call(here.admin, 'PUT', `${path}/config`, { limits: { requests_per_minute: 0 } });
  expect(invalid.status).toBe(400);
});
