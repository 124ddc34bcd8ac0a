import type { Ranking } from '@lamb/contract';
import { spawnLlmServer } from '@lamb/testing';
import { averageQuality, measureRanking, type RankingQuality } from '../../../apps/cli/src/kb/measure-ranking.ts';
import { readJudgedQueries, type JudgedQuery } from '../../../apps/cli/src/kb/read-judged-queries.ts';
import { tuneRanking, type Found, type JudgedSearch } from '../../../apps/cli/src/kb/tune-ranking.ts';
import { startLamb } from '../load/start-lamb.ts';
import { addJudgedDocuments } from './add-judged-documents.ts';
import { readDocuments } from './read-documents.ts';

const AT_ONCE = 4;

/** How well judged queries are answered through the API: by words, by vector, by both, and by both with the weights that `lamb kb tune` finds. */
export async function benchRetrievalQuality({ isSmoke, data }: { isSmoke: boolean; data?: string }): Promise<string> {
  if (data === undefined) {
    throw new Error(
      'Say where the judged documents are: --data <folder with docs.jsonl, queries.jsonl and qrels.tsv>.',
    );
  }
  const documents = await readDocuments(data);
  const judged = await readJudgedQueries([data]);
  const queries = isSmoke ? judged.slice(0, 30) : judged;
  const llm = await spawnLlmServer();
  const lamb = await startLamb({
    llmUrl: llm.url,
    settings: { shared_buffers: '256MB' },
    assistant: { template: '{user_input}', tools: () => [] },
  });
  try {
    const started = performance.now();
    const { collectionId, chunks } = await addJudgedDocuments(lamb.appUrl, lamb.tenant, documents);
    const indexSeconds = (performance.now() - started) / 1000;
    const search = async (query: string, options: object): Promise<Found[]> => {
      const response = await fetch(`${lamb.server.url}/lamb/v1/collections/${String(collectionId)}/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${lamb.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, top_k: 100, ...options }),
      });
      if (!response.ok) throw new Error(`The search failed with ${String(response.status)}: ${await response.text()}`);
      const { hits } = (await response.json()) as { hits: { chunk_id: string; filename: string }[] };
      return hits.map(({ chunk_id, filename }) => ({ chunk: chunk_id, document: filename }));
    };
    const measure = async (asked: readonly JudgedQuery[], options: object): Promise<RankingQuality> =>
      averageQuality(
        await forEach(asked, async ({ text, judgements }) => judge(await search(text, options), judgements)),
      );

    const searches = await forEach(queries, async ({ text, judgements }) => ({
      judgements,
      lexical: await search(text, { mode: 'lexical' }),
      dense: await search(text, { mode: 'vector' }),
    }));
    const average = (choose: (search: JudgedSearch) => readonly Found[]): RankingQuality =>
      averageQuality(searches.map((each) => judge(choose(each), each.judgements)));
    const lexical = average((each) => each.lexical);
    const vector = average((each) => each.dense);
    const hybrid = await measure(queries, {});
    const { ranking } = tuneRanking(searches);
    const tuned = await measure(queries, { ranking });
    // Weights found on one half, measured on the other: what somebody may expect for questions that nobody judged.
    const isEven = (_each: unknown, index: number): boolean => index % 2 === 0;
    const isOdd = (_each: unknown, index: number): boolean => index % 2 === 1;
    const crossed = averageQuality([
      await measure(queries.filter(isEven), { ranking: tuneRanking(searches.filter(isOdd)).ranking }),
      await measure(queries.filter(isOdd), { ranking: tuneRanking(searches.filter(isEven)).ranking }),
    ]);
    return [
      `documents=${String(documents.length)} chunks=${String(chunks)} queries=${String(queries.length)} index_s=${indexSeconds.toFixed(0)}`,
      `lexical: ${show(lexical)}`,
      `vector: ${show(vector)}`,
      `hybrid, as collections begin (2 : 1, k 10): ${show(hybrid)}`,
      `hybrid, tuned (${weigh(ranking)}): ${show(tuned)}`,
      `hybrid, tuned on the other half of the queries: ${show(crossed)}`,
      `lexical_ndcg=${lexical.ndcg.toFixed(3)} hybrid_tuned_ndcg=${tuned.ndcg.toFixed(3)} best_single_ndcg=${Math.max(lexical.ndcg, vector.ndcg).toFixed(3)}`,
    ].join('\n');
  } finally {
    await lamb.stop();
    await llm.stop();
  }
}

/** Documents are judged, and a document may have several passages. */
function judge(found: readonly Found[], judgements: ReadonlyMap<string, number>): RankingQuality {
  return measureRanking([...new Set(found.map(({ document }) => document))], judgements);
}

async function forEach<Result>(
  queries: readonly JudgedQuery[],
  work: (query: JudgedQuery) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = queries.entries();
  const take = async (): Promise<void> => {
    for (const [index, query] of waiting) results[index] = await work(query);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  return results;
}

function weigh({ lexical_weight, dense_weight, rank_constant }: Ranking): string {
  return `${String(lexical_weight)} : ${String(dense_weight)}, k ${String(rank_constant)}`;
}

function show({ ndcg, recall }: RankingQuality): string {
  return `nDCG@10=${ndcg.toFixed(3)} recall@10=${recall.toFixed(3)}`;
}
