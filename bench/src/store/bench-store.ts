import {
  digestApiKey,
  findApiKeyByDigest,
  getAssistantAccess,
  listAssistants,
  migrate,
  openDatabase,
  requireIsolatedRole,
  withTenant,
  type AssistantScope,
  type AssistantSort,
  type Db,
} from '@lamb/store';
import { createTestDatabase, startCluster } from '@lamb/testing';
import pg from 'pg';
import { percentile } from '../load/percentile.ts';
import { fillStore, fullScale, nameKey, type StoreScale } from './fill-store.ts';

const CONCURRENT = 4;
const PAGE = 50;
const WARM_UP = 40;
const SCOPES: readonly AssistantScope[] = ['mine', 'shared', 'published', 'visible', 'organization'];
const SORTS: readonly AssistantSort[] = ['updated', 'created', 'name'];

/** An assistant of a random organisation and a teacher of the same, drawn by the number of assistants: large ones come more often. */
interface Visit {
  organizationId: string;
  assistantId: number;
  viewerId: string;
}

/** The time of the reads behind every request, as the application's role and with row-level security, in a database of the size that one installation may have. */
export async function benchStore({ isSmoke }: { isSmoke: boolean }): Promise<string> {
  const scale: StoreScale = isSmoke ? { organizations: 50, assistants: 4000, users: 20_000 } : fullScale;
  const samples = isSmoke ? 200 : 2000;
  const cluster = await startCluster({ settings: { shared_buffers: '512MB', max_wal_size: '8GB', jit: 'off' } });
  try {
    const database = await createTestDatabase({
      clusterUrl: cluster.adminUrl,
      prepare: async (ownerUrl) => {
        await migrate(ownerUrl);
      },
    });
    const started = performance.now();
    await fillStore(database.adminUrl, scale);
    const fillSeconds = (performance.now() - started) / 1000;
    const visits = await drawVisits(database.adminUrl, samples);
    const db = openDatabase(database.appUrl, { maxConnections: CONCURRENT });
    try {
      await requireIsolatedRole(db);
      return [
        `organizations=${String(scale.organizations)} assistants=${String(scale.assistants)} users=${String(scale.users)}`,
        `fill_s=${fillSeconds.toFixed(0)} samples=${String(samples)} concurrent=${String(CONCURRENT)} page=${String(PAGE)}`,
        ...(await measure(db, visits, scale)),
      ].join('\n');
    } finally {
      await db.destroy();
    }
  } finally {
    await cluster.stop();
  }
}

async function measure(db: Db, visits: readonly Visit[], scale: StoreScale): Promise<string[]> {
  const lines: string[] = [];
  const report = (name: string, times: readonly number[]): number => {
    const [p50 = 0, p95 = 0, p99 = 0] = [0.5, 0.95, 0.99].map((share) => percentile(times, share));
    lines.push(
      `${name}: p50=${p50.toFixed(2)} p95=${p95.toFixed(2)} p99=${p99.toFixed(2)} ms, ${String(times.length)} samples`,
    );
    return p95;
  };
  const lists: number[] = [];
  for (const scope of SCOPES) {
    for (const sort of SORTS) {
      const times = await sample(visits, (visit, clock) => listPages(db, visit, { scope, sort }, clock));
      lists.push(report(`list ${scope} by ${sort}`, times));
    }
  }
  const searched = { scope: 'organization', sort: 'updated', search: 'nothing like it' } as const;
  const searches = await sample(visits, (visit, clock) => listPages(db, visit, searched, clock));
  lists.push(report('list organization, a search that finds nothing', searches));
  const gets = await sample(visits, async ({ organizationId, assistantId, viewerId }, clock) => {
    const found = await clock(() =>
      withTenant(db, organizationId, (tx) => getAssistantAccess(tx, assistantId, viewerId)),
    );
    if (found === undefined) throw new Error(`Assistant ${String(assistantId)} was not found.`);
  });
  const get = report('get', gets);
  const keys = await sample(visits, async (_visit, clock) => {
    const user = Math.floor((Math.random() * scale.users) / 20) * 20;
    const found = await clock(() => findApiKeyByDigest(db, digestApiKey(nameKey(user))));
    if (found === undefined) throw new Error(`The key of user ${String(user)} was not found.`);
  });
  const key = report('key', keys);
  const list = Math.max(...lists);
  return [...lines, `list_p95_ms=${list.toFixed(2)} get_p95_ms=${get.toFixed(2)} key_p95_ms=${key.toFixed(2)}`];
}

type Clock = <Result>(read: () => Promise<Result>) => Promise<Result>;

/** The first page and, where there is one, the second: a sample each. */
async function listPages(
  db: Db,
  { organizationId, viewerId }: Visit,
  wanted: { scope: AssistantScope; sort: AssistantSort; search?: string },
  clock: Clock,
): Promise<void> {
  const read = (cursor?: string) =>
    clock(() =>
      withTenant(db, organizationId, (tx) => listAssistants(tx, { ...wanted, viewerId, limit: PAGE, cursor })),
    );
  const { nextCursor } = await read();
  if (nextCursor !== null) await read(nextCursor);
}

/** Makes all visits, `CONCURRENT` at a time, and gives the milliseconds of every read that was clocked. */
async function sample(
  visits: readonly Visit[],
  make: (visit: Visit, clock: Clock) => Promise<void>,
): Promise<number[]> {
  // Connections prepare their statements and caches fill in the first few.
  for (const visit of visits.slice(0, WARM_UP)) await make(visit, (read) => read());
  const times: number[] = [];
  const clock: Clock = async (read) => {
    const started = performance.now();
    const result = await read();
    times.push(performance.now() - started);
    return result;
  };
  const waiting = visits.values();
  const work = async (): Promise<void> => {
    for (const visit of waiting) await make(visit, clock);
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  return times;
}

async function drawVisits(adminUrl: string, count: number): Promise<Visit[]> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ organizationId: string; assistantId: string; viewerId: string }>(
      `select organization_id as "organizationId", id as "assistantId", viewer as "viewerId"
       from (
         select organization_id, id, lead(owner_id) over (partition by organization_id order by random()) as viewer
         from lamb.assistants where deleted_at is null
       ) drawn
       where viewer is not null order by random() limit $1`,
      [count],
    );
    return rows.map((row) => ({ ...row, assistantId: Number(row.assistantId) }));
  } finally {
    await client.end();
  }
}
