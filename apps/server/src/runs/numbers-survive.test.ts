import type { RunEvent } from '@lamb/contract';
import { startKbServer, type KbServer } from '@lamb/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServerProcess } from '../test-server/spawn-server-process.ts';
import { openHouse, type House } from './__fixtures__/open-house.ts';
import { readRunStream } from './__fixtures__/read-run-stream.ts';

let kb: KbServer;
let house: House;
let doomed: ServerProcess;
let heir: ServerProcess;

beforeAll(async () => {
  kb = await startKbServer();
  const pages = ['force and motion', 'force and mass', 'motion alone'];
  const collection = kb.addCollection(
    'notes',
    pages.map((text, index) => ({ text, metadata: { filename: 'notes.pdf', page: index + 1 } })),
  );
  house = await openHouse({ knowledge: { server: kb, collection: String(collection) } });
  [doomed, heir] = await Promise.all([house.startServer(), house.startServer()]);
}, 60_000);
afterAll(async () => {
  await house.close();
  await kb.stop();
});

/** What the model was sent last when it had been told what its calls found. */
const lastPrompt = () =>
  (house.llm.requests.at(-1)?.body as { messages: { role: string; content: string }[] }).messages;

test('a run that goes on in another process gives the same numbers, and checks the answer against them', async () => {
  const search = (id: string, query: string) => ({ id, name: 'query_notes', arguments: { query } });
  house.llm.script(
    { toolCalls: [search('a', 'motion'), search('b', 'mass')] },
    { text: 'Half of an answer [1]', faults: { hangAfterChunks: 4 } },
    { text: 'An answer [1][5] and [99].' },
  );
  const runId = await house.startRun(doomed, 'force');
  let events: RunEvent[] = [];
  const told: unknown[] = [];
  let promptBefore: unknown;
  for await (const { event } of readRunStream({ ...heir, key: house.key, runId })) {
    if (event.type === 'text.delta' && event.step === 'model:2' && promptBefore === undefined) {
      promptBefore = lastPrompt();
      told.push(...events.flatMap((one) => (one.type === 'source' ? [one.source] : [])));
      process.kill(doomed.pid, 'SIGKILL');
    }
    if (event.type === 'step.restarted') events = events.filter(({ step }) => step !== event.step);
    events.push(event);
  }
  const sources = events.flatMap((one) => (one.type === 'source' ? [one.source] : []));
  expect(sources.map(({ number }) => number)).toEqual(sources.map((_, index) => index + 1));
  expect(sources.length).toBeGreaterThanOrEqual(5);
  expect(sources).toEqual(told);
  expect(lastPrompt()).toEqual(promptBefore);
  expect(events.at(-1)).toMatchObject({ type: 'run.finished', citations: { cited: [1, 5], unknown: [99] } });
}, 40_000);
