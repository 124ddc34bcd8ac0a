import { withTenant } from '@lamb/store';
import { sql } from 'kysely';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import { createAssistant } from './__fixtures__/create-assistant.ts';

const AT_ONCE = 50;

let lamb: TestServer;
/** Assistants whose turns never end: in their search, before the first token, in their answer. */
let models: string[];
let searching: number;

beforeAll(async () => {
  lamb = await startTestServer();
  searching = lamb.kb.addCollection('slow notes');
  const collections = [searching, lamb.kb.addCollection('notes'), lamb.kb.addCollection('more notes')];
  const create = (collection: number, index: number) =>
    createAssistant(lamb, lamb.north.teacher, {
      name: `Endless ${index}`,
      prompt_template: '{context}{user_input}',
      metadata: { llm: ['never-asked', 'silent', 'talkative'][index] },
      tools: [{ type: 'simple_rag', config: { collections: [String(collection)] } }],
    });
  models = (await Promise.all(collections.map(create))).map(({ model }) => model);
});
afterAll(async () => lamb.stop());

/** Asks, and leaves after so many milliseconds, whatever is going on then. */
async function askAndLeave(model: string | undefined, afterMs: number): Promise<void> {
  const asking = async () => {
    const response = await fetch(`${lamb.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${lamb.north.teacher.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'What is a force?' }] }),
      signal: AbortSignal.timeout(afterMs),
    });
    await response.text();
  };
  await expect(asking()).rejects.toMatchObject({ name: 'TimeoutError' });
}

/** Runs so many streams, none of which would end by itself. */
async function abortStreams(count: number): Promise<void> {
  lamb.llm.reset();
  lamb.kb.reset();
  lamb.llm.script(
    { when: { model: 'silent' }, faults: { hangBeforeHeaders: true }, times: 'always' },
    { when: { model: 'talkative' }, tokens: 100_000, intervalMs: 5, prebuilt: true, times: 'always' },
  );
  lamb.kb.fail({ path: `/collections/${searching}/`, hang: true, times: 'always' });
  for (let left = count; left > 0; left -= AT_ONCE) {
    const streams = Array.from({ length: AT_ONCE }, (_, index) => askAndLeave(models[index % 3], 4 + index * 5));
    await Promise.all(streams);
  }
}

const collectGarbage = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();

/** What is still held when all is over. */
async function measure() {
  await vi.waitFor(async () => {
    expect((await lamb.services.metrics.openTurns.get()).values[0]?.value).toBe(0);
  });
  await lamb.services.usageRecorder.flush();
  const { rows } = await sql<{ busy: number }>`
    select count(*)::int as busy from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`.execute(lamb.services.db);
  lamb.llm.reset();
  lamb.kb.reset();
  collectGarbage();
  const resources = Map.groupBy(process.getActiveResourcesInfo(), (name) => name);
  return {
    busyConnections: rows[0]?.busy,
    sockets: resources.get('TCPSocketWrap')?.length ?? 0,
    timers: resources.get('Timeout')?.length ?? 0,
    heapBytes: process.memoryUsage().heapUsed,
  };
}

/** How the turns ended, as they were booked and as they were counted. */
async function readOutcomes() {
  const booked = await withTenant(lamb.services.db, lamb.north.id, (tx) =>
    tx
      .selectFrom('lamb.usage_ledger')
      .select((eb) => ['outcome', eb.fn.countAll<number>().as('count')])
      .groupBy('outcome')
      .execute(),
  );
  const { values } = await lamb.services.metrics.turns.get();
  return { booked, counted: values.map(({ labels, value }) => ({ outcome: labels.outcome, count: value })) };
}

test(
  'nothing is left of a thousand streams that clients left at all kinds of moments',
  { timeout: 60_000 },
  async () => {
    // As many at once as later, until pools and caches have their size.
    await abortStreams(600);
    const before = await measure();
    await abortStreams(1000);

    // Each was met in its own moment, and each was hung up on.
    const isClosed = ({ closedEarlyAt }: { closedEarlyAt?: number }) => closedEarlyAt !== undefined;
    const { requests } = lamb.llm;
    await vi.waitFor(() => expect(requests.filter(isClosed).length).toBe(requests.length));
    expect(requests.filter(({ chunksSent }) => chunksSent > 0).length).toBeGreaterThan(50);
    expect(requests.filter(({ chunksSent }) => chunksSent === 0).length).toBeGreaterThan(50);
    expect(lamb.kb.requests.filter(isClosed).length).toBeGreaterThan(50);

    const after = await measure();
    expect(after.busyConnections).toBe(0);
    expect(after.sockets - before.sockets).toBeLessThan(AT_ONCE);
    expect(after.timers - before.timers).toBeLessThan(10);
    expect((after.heapBytes - before.heapBytes) / 1000).toBeLessThan(5000);

    const { booked, counted } = await readOutcomes();
    expect(booked).toEqual([{ outcome: 'cancelled', count: expect.any(Number) }]);
    expect(counted).toEqual([{ outcome: 'cancelled', count: expect.any(Number) }]);
    // A third of them never came to the model.
    expect(booked[0]?.count).toBeLessThan(counted[0]?.count ?? 0);
    expect(booked[0]?.count).toBeGreaterThan(0);
  },
);
