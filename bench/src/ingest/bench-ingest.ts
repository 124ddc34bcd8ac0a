import { createCollection, createDocument, openDatabase, withTenant, type Db } from '@lamb/store';
import { spawnLlmServer } from '@lamb/testing';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { makeLongPdf } from '../../../apps/server/src/knowledge/__fixtures__/make-long-pdf.ts';
import { startIngestion } from '../../../apps/server/src/knowledge/start-ingestion.ts';
import { startLamb } from '../load/start-lamb.ts';
import { readFamilyCpu } from './read-family-cpu.ts';

const LINES = 40;
const SAMPLE_MS = 50;
const DIMENSIONS = 1536;

interface Tenant {
  readonly organizationId: string;
  readonly ownerId: string;
}

/** Pages a second that one server reads in, from the upload to where they are searched, with a provider that answers at once; and where the time goes. */
export async function benchIngest({ isSmoke }: { isSmoke: boolean }): Promise<string> {
  const [documents, pages] = isSmoke ? [2, 10] : [10, 100];
  const llm = await spawnLlmServer();
  const lamb = await startLamb({ llmUrl: llm.url, assistant: { template: '{user_input}', tools: () => [] } });
  const db = openDatabase(lamb.appUrl);
  try {
    const collectionId = await withTenant(db, lamb.tenant.organizationId, async (tx) => {
      const embedding = { provider: 'openai', model: 'text-embedding-3-small', dimensions: DIMENSIONS };
      return (await createCollection(tx, { ownerId: lamb.tenant.ownerId, name: 'bench', embedding })).id;
    });
    const before = await measure(lamb.server.pid, llm.pid, lamb.adminUrl);
    const started = performance.now();
    for (let n = 0; n < documents; n += 1) await add(db, lamb.tenant, collectionId, n, pages);
    const { seconds, shares, chunks } = await follow(db, lamb.tenant, started, documents);
    const after = await measure(lamb.server.pid, llm.pid, lamb.adminUrl);
    const spent = (name: keyof typeof before) => (after[name] - before[name]).toFixed(1);
    return [
      `documents=${String(documents)} pages=${String(documents * pages)} chunks=${String(chunks)} dimensions=${String(DIMENSIONS)}`,
      `cpu_s: server=${spent('server')} readers=${spent('readers')} postgresql=${spent('postgresql')} provider=${spent('provider')}`,
      `share of the documents' time: ${shares}`,
      `seconds=${seconds.toFixed(1)} pages_per_s=${((documents * pages) / seconds).toFixed(1)}`,
    ].join('\n');
  } finally {
    await db.destroy();
    await lamb.stop();
    await llm.stop();
  }
}

async function add(db: Db, { organizationId }: Tenant, collectionId: number, n: number, pages: number): Promise<void> {
  // Each its own: the same content twice is one document.
  const content = Buffer.concat([makeLongPdf(pages, LINES), Buffer.from(`\n%${String(n)}`)]);
  await withTenant(db, organizationId, async (tx) => {
    const { document } = await createDocument(tx, {
      collectionId,
      filename: `${String(n)}.pdf`,
      mediaType: 'application/pdf',
      content,
    });
    await startIngestion(tx, document);
  });
}

/** Looks at the documents until all are ready. */
async function follow(db: Db, { organizationId }: Tenant, started: number, documents: number) {
  const samples = { extracting: 0, embedding: 0 };
  for (;;) {
    const rows = await withTenant(db, organizationId, (tx) =>
      tx.selectFrom('lamb.documents').select(['status', 'problem', 'chunk_count']).execute(),
    );
    const failed = rows.find(({ status }) => status === 'failed');
    if (failed) throw new Error(`A document was not read in: ${failed.problem ?? ''}`);
    for (const { status } of rows) if (status === 'extracting' || status === 'embedding') samples[status] += 1;
    if (rows.length === documents && rows.every(({ status }) => status === 'ready')) {
      const total = samples.extracting + samples.embedding;
      const share = (name: keyof typeof samples) =>
        `${name}=${((samples[name] / Math.max(1, total)) * 100).toFixed(0)}%`;
      return {
        seconds: (performance.now() - started) / 1000,
        shares: `${share('extracting')} ${share('embedding')}`,
        chunks: rows.reduce((sum, row) => sum + row.chunk_count, 0),
      };
    }
    await wait(SAMPLE_MS);
  }
}

/** CPU seconds so far, of everybody who takes part. */
async function measure(serverPid: number, providerPid: number, adminUrl: string) {
  const [server, provider, postgresql] = await Promise.all([
    readFamilyCpu(serverPid),
    readFamilyCpu(providerPid),
    readFamilyCpu(await findPostmaster(adminUrl)),
  ]);
  return {
    server: server.own,
    readers: server.descendants,
    provider: provider.own,
    postgresql: postgresql.own + postgresql.descendants,
  };
}

async function findPostmaster(adminUrl: string): Promise<number> {
  const client = new pg.Client(adminUrl);
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const stat = await readFile(`/proc/${String(rows[0]?.pid)}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } finally {
    await client.end();
  }
}
