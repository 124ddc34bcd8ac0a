import type { RunEvent } from '@lamb/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServerProcess } from '../test-server/spawn-server-process.ts';
import { openHouse, type House } from './__fixtures__/open-house.ts';
import { readRunStream } from './__fixtures__/read-run-stream.ts';

let house: House;
let first: ServerProcess;
let second: ServerProcess;

beforeAll(async () => {
  house = await openHouse({ ownCluster: true });
  [first, second] = await Promise.all([house.startServer(), house.startServer()]);
}, 60_000);
afterAll(() => house.close(), 60_000);

const FILE = 'essay.txt';
const patch = {
  name: 'patch_file',
  arguments: {
    file_path: FILE,
    changes: [{ line_start: 1, line_end: 1, old_content: 'It was a dark night.', new_content: 'It was night.' }],
  },
};
const fileUrl = () => `/lamb/v1/assistants/${house.assistantId}/workspace/files?path=${FILE}`;

async function restartEverything(): Promise<void> {
  // One is told to stop, the other just dies; then the database does.
  await Promise.all([first.stop('SIGTERM'), second.stop('SIGKILL')]);
  await house.stopDatabase();
  await house.startDatabase();
  [first, second] = await Promise.all([house.startServer(), house.startServer()]);
}

async function readAll(server: ServerProcess, runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const { event } of readRunStream({ ...server, key: house.key, runId })) events.push(event);
  return events;
}

test.each(['approved', 'rejected'] as const)(
  'runs that wait for approval survive a restart of everything, and go on when it is %s',
  async (decision) => {
    await house.call(first, 'PUT', fileUrl(), { text: 'It was a dark night.\n' });
    house.llm.reset();
    house.llm.script({ toolCalls: [patch] }, { text: 'As you wish.', when: { contains: '"role":"tool"' } });
    const runId = await house.startRun(decision === 'approved' ? first : second, 'Shorten it.');
    const statusOf = async () => (await house.call(first, 'GET', `/lamb/v1/runs/${runId}`)).body;
    await expect.poll(statusOf, { timeout: 10_000 }).toMatchObject({ status: 'waiting' });

    await restartEverything();
    expect(await statusOf()).toMatchObject({ status: 'waiting' });
    const asked = (await house.call(first, 'GET', `/lamb/v1/runs/${runId}/events`)).body as { events: RunEvent[] };
    const required = asked.events.find(({ type }) => type === 'call.approval_required');
    const callId = required?.type === 'call.approval_required' ? required.call_id : '';
    const decisionUrl = `/lamb/v1/runs/${runId}/calls/${callId}/decision`;
    expect((await house.call(second, 'POST', decisionUrl, { decision })).status).toBe(202);
    // A second thought comes too late.
    const other = decision === 'approved' ? 'rejected' : 'approved';
    expect(await house.call(first, 'POST', decisionUrl, { decision: other })).toMatchObject({
      status: 409,
      body: { code: 'already_decided', details: { decision } },
    });

    const events = await readAll(first, runId);
    expect(events.filter(({ type }) => type === 'call.finished')).toMatchObject([
      { call_id: callId, outcome: decision === 'approved' ? 'done' : 'rejected' },
    ]);
    expect(events.filter(({ type }) => type === 'call.approval_required')).toHaveLength(1);
    expect(events.flatMap((event) => (event.type === 'text.delta' ? [event.text] : [])).join('')).toBe('As you wish.');
    const told = JSON.stringify(house.llm.requests.at(-1)?.body);
    expect(told).toContain(decision === 'approved' ? '1 change made' : 'The person rejected this call.');
    const file = (await house.call(first, 'GET', fileUrl())).body;
    expect(file).toMatchObject({ text: decision === 'approved' ? 'It was night.\n' : 'It was a dark night.\n' });
    await expect.poll(statusOf).toMatchObject({ status: 'finished' });
  },
  90_000,
);
