import type { RunEvent } from '@lamb/contract';
import { compilePlan, createCatalogue, type TurnPorts } from '@lamb/engine';
import { defineConnector, defineTool, type ModelEvent, type Tool } from '@lamb/plugin-kit';
import { createTestHost } from '@lamb/plugin-kit/conformance';
import { createAssistant, migrate, openDatabase, withTenant, type Db } from '@lamb/store';
import { createTestDatabase, type TestDatabase } from '@lamb/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createRuns, migrateRuns, type OwnedRun, type Runs } from './index.ts';

let database: TestDatabase;
let db: Db;
let runs: Runs;
let organizationId: string;
let userId: string;
let assistantId: number;
const errors: unknown[] = [];

/** What the model says, turn by turn. */
let script: (ModelEvent[] | ((signal: AbortSignal) => AsyncIterable<ModelEvent[]>))[] = [];

const connector = defineConnector({
  name: 'scripted',
  title: 'Scripted',
  description: 'Says what the test wants.',
  requires: [],
  needsProvider: false,
  async *stream({ signal }) {
    const next = script.shift() ?? [{ type: 'text', text: 'nothing more' }];
    if (typeof next === 'function') yield* next(signal);
    else yield next;
    yield [{ type: 'usage', promptTokens: 3, completionTokens: 2 }];
    yield [{ type: 'finish', reason: 'stop' }];
  },
});

const effects: string[] = [];

const probe: Tool = defineTool({
  name: 'probe',
  version: '1.0',
  category: 'utility',
  title: 'Probe',
  description: 'Writes down that it was called.',
  config: z.object({}),
  function: {
    name: () => 'probe',
    description: () => 'Probe something.',
    input: z.object({ what: z.string() }),
    effect: 'once',
    run: ({ arguments: { what }, idempotencyKey }) => {
      effects.push(idempotencyKey);
      return Promise.resolve({ content: `probed ${what}` });
    },
  },
});

const catalogue = createCatalogue({
  tools: [probe],
  connectors: [connector],
  promptProcessors: [{ name: 'multi_augment', title: 'm', description: 'm' }],
});

function prepare(run: OwnedRun) {
  const { approval } = run.input as { approval?: boolean };
  const { plan } = compilePlan(
    {
      id: run.assistantId,
      systemPrompt: 'Be brief.',
      promptTemplate: '',
      metadata: {
        _format_version: 2,
        assistant_type: 'multi_tool',
        prompt_processor: 'multi_augment',
        connector: 'scripted',
        llm: 'm',
        capabilities: { vision: false, image_generation: false },
        verbose: false,
        tools: [{ type: 'probe', mode: 'function', enabled: true, config: {}, approval: approval === true }],
      },
    },
    catalogue,
  );
  const ports = {
    runId: run.id,
    endUser: { id: userId },
    openHost: () => createTestHost(),
    model: { connector, model: 'm', settings: {} },
    budget: { reserve: () => Promise.resolve({ id: undefined, startedAt: 0 }), settle: () => Promise.resolve() },
    askSmallModel: undefined,
    countTokens: () => Promise.resolve([]),
    recordTrace: () => undefined,
    reportError: (error: unknown) => errors.push(error),
    authorizeCall: () => Promise.resolve(undefined),
    reportRefusal: () => Promise.resolve(),
    now: Date.now,
  } as unknown as Omit<TurnPorts, 'signal' | 'approve'>;
  const request = { messages: [{ role: 'user' as const, content: 'Why?' }], sampling: {} };
  return Promise.resolve({ plan, request, ports, observe: () => undefined, booked: () => Promise.resolve() });
}

const call = (what: string): ModelEvent => ({
  type: 'tool_call',
  index: 0,
  id: `call-${what}`,
  name: 'probe',
  arguments: JSON.stringify({ what }),
});

beforeAll(async () => {
  database = await createTestDatabase({
    prepare: async (ownerUrl) => {
      await migrate(ownerUrl);
      await migrateRuns(ownerUrl);
    },
  });
  db = openDatabase(database.appUrl);
  const organization = await db
    .insertInto('auth.organization')
    .values({ name: 'o', slug: 'o' })
    .returning('id')
    .executeTakeFirstOrThrow();
  organizationId = organization.id;
  const user = await db
    .insertInto('auth.user')
    .values({ email: 'u@o.test', name: 'u', role: null, banned: null, banExpires: null, lmsUserId: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  userId = user.id;
  const assistant = await withTenant(db, organizationId, (tx) => createAssistant(tx, { ownerId: userId, name: 'a' }));
  assistantId = assistant.id;
  runs = await createRuns({
    db,
    databaseUrl: database.appUrl,
    connections: 5,
    retentionDays: 30,
    prepare,
    onError: (error) => errors.push(error),
  });
});

afterAll(async () => {
  await runs.close();
  await db.destroy();
  await database.drop();
});

async function readAll(run: OwnedRun, after = 0): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of runs.read(run, after, new AbortController().signal)) events.push(event);
  return events;
}

const start = (input: unknown = {}) => runs.start({ organizationId, assistantId, userId, input });
const textOf = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'text.delta' ? [event.text] : [])).join('');

test('a run with a call tells everything once, and can be read again from any number on', async () => {
  script = [[{ type: 'text', text: 'Let me look. ' }, call('a')], [{ type: 'text', text: 'Done.' }]];
  const run = await start();
  const events = await readAll(run);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(textOf(events)).toBe('Let me look. Done.');
  expect(events.map(({ type }) => type)).toContain('call.finished');
  expect(effects).toEqual([`${run.id}:call-a`]);
  expect(await readAll(run, 4)).toEqual(events.slice(4));
  await expect.poll(async () => (await runs.find(organizationId, run.id))?.status).toBe('finished');
  expect(errors).toEqual([]);
});

test('a call that needs approval waits for it', async () => {
  script = [[call('b')], [{ type: 'text', text: 'Approved.' }]];
  const run = await start({ approval: true });
  const reading = readAll(run);
  await expect.poll(async () => (await runs.find(organizationId, run.id))?.status).toBe('waiting');
  expect(effects).not.toContain(`${run.id}:call-b`);
  await runs.decide(run, 'call-b', 'approved');
  expect(textOf(await reading)).toBe('Approved.');
  expect(effects).toContain(`${run.id}:call-b`);
});

test('a rejected call is told to the model, and the run goes on', async () => {
  script = [[call('c')], [{ type: 'text', text: 'Then not.' }]];
  const run = await start({ approval: true });
  const reading = readAll(run);
  await runs.decide(run, 'call-c', 'rejected');
  const events = await reading;
  expect(events.find(({ type }) => type === 'call.finished')).toMatchObject({ outcome: 'rejected' });
  expect(textOf(events)).toBe('Then not.');
  expect(effects).not.toContain(`${run.id}:call-c`);
});

test.each([['while the model speaks'], ['while it waits for approval']])('a run is cancelled %s', async (when) => {
  const waits = when.includes('approval');
  script = [
    waits
      ? [call('d')]
      : async function* (signal) {
          yield [{ type: 'text', text: 'I am still' }];
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        },
  ];
  const run = await start({ approval: true });
  const events: RunEvent[] = [];
  for await (const event of runs.read(run, 0, new AbortController().signal)) {
    events.push(event);
    if (event.type === 'text.delta' || event.type === 'call.approval_required') await runs.cancel(run);
  }
  expect(events.at(-1)?.type).toBe('run.cancelled');
  await expect.poll(async () => (await runs.find(organizationId, run.id))?.status).toBe('cancelled');
});
