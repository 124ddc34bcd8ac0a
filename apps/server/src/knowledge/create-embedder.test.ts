import { putBudgetCaps, readTenant, sumUsageBy, withTenant } from '@lamb/store';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { loadOrganizationSetup } from '../organization/load-organization-setup.ts';
import type { OrganizationSetup } from '../organization/read-organization-setup.ts';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import type { Embedder, PassageBatch } from './create-embedder.ts';

let lamb: TestServer;
let embedder: Embedder;
const setups = new Map<string, OrganizationSetup>();

beforeAll(async () => {
  lamb = await startTestServer({ LAMB_EMBEDDING_PATIENCE_SECONDS: '3' });
  const { db, secretBox } = lamb.services;
  ({ embedder } = lamb.services);
  for (const { id } of [lamb.north, lamb.south]) {
    setups.set(id, await readTenant(db, id, (tx) => loadOrganizationSetup(tx, secretBox)));
  }
});
afterAll(() => lamb.stop());
afterEach(() => {
  lamb.llm.reset();
});

const never = new AbortController().signal;
const patient = { signal: never, leaving: never };
const OPENAI = { provider: 'openai', model: 'text-embedding-3-small', dimensions: 8 };
const PATH = '/v1/embeddings';

function batchOf(texts: readonly string[], change: Partial<PassageBatch> = {}): PassageBatch {
  const { id: organizationId, teacher } = lamb.north;
  return {
    organizationId,
    userId: teacher.id,
    embedding: OPENAI,
    runId: randomUUID(),
    key: randomUUID(),
    texts,
    tokens: 10,
    ...change,
  };
}

function query(text: string, organization: Pick<TestServer['north'], 'id' | 'teacher'> = lamb.north) {
  const { id: organizationId, teacher } = organization;
  const setup = setups.get(organizationId);
  if (setup === undefined) throw new Error('This organisation has no setup here.');
  return { organizationId, userId: teacher.id, embedding: OPENAI, text, setup };
}

async function countTokens(organizationId: string, model: string): Promise<number> {
  const range = { from: new Date(0), to: new Date(Date.now() + 60_000) };
  const groups = await withTenant(lamb.services.db, organizationId, (tx) => sumUsageBy(tx, range, 'model'));
  return groups.find(({ key }) => key === model)?.totalTokens ?? 0;
}

test('passages get vectors from the organisation’s own provider, with its key, and are booked with what they are for', async () => {
  const before = await countTokens(lamb.north.id, 'openai/text-embedding-3-small');
  const batch = batchOf(['one two three', 'four']);
  const { vectors, book } = await embedder.embedPassages(batch, patient);
  expect(vectors.map((vector) => vector.length)).toEqual([8, 8]);
  expect(lamb.llm.requests[0]?.headers).toMatchObject({
    authorization: 'Bearer sk-test-openai',
    'idempotency-key': batch.key,
  });
  const db = lamb.services.db;
  // Kept twice, because the answer to the first commit was lost, it is booked once.
  await withTenant(db, lamb.north.id, book);
  await withTenant(db, lamb.north.id, book);
  expect(await countTokens(lamb.north.id, 'openai/text-embedding-3-small')).toBe(before + 4);
  const metrics = await lamb.services.metrics.registry.metrics();
  expect(metrics).toMatch(/lamb_tokens_total\{connector="openai",direction="embedding"\} \d/);
});

test('the same query is asked once, by whoever; not across organisations', async () => {
  const vectors = await Promise.all([
    embedder.embedQuery(query('what is a lamb'), never),
    embedder.embedQuery({ ...query('what is a lamb'), userId: lamb.north.admin.id }, never),
  ]);
  await embedder.embedQuery(query('what is a lamb'), never);
  expect(vectors[0].vector).toEqual(vectors[1].vector);
  expect(vectors[0].providerMs).toBeGreaterThan(0);
  expect(vectors[1].providerMs).toBe(0);
  expect(lamb.llm.requests).toHaveLength(1);
  await embedder.embedQuery(query('what is a lamb', lamb.south), never);
  expect(lamb.llm.requests).toHaveLength(2);
});

test('a failed query is an error of the API, and asked again the next time', async () => {
  lamb.llm.script({ when: { path: PATH }, faults: { status: 401 } });
  await expect(embedder.embedQuery(query('who'), never)).rejects.toMatchObject({
    name: 'AppError',
    code: 'provider_credentials_rejected',
  });
  expect((await embedder.embedQuery(query('who'), never)).vector).toHaveLength(8);
});

test('who leaves stops waiting, and those who wait for the same query do not', async () => {
  lamb.llm.script({ when: { path: PATH }, firstDelayMs: 300 });
  const leaving = new AbortController();
  const left = embedder.embedQuery(query('slow'), leaving.signal);
  const stays = embedder.embedQuery(query('slow'), never);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  expect((await stays).vector).toHaveLength(8);
});

test('how long vectors are is found out by asking', async () => {
  const { id: organizationId, teacher } = lamb.north;
  const who = { organizationId, userId: teacher.id };
  const openai = { ...who, provider: 'openai', model: 'text-embedding-3-small' };
  expect(await embedder.measureDimensions(openai, never)).toBe(1536);
  expect(await embedder.measureDimensions({ ...who, provider: 'ollama', model: 'nomic' }, never)).toBe(768);
  await expect(embedder.measureDimensions({ ...who, provider: 'nobody', model: 'x' }, never)).rejects.toMatchObject({
    code: 'provider_not_configured',
  });
});

test('a model that refuses to be asked for a length is not asked again', async () => {
  const fixed = { ...OPENAI, model: 'fixed-length' };
  lamb.llm.script(({ body }) =>
    typeof body === 'object' && body !== null && 'model' in body && body.model === 'fixed-length'
      ? 'dimensions' in body
        ? { faults: { status: 400 } }
        : { dimensions: 8 }
      : undefined,
  );
  for (const text of ['a', 'b']) await embedder.embedPassages(batchOf([text], { embedding: fixed }), patient);
  expect(lamb.llm.requests.map(({ body }) => 'dimensions' in (body as object))).toEqual([true, false, false]);
});

test('work in the background waits for a provider that limits or fails, as long as it asks to', async () => {
  lamb.llm.script({ when: { path: PATH }, times: 1, faults: { status: 429, retryAfterSeconds: 1 } });
  const started = performance.now();
  await embedder.embedPassages(batchOf(['limited']), patient);
  expect(performance.now() - started).toBeGreaterThanOrEqual(950);
  expect(lamb.llm.embedded.get('limited')).toBe(1);
});

test('its patience ends, and it says why', async () => {
  lamb.llm.script({ when: { path: PATH }, times: 'always', faults: { status: 429, retryAfterSeconds: 60 } });
  await expect(embedder.embedPassages(batchOf(['never']), patient)).rejects.toMatchObject({ reason: 'limited' });
});

test('vectors of another length end it at once', async () => {
  lamb.llm.script({ when: { path: PATH }, dimensions: 12 });
  await expect(embedder.embedPassages(batchOf(['other']), patient)).rejects.toMatchObject({ reason: 'dimensions' });
  expect(lamb.llm.requests).toHaveLength(1);
});

test('who cancels does not wait for a provider that hangs', async () => {
  lamb.llm.script({ when: { path: PATH }, faults: { hangBeforeHeaders: true } });
  const cancelled = new AbortController();
  const asked = embedder.embedPassages(batchOf(['hang']), { signal: cancelled.signal, leaving: never });
  await expect.poll(() => lamb.llm.requests).toHaveLength(1);
  cancelled.abort(new Error('cancelled'));
  await expect(asked).rejects.toThrow('cancelled');
  await expect.poll(() => lamb.llm.requests[0]?.closedEarlyAt).toBeDefined();
});

test('an organisation has two requests for passages under way at a time, and queries besides', async () => {
  const { promise: after, resolve: release } = Promise.withResolvers<undefined>();
  lamb.llm.script({ when: { path: PATH, contains: 'slow passage' }, times: 'always', after });
  const passages = ['1', '2', '3', '4'].map((n) => embedder.embedPassages(batchOf([`slow passage ${n}`]), patient));
  await expect.poll(() => lamb.llm.requests).toHaveLength(2);
  await embedder.embedQuery(query('in between'), never);
  expect(lamb.llm.requests).toHaveLength(3);
  release(undefined);
  await Promise.all(passages);
  const times = lamb.llm.requests.filter(({ body }) => JSON.stringify(body).includes('slow passage'));
  const [, , third] = times;
  expect(times).toHaveLength(4);
  expect(third?.receivedAt).toBeGreaterThanOrEqual(Math.min(...times.slice(0, 2).map((one) => one.finishedAt ?? 0)));
});

test('a cap on tokens holds for vectors, before they are asked for', async () => {
  const { id: organizationId, teacher } = lamb.south;
  await withTenant(lamb.services.db, organizationId, (tx) =>
    putBudgetCaps(
      tx,
      {
        currency: 'EUR',
        organization: { tokens: 50, micros: null },
        userDefault: { tokens: null, micros: null },
        users: [],
      },
      new Date(),
    ),
  );
  lamb.services.budgets.forget(organizationId);
  const capped = { organizationId, userId: teacher.id };
  const { book } = await embedder.embedPassages(batchOf(['fits'], { ...capped, tokens: 40 }), patient);
  await expect(embedder.embedPassages(batchOf(['does not'], { ...capped, tokens: 40 }), patient)).rejects.toMatchObject(
    {
      code: 'budget_exceeded',
    },
  );
  await withTenant(lamb.services.db, organizationId, book);
  await embedder.embedPassages(batchOf(['fits now'], { ...capped, tokens: 40 }), patient);
  expect([...lamb.llm.embedded.keys()]).toEqual(['fits', 'fits now']);
});
