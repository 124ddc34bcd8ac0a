import { formatVector, keepVectorIndexes, openDatabase } from '@lamb/store';
import { embedText, spawnLlmServer } from '@lamb/testing';
import pg from 'pg';
import { percentile } from '../load/percentile.ts';
import { startLamb } from '../load/start-lamb.ts';
import { findNearest, searchBare } from './bare-search.ts';
import { DIMENSIONS, fillChunks, type WantedCollection } from './fill-chunks.ts';
import { createRandom, makeQuery } from './make-passages.ts';

/** How many collections of which size; the largest has a vector index. */
interface Scale {
  small: { collections: number; chunks: number };
  middle: { collections: number; chunks: number };
  large: number;
  samples: number;
}

const fullScale: Scale = {
  small: { collections: 490, chunks: 204 },
  middle: { collections: 10, chunks: 10_000 },
  large: 100_000,
  samples: 300,
};
const smokeScale: Scale = {
  small: { collections: 20, chunks: 50 },
  middle: { collections: 2, chunks: 500 },
  large: 2000,
  samples: 20,
};
const TOP_K = 10;
const WARM_UP = 10;

interface HitBody {
  hits: { chunk_id: string }[];
  milliseconds: { embedding: number; search: number };
}

/** A hybrid search through the API against the same search as bare SQL, in turns, with row-level security on in both. */
export async function benchRetrieval({ isSmoke }: { isSmoke: boolean }): Promise<string> {
  const scale = isSmoke ? smokeScale : fullScale;
  const llm = await spawnLlmServer();
  const lamb = await startLamb({
    llmUrl: llm.url,
    settings: { shared_buffers: '512MB', max_wal_size: '4GB' },
    assistant: { template: '{user_input}', tools: () => [] },
  });
  const bare = new pg.Client({ connectionString: lamb.appUrl });
  try {
    const started = performance.now();
    const { small, middle, large } = scale;
    const wanted: WantedCollection[] = [
      ...Array.from({ length: small.collections }, () => ({ ...lamb.tenant, chunks: small.chunks })),
      ...Array.from({ length: middle.collections }, () => ({ ...lamb.tenant, chunks: middle.chunks })),
      { ...lamb.tenant, chunks: large },
    ];
    const ids = await fillChunks(lamb.adminUrl, wanted);
    const filled = performance.now();
    await buildIndex(lamb.adminUrl, lamb.appUrl, ids.at(-1) ?? 0);
    const built = performance.now();
    await bare.connect();
    await bare.query(`select set_config('app.org_id', $1, false)`, [lamb.tenant.organizationId]);
    await bare.query(`set jit = off; set hnsw.ef_search = 200`);
    const lines = [
      `chunks=${String(wanted.reduce((sum, { chunks }) => sum + chunks, 0))} collections=${String(wanted.length)} dimensions=${String(DIMENSIONS)} samples=${String(scale.samples)}`,
      `fill_s=${((filled - started) / 1000).toFixed(0)} vector_index_s=${((built - filled) / 1000).toFixed(1)}`,
    ];
    const measure = async (name: string, ofSize: readonly number[], isIndexed: boolean): Promise<number> => {
      const figures = await compare({ bare, lamb, ids: ofSize, isIndexed, samples: scale.samples });
      lines.push(`${name}: ${figures.text}`);
      return figures.ratio;
    };
    await measure(`${String(small.chunks)} chunks`, ids.slice(0, small.collections), false);
    const ratio = await measure(`${String(middle.chunks)} chunks`, ids.slice(small.collections, -1), false);
    await measure(`${String(large)} chunks`, ids.slice(-1), true);
    const recall = await measureRecall({ bare, lamb, id: ids.at(-1) ?? 0, samples: Math.min(100, scale.samples) });
    lines.push(`recall@10 of the vector index against comparing with all: ${recall.toFixed(3)}`);
    return [...lines, `ratio=${ratio.toFixed(2)} recall=${recall.toFixed(3)}`].join('\n');
  } finally {
    await bare.end();
    await lamb.stop();
    await llm.stop();
  }
}

async function buildIndex(adminUrl: string, appUrl: string, collectionId: number): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query('insert into ops.vector_indexes (collection_id, wanted_dimensions) values ($1, $2)', [
    collectionId,
    DIMENSIONS,
  ]);
  await admin.end();
  const db = openDatabase(appUrl);
  const steps = await keepVectorIndexes(db);
  await db.destroy();
  if (steps[0]?.outcome !== 'built') throw new Error(`The vector index was not built: ${JSON.stringify(steps)}`);
}

type Lamb = Awaited<ReturnType<typeof startLamb>>;

async function compare(setup: {
  bare: pg.Client;
  lamb: Lamb;
  ids: readonly number[];
  isIndexed: boolean;
  samples: number;
}): Promise<{ text: string; ratio: number }> {
  const { bare, lamb, ids, isIndexed, samples } = setup;
  const random = createRandom(ids.length);
  const times = { api: [] as number[], search: [] as number[], bare: [] as number[], embedding: [] as number[] };
  for (let round = -WARM_UP; round < samples; round++) {
    const query = makeQuery(random);
    const collectionId = ids[Math.floor(random() * ids.length)] ?? 0;
    const vector = formatVector(embedText(query, DIMENSIONS));
    // In turns, and each first as often as the other: what one reads is in the cache for the next.
    const runBare = async (): Promise<number> => {
      const started = performance.now();
      await searchBare(bare, { collectionId, query, vector, isIndexed, dimensions: DIMENSIONS });
      return performance.now() - started;
    };
    const runApi = async (): Promise<{ total: number; body: HitBody }> => {
      const started = performance.now();
      const body = await askApi(lamb, collectionId, { query, top_k: TOP_K });
      return { total: performance.now() - started, body };
    };
    const bareFirst = round % 2 === 0;
    const before = bareFirst ? await runBare() : 0;
    const { total, body } = await runApi();
    const bareTime = bareFirst ? before : await runBare();
    if (round < 0) continue;
    times.bare.push(bareTime);
    times.api.push(total - body.milliseconds.embedding);
    times.search.push(body.milliseconds.search);
    times.embedding.push(body.milliseconds.embedding);
  }
  const show = (name: keyof typeof times): string =>
    `${name} p50=${percentile(times[name], 0.5).toFixed(2)} p99=${percentile(times[name], 0.99).toFixed(2)}`;
  const ratio = percentile(times.api, 0.5) / percentile(times.bare, 0.5);
  return {
    text: `${show('api')}, ${show('bare')}, ${show('search')}, ${show('embedding')} ms, ratio=${ratio.toFixed(2)}`,
    ratio,
  };
}

async function measureRecall(setup: { bare: pg.Client; lamb: Lamb; id: number; samples: number }): Promise<number> {
  const random = createRandom(99);
  let found = 0;
  for (let round = 0; round < setup.samples; round++) {
    const query = makeQuery(random);
    const vector = formatVector(embedText(query, DIMENSIONS));
    const nearest = await findNearest(setup.bare, { collectionId: setup.id, vector, count: TOP_K });
    const { hits } = await askApi(setup.lamb, setup.id, { query, top_k: TOP_K, mode: 'vector' });
    found += hits.filter((hit) => nearest.includes(hit.chunk_id)).length;
  }
  return found / (setup.samples * TOP_K);
}

async function askApi(lamb: Lamb, collectionId: number, body: object): Promise<HitBody> {
  const response = await fetch(`${lamb.server.url}/lamb/v1/collections/${String(collectionId)}/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${lamb.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`The search failed with ${String(response.status)}: ${await response.text()}`);
  return (await response.json()) as HitBody;
}
