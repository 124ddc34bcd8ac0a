import type { RunEvent } from '@lamb/contract';
import type { Effect, RecordedRequest } from '@lamb/testing';
import pg from 'pg';
import type { World } from './open-world.ts';

/** What is left after the chaos, from all who know something of it. */
export interface Facts {
  readonly effects: readonly Effect[];
  readonly requests: readonly RecordedRequest[];
  readonly runs: readonly { id: string; status: string; chatId: string | null; number: number }[];
  readonly logs: ReadonlyMap<string, readonly RunEvent[]>;
  readonly messages: readonly { chatId: string; runId: string; role: string; content: string }[];
  readonly usage: readonly UsageRow[];
  readonly budget: Budget;
  readonly left: Leftovers;
}

export interface UsageRow {
  readonly runId: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly outcome: string;
  readonly estimated: boolean;
}

/** What the counter of the organisation says, beside the ledger. */
export interface Budget {
  readonly settled: number;
  readonly booked: number;
  readonly reserved: number;
  readonly reservations: number;
}

/** What should have gone when all is over. */
export interface Leftovers {
  readonly leases: number;
  readonly workflows: number;
  readonly deadExecutors: number;
}

/** Asks the ledger, the model and, past all doors, the database. */
export async function collectFacts(world: World): Promise<Facts> {
  const [effects, requests] = await Promise.all([
    readJson<Effect[]>(`${world.ledger.url}/effects`),
    readJson<RecordedRequest[]>(`${world.model.url}/__requests`),
  ]);
  return await withAdmin(world, async (client) => {
    const runs = await client.query<Facts['runs'][number]>(
      `select id, status, chat_id as "chatId",
         (regexp_match(input::text, 'This is run <(\\d+)>'))[1]::integer as number from lamb.runs`,
    );
    const events = await client.query<{ event: RunEvent }>('select event from lamb.run_events order by run_id, seq');
    const messages = await client.query<Facts['messages'][number]>(
      `select chat_id as "chatId", run_id as "runId", message ->> 'role' as role, message ->> 'content' as content
       from lamb.chat_messages`,
    );
    const usage = await client.query<UsageRow>(
      `select run_id as "runId", prompt_tokens as "promptTokens", completion_tokens as "completionTokens", outcome, estimated
       from lamb.usage_ledger`,
    );
    return {
      effects,
      requests,
      runs: runs.rows,
      logs: Map.groupBy(
        events.rows.map(({ event }) => event),
        ({ run_id: runId }) => runId,
      ),
      messages: messages.rows,
      usage: usage.rows,
      budget: await readBudget(client),
      left: await countLeftovers(client),
    };
  });
}

/** What is still under way. */
export async function readLeftovers(world: World): Promise<Leftovers> {
  return await withAdmin(world, countLeftovers);
}

/** The connections of the servers that are still open. */
export async function countConnections(world: World): Promise<number> {
  return await withAdmin(world, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::integer as count from pg_stat_activity where datname = $1 and usename = 'lamb_app'`,
      [world.database.name],
    );
    return rows[0]?.count ?? 0;
  });
}

async function readBudget(client: pg.Client): Promise<Budget> {
  const { rows } = await client.query<Budget>(
    `select c.settled_tokens::integer as settled, c.reserved_tokens::integer as reserved,
       (select sum(total_tokens) from lamb.usage_ledger)::integer as booked,
       (select count(*) from lamb.budget_reservations)::integer as reservations
     from lamb.budget_counters c where c.subject_id = c.organization_id`,
  );
  return rows[0] ?? { settled: -1, booked: -1, reserved: -1, reservations: -1 };
}

async function countLeftovers(client: pg.Client): Promise<Leftovers> {
  const { rows } = await client.query<Leftovers>(
    `select (select count(*) from ops.run_leases)::integer as leases,
       (select count(*) from dbos.workflow_status where status in ('PENDING', 'ENQUEUED'))::integer as workflows,
       (select count(*) from ops.executors where seen_at < now() - interval '20 s')::integer as "deadExecutors"`,
  );
  return rows[0] ?? { leases: -1, workflows: -1, deadExecutors: -1 };
}

async function withAdmin<Result>(world: World, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: world.database.adminUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function readJson<Body>(url: string): Promise<Body> {
  return (await (await fetch(url)).json()) as Body;
}
