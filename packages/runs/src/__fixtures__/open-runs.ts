import type { RunEvent } from '@lamb/contract';
import { compilePlan, createCatalogue, type TurnPorts } from '@lamb/engine';
import { defineConnector, defineTool, type ModelEvent, type Tool } from '@lamb/plugin-kit';
import { createTestHost } from '@lamb/plugin-kit/conformance';
import { createAssistant, migrate, openDatabase, withTenant, type Db } from '@lamb/store';
import { createTestDatabase, type TestDatabase } from '@lamb/testing';
import { z } from 'zod';
import { createRuns, migrateRuns, type OwnedRun, type PreparedRun, type Runs } from '../index.ts';

/** What the model says in one turn. */
type Turn = ModelEvent[] | ((signal: AbortSignal) => AsyncIterable<ModelEvent[]>);

/** Runs in this process, on a database of their own, with a scripted model and a tool that writes down its effects. */
export interface OpenRuns {
  readonly runs: Runs;
  readonly db: Db;
  readonly database: TestDatabase;
  readonly organizationId: string;
  readonly userId: string;
  readonly assistantId: number;
  /** The turns that the model will take, over all runs. */
  script: Turn[];
  readonly effects: string[];
  readonly errors: unknown[];
  /** With `approval`, its calls wait for a person. */
  start(input?: { approval?: boolean }): Promise<OwnedRun>;
  readAll(run: OwnedRun, after?: number): Promise<RunEvent[]>;
  statusOf(run: { id: string }): Promise<string | undefined>;
  close(): Promise<void>;
}

/** A call of the tool. */
export function callProbe(what: string): ModelEvent {
  return { type: 'tool_call', index: 0, id: `call-${what}`, name: 'probe', arguments: JSON.stringify({ what }) };
}

export function textOf(events: readonly RunEvent[]): string {
  return events.flatMap((event) => (event.type === 'text.delta' ? [event.text] : [])).join('');
}

/** Opens runs; there can be one of them in a process. */
export async function openRuns(): Promise<OpenRuns> {
  const database = await createTestDatabase({
    prepare: async (ownerUrl) => {
      await migrate(ownerUrl);
      await migrateRuns(ownerUrl);
    },
  });
  const db = openDatabase(database.appUrl);
  const { organizationId, userId, assistantId } = await furnish(db);
  const errors: unknown[] = [];
  const effects: string[] = [];
  const state: { script: Turn[] } = { script: [] };
  const runs = await createRuns({
    db,
    databaseUrl: database.appUrl,
    connections: 5,
    retentionDays: 30,
    prepare: createPreparation(() => state.script.shift(), effects, errors),
    onError: (error) => errors.push(error),
  });
  return {
    runs,
    db,
    database,
    organizationId,
    userId,
    assistantId,
    effects,
    errors,
    get script() {
      return state.script;
    },
    set script(turns) {
      state.script = turns;
    },
    start: (input = {}) => runs.start({ organizationId, assistantId, userId, input }),
    async readAll(run, after = 0) {
      const events: RunEvent[] = [];
      for await (const event of runs.read(run, after, new AbortController().signal)) events.push(event);
      return events;
    },
    statusOf: async ({ id }) => (await runs.find(organizationId, id))?.status,
    async close() {
      await runs.close();
      await db.destroy();
      await database.drop();
    },
  };
}

async function furnish(db: Db): Promise<{ organizationId: string; userId: string; assistantId: number }> {
  const { id: organizationId } = await db
    .insertInto('auth.organization')
    .values({ name: 'o', slug: 'o' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const { id: userId } = await db
    .insertInto('auth.user')
    .values({ email: 'u@o.test', name: 'u', role: null, banned: null, banExpires: null, lmsUserId: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  const assistant = await withTenant(db, organizationId, (tx) => createAssistant(tx, { ownerId: userId, name: 'a' }));
  return { organizationId, userId, assistantId: assistant.id };
}

function createPreparation(
  takeTurn: () => Turn | undefined,
  effects: string[],
  errors: unknown[],
): (run: OwnedRun) => Promise<PreparedRun> {
  const connector = defineConnector({
    name: 'scripted',
    title: 'Scripted',
    description: 'Says what the test wants.',
    requires: [],
    needsProvider: false,
    async *stream({ signal }) {
      const next = takeTurn() ?? [{ type: 'text', text: 'nothing more' }];
      if (typeof next === 'function') yield* next(signal);
      else yield next;
      yield [{ type: 'usage', promptTokens: 3, completionTokens: 2 }];
      yield [{ type: 'finish', reason: 'stop' }];
    },
  });
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
  return (run) => {
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
      endUser: { id: run.userId },
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
    } as unknown as PreparedRun['ports'] & TurnPorts;
    const request = { messages: [{ role: 'user' as const, content: 'Why?' }], sampling: {} };
    const [observe, leave] = [() => undefined, () => undefined];
    return Promise.resolve({ plan, request, ports, observe, leave, booked: () => Promise.resolve() });
  };
}
