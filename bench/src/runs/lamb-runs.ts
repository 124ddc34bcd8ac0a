import { compilePlan, createCatalogue } from '@lamb/engine';
import { defineConnector, defineTool, ToolFailure, type ModelEvent, type ToolHost } from '@lamb/plugin-kit';
import { createRuns, type OwnedRun, type PreparedRun } from '@lamb/runs';
import { createAssistant, openDatabase, withTenant } from '@lamb/store';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { runMany } from './run-many.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    runs: { type: 'string', default: '0' },
    concurrent: { type: 'string', default: '1' },
  },
});

/** Calls the tool once and then answers, without any delay: what is measured is the run and not the model. */
const connector = defineConnector({
  name: 'instant',
  title: 'Instant',
  description: 'Answers at once.',
  requires: [],
  needsProvider: false,
  // eslint-disable-next-line @typescript-eslint/require-await -- it has nothing to wait for
  async *stream({ messages }) {
    const isAnswer = messages.some(({ role }) => role === 'tool');
    const call: ModelEvent = { type: 'tool_call', index: 0, id: 'c1', name: 'look', arguments: '{}' };
    yield [isAnswer ? { type: 'text', text: 'Here it is.' } : call];
    yield [{ type: 'usage', promptTokens: 3, completionTokens: 2 }];
    yield [{ type: 'finish', reason: 'stop' }];
  },
});
const look = defineTool({
  name: 'look',
  version: '1.0',
  category: 'utility',
  title: 'Look',
  description: 'Looks.',
  config: z.object({}),
  function: {
    name: () => 'look',
    description: () => 'Look.',
    input: z.object({}),
    effect: 'none',
    run: () => Promise.resolve({ content: 'seen' }),
  },
});
const catalogue = createCatalogue({
  tools: [look],
  connectors: [connector],
  promptProcessors: [{ name: 'multi_augment', title: 'm', description: 'm' }],
});

function prepare(run: OwnedRun): PreparedRun {
  const { plan } = compilePlan(
    {
      id: run.assistantId,
      systemPrompt: 'Be brief.',
      promptTemplate: '',
      metadata: {
        _format_version: 2,
        assistant_type: 'multi_tool',
        prompt_processor: 'multi_augment',
        connector: 'instant',
        llm: 'm',
        capabilities: { vision: false, image_generation: false },
        verbose: false,
        tools: [{ type: 'look', mode: 'function', enabled: true, config: {} }],
      },
    },
    catalogue,
  );
  return {
    plan,
    request: { messages: [{ role: 'user', content: 'Why?' }], sampling: {} },
    observe: () => undefined,
    leave: () => undefined,
    booked: () => Promise.resolve(),
    ports: {
      runId: run.id,
      endUser: { id: run.userId },
      openHost: (): ToolHost => {
        throw new ToolFailure('The bench has no host.');
      },
      model: { connector, model: 'm', settings: {} },
      budget: {
        reserve: () => Promise.resolve({ id: undefined, startedAt: 0 }),
        settle: () => Promise.resolve(),
      },
      askSmallModel: undefined,
      countTokens: () => Promise.resolve([]),
      recordTrace: () => undefined,
      reportError: (error) => {
        throw error;
      },
      authorizeCall: () => Promise.resolve(undefined),
      reportRefusal: () => Promise.resolve(),
      now: Date.now,
    },
  };
}

const db = openDatabase(values.url, { maxConnections: 20 });
const { id: organizationId } = await db
  .insertInto('auth.organization')
  .values({ name: 'bench', slug: `bench-${String(process.pid)}` })
  .returning('id')
  .executeTakeFirstOrThrow();
const { id: userId } = await db
  .insertInto('auth.user')
  .values({ email: `b${String(process.pid)}@bench.test`, name: 'b' })
  .returning('id')
  .executeTakeFirstOrThrow();
const assistant = await withTenant(db, organizationId, (tx) => createAssistant(tx, { ownerId: userId, name: 'a' }));
const runs = await createRuns({
  db,
  databaseUrl: values.url,
  connections: 20,
  retentionDays: 30,
  prepare: (run) => Promise.resolve(prepare(run)),
  onError: (error) => {
    throw error;
  },
});
const { signal } = new AbortController();
const runOne = async (): Promise<void> => {
  const run = await runs.start({ organizationId, assistantId: assistant.id, userId, input: {}, prepare });
  let end = '';
  for await (const { type } of runs.read(run, 0, signal)) end = type;
  if (end !== 'run.finished') throw new Error(`A run ended with ${end}.`);
};
await runMany(200, Number(values.concurrent), runOne);
process.stdout.write(`${String(await runMany(Number(values.runs), Number(values.concurrent), runOne))}\n`);
process.exit(0);
