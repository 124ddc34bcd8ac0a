import { withTenant } from '@lamb/store';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createApp } from '../app.ts';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import { createAssistant } from './__fixtures__/create-assistant.ts';
import { openCompletion } from './__fixtures__/open-completion.ts';

let lamb: TestServer;
let plain: { id: number; model: string };
let searching: { id: number; model: string };
let rewriting: { id: number; model: string };

beforeAll(async () => {
  lamb = await startTestServer();
  const { teacher } = lamb.north;
  const collections = [String(lamb.kb.addCollection('notes', [{ text: 'A force changes motion.' }]))];
  const tools = [{ type: 'simple_rag', config: { collections } }];
  const prompt_template = '{context}{user_input}';
  plain = await createAssistant(lamb, teacher, { name: 'Plain' });
  searching = await createAssistant(lamb, teacher, { name: 'Searching', prompt_template, tools });
  rewriting = await createAssistant(lamb, teacher, {
    name: 'Rewriting',
    prompt_template,
    tools,
    metadata: { prompt_processor: 'context_aware_augment' },
  });
});
afterAll(async () => lamb.stop());
beforeEach(() => {
  lamb.llm.reset();
  lamb.kb.reset();
});

const open = (model: string, more: Record<string, unknown> = {}) =>
  openCompletion(lamb, lamb.north.teacher, { model, ...more });

const untilAsked = (requests: readonly unknown[]) =>
  vi.waitFor(() => {
    expect(requests).toHaveLength(1);
  });

/** How long after the client left the other connection was closed. */
async function closedAfter(
  leftAt: number,
  request: () => { readonly closedEarlyAt?: number } | undefined,
): Promise<number> {
  const closedAt = await vi.waitFor(() => {
    const at = request()?.closedEarlyAt;
    if (at === undefined) throw new Error('It is still open.');
    return at;
  });
  return closedAt - leftAt;
}

/** The middle of five: a machine that is busy for a moment says nothing about us. */
async function medianOf(attempt: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let number = 0; number < 5; number += 1) {
    lamb.llm.reset();
    lamb.kb.reset();
    times.push(await attempt());
  }
  return times.toSorted((a, b) => a - b)[2] ?? Number.NaN;
}

async function readLedger(assistantId: number) {
  await vi.waitFor(async () => {
    expect((await lamb.services.metrics.openTurns.get()).values[0]?.value).toBe(0);
  });
  await lamb.services.usageRecorder.flush();
  return await withTenant(lamb.services.db, lamb.north.id, (tx) =>
    tx
      .selectFrom('lamb.usage_ledger')
      .select(['outcome', 'model', 'prompt_tokens', 'completion_tokens', 'estimated'])
      .where('assistant_id', '=', assistantId)
      .orderBy('id')
      .execute(),
  );
}

const slowly = { tokens: 10_000, intervalMs: 5 };

test.each([true, false])(
  'leaving in the middle of the answer hangs up on the provider (stream: %s)',
  async (stream) => {
    const delay = await medianOf(async () => {
      lamb.llm.script(slowly);
      const completion = open(plain.model, { stream });
      if (stream) await completion.readUntil('t20');
      else await vi.waitFor(() => expect(lamb.llm.requests[0]?.chunksSent).toBeGreaterThan(20));
      return await closedAfter(completion.leave(), () => lamb.llm.requests[0]);
    });
    expect(delay).toBeLessThan(100);
  },
);

test('leaving before the first token hangs up on the provider', async () => {
  const delay = await medianOf(async () => {
    lamb.llm.script({ faults: { hangBeforeHeaders: true } });
    const completion = open(plain.model);
    await untilAsked(lamb.llm.requests);
    return await closedAfter(completion.leave(), () => lamb.llm.requests[0]);
  });
  expect(delay).toBeLessThan(100);
});

test('leaving while tools run hangs up on the knowledge base, and the model is never asked', async () => {
  const delay = await medianOf(async () => {
    lamb.kb.fail({ hang: true });
    const completion = open(searching.model);
    await completion.readUntil('tool.started');
    await untilAsked(lamb.kb.requests);
    return await closedAfter(completion.leave(), () => lamb.kb.requests[0]);
  });
  expect(delay).toBeLessThan(100);
  expect(await readLedger(searching.id)).toEqual([]);
  expect(lamb.llm.requests).toEqual([]);
});

test('leaving while the small model rewrites the question hangs up on it', async () => {
  const delay = await medianOf(async () => {
    lamb.llm.script({ when: { model: 'small-model' }, faults: { hangBeforeHeaders: true } });
    const completion = open(rewriting.model, {
      messages: [
        { role: 'user', content: 'What is a force?' },
        { role: 'assistant', content: 'A push.' },
        { role: 'user', content: 'And its unit?' },
      ],
    });
    await untilAsked(lamb.llm.requests);
    return await closedAfter(completion.leave(), () => lamb.llm.requests[0]);
  });
  expect(delay).toBeLessThan(100);
  expect(lamb.kb.requests).toEqual([]);
});

test('what was used until then is booked as cancelled, estimated because the provider did not get to say', async () => {
  const { id, model } = await createAssistant(lamb, lamb.north.teacher, { name: 'Booked' });
  lamb.llm.script(slowly);
  const streaming = open(model);
  await streaming.readUntil('t40');
  streaming.leave();
  await vi.waitFor(() => expect(lamb.llm.requests[0]).toHaveProperty('closedEarlyAt'));
  lamb.llm.script({ faults: { hangBeforeHeaders: true } });
  const waiting = open(model);
  await vi.waitFor(() => expect(lamb.llm.requests).toHaveLength(2));
  waiting.leave();

  const [midway, ...rest] = await readLedger(id);
  expect(midway).toMatchObject({ outcome: 'cancelled', model: 'gpt-4o-mini', estimated: true });
  expect(midway?.prompt_tokens).toBeGreaterThan(0);
  expect(midway?.completion_tokens).toBeGreaterThan(20);
  expect(rest).toMatchObject([{ outcome: 'cancelled', completion_tokens: 0, estimated: true }]);
});

test('a client that left while we looked up who it is costs nothing', async () => {
  const { authenticator } = lamb.services;
  const arrived = Promise.withResolvers<undefined>();
  const proceed = Promise.withResolvers<undefined>();
  const door = await createApp({
    ...lamb.services,
    authenticator: {
      ...authenticator,
      async authenticate(credentials) {
        arrived.resolve(undefined);
        await proceed.promise;
        return await authenticator.authenticate(credentials);
      },
    },
  });
  const { id, model } = await createAssistant(lamb, lamb.north.teacher, { name: 'Left early' });
  const url = await door.listen({ host: '127.0.0.1', port: 0 });
  const left = new Promise((resolve) => {
    door.server.once('connection', (socket) => socket.once('close', resolve));
  });
  const completion = openCompletion({ url }, lamb.north.teacher, { model });
  await arrived.promise;
  completion.leave();
  await left;
  proceed.resolve(undefined);
  // Whoever comes next through the same door gets there later.
  lamb.llm.script({ text: 'Here.' });
  await openCompletion({ url }, lamb.north.teacher, { model }).readUntil('[DONE]');
  expect(lamb.llm.requests).toHaveLength(1);
  expect(await readLedger(id)).toMatchObject([{ outcome: 'finished' }]);
  await door.close();
});
