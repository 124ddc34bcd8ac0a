import { withTenant } from '@lamb/store';
import { sql } from 'kysely';
import { request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import { createAssistant } from './__fixtures__/create-assistant.ts';

const AT_ONCE = 50;

interface Endless {
  readonly model: string;
  /** What a client reads when the turn has come to where it stays. */
  readonly sign: string;
}

let lamb: TestServer;
/** Assistants whose turns never end: in their search, before the first token, in their answer. */
let assistants: Endless[];
let searching: number;
let connectionsFromSetUp: number;

beforeAll(async () => {
  lamb = await startTestServer();
  searching = lamb.kb.addCollection('slow notes');
  const create = async (llm: string, collection: number, sign: string): Promise<Endless> => {
    const { model } = await createAssistant(lamb, lamb.north.teacher, {
      name: `Endless ${llm}`,
      prompt_template: '{context}{user_input}',
      metadata: { llm },
      tools: [{ type: 'simple_rag', config: { collections: [String(collection)] } }],
    });
    return { model, sign };
  };
  const notes = lamb.kb.addCollection('notes');
  assistants = [
    await create('never-asked', searching, 'tool.started'),
    await create('silent', notes, 'prompt.rendered'),
    await create('talkative', notes, '"content":"t1'),
  ];
  connectionsFromSetUp = await countConnections();
});
afterAll(async () => lamb.stop());

/** Asks over a connection of its own, and closes it so many milliseconds after the sign has come, or after asking. */
async function askAndLeave({ model, sign }: Endless, afterMs: number, waits: boolean): Promise<void> {
  const asking = request(`${lamb.url}/v1/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${lamb.north.teacher.key}`, 'content-type': 'application/json' },
  });
  const leave = () => setTimeout(() => asking.destroy(), afterMs);
  const ended: string[] = [];
  asking.on('error', () => undefined);
  asking.on('response', (response) => {
    response.on('error', () => undefined).on('end', () => ended.push('by itself'));
    response.setEncoding('utf8').on('data', (text: string) => {
      if (waits && text.includes(sign)) leave();
    });
  });
  const closed = new Promise((resolve) => asking.once('close', resolve));
  asking.end(JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'What is a force?' }] }));
  if (!waits) leave();
  await closed;
  expect(ended).toEqual([]);
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
    const streams = Array.from({ length: AT_ONCE }, async (_, index) => {
      const endless = assistants[index % assistants.length];
      if (endless) await askAndLeave(endless, (index * 7) % 100, index % 5 > 0);
    });
    await Promise.all(streams);
  }
}

const collectGarbage = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();

const countConnections = () =>
  new Promise<number>((resolve) => lamb.app.server.getConnections((_error, count) => resolve(count)));

/** What is still held when all is over. */
async function measure() {
  await vi.waitFor(async () => {
    expect((await lamb.services.metrics.openTurns.get()).values[0]?.value).toBe(0);
    expect(await countConnections()).toBeLessThanOrEqual(connectionsFromSetUp);
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
    expect(requests.filter(({ chunksSent }) => chunksSent > 0).length).toBeGreaterThan(20);
    expect(requests.filter(({ chunksSent }) => chunksSent === 0).length).toBeGreaterThan(20);
    expect(lamb.kb.requests.filter(isClosed).length).toBeGreaterThan(20);

    const after = await measure();
    expect(after.busyConnections).toBe(0);
    // Connections to the knowledge base are kept for the next turn, as many as were used at once; both ends are here.
    expect(after.sockets - before.sockets).toBeLessThan(2 * AT_ONCE);
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
