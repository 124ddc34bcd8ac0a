import { judgeResults, tuneRanking, type RankingFigures } from '@lamb/knowledge';
import type { CollectionRanking } from '@lamb/store';
import { spawnLlmServer } from '@lamb/testing';
import { startLamb } from '../load/start-lamb.ts';
import { addJudgedDocuments } from './add-judged-documents.ts';
import { readJudgedData, type JudgedData } from './read-judged-data.ts';

const AT_ONCE = 4;

type Queries = JudgedData['queries'];

/** How well judged queries are answered through the API: by words, by vector, by both, and by both with tuned weights. */
export async function benchRetrievalQuality({ isSmoke, data }: { isSmoke: boolean; data?: string }): Promise<string> {
  if (data === undefined) {
    throw new Error(
      'Say where the judged documents are: --data <folder with docs.jsonl, queries.jsonl and qrels.tsv>.',
    );
  }
  const judged = await readJudgedData(data);
  const queries = isSmoke ? judged.queries.slice(0, 30) : judged.queries;
  const llm = await spawnLlmServer();
  const lamb = await startLamb({
    llmUrl: llm.url,
    settings: { shared_buffers: '256MB' },
    assistant: { template: '{user_input}', tools: () => [] },
  });
  try {
    const started = performance.now();
    const { collectionId, chunks } = await addJudgedDocuments(lamb.appUrl, lamb.tenant, judged.documents);
    const indexSeconds = (performance.now() - started) / 1000;
    const search = async (query: string, options: object): Promise<string[]> => {
      const response = await fetch(`${lamb.server.url}/lamb/v1/collections/${String(collectionId)}/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${lamb.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, top_k: 50, ...options }),
      });
      if (!response.ok) throw new Error(`The search failed with ${String(response.status)}: ${await response.text()}`);
      const { hits } = (await response.json()) as { hits: { filename: string }[] };
      // Documents are judged, and a document may have several passages.
      return [...new Set(hits.map((hit) => hit.filename))];
    };
    const measure = (asked: Queries, options: object): Promise<RankingFigures> =>
      averageOver(asked, (query) => search(query, options));
    const tune = (asked: Queries) => tuneRanking(asked, (query, mode) => search(query, { mode }));

    const lexical = await measure(queries, { mode: 'lexical' });
    const vector = await measure(queries, { mode: 'vector' });
    const hybrid = await measure(queries, {});
    const tuned = await tune(queries);
    const hybridTuned = await measure(queries, { ranking: toWire(tuned.ranking) });
    // Weights found on one half, measured on the other: what somebody may expect for questions that nobody judged.
    const halves = [
      queries.filter((_each, index) => index % 2 === 0),
      queries.filter((_each, index) => index % 2 === 1),
    ];
    const crossed = await Promise.all(
      halves.map(async (half, index) => {
        const { ranking } = await tune(halves[1 - index] ?? []);
        return await measure(half, { ranking: toWire(ranking) });
      }),
    );
    const { lexicalWeight, denseWeight, rankConstant } = tuned.ranking;
    return [
      `documents=${String(judged.documents.length)} chunks=${String(chunks)} queries=${String(queries.length)} index_s=${indexSeconds.toFixed(0)}`,
      `lexical: ${show(lexical)}`,
      `vector: ${show(vector)}`,
      `hybrid, as collections begin (2 : 1, k 10): ${show(hybrid)}`,
      `hybrid, tuned (${String(lexicalWeight)} : ${String(denseWeight)}, k ${String(rankConstant)}): ${show(hybridTuned)}`,
      `hybrid, tuned on the other half of the queries: ${show(average(crossed))}`,
      `lexical_ndcg=${lexical.ndcg10.toFixed(3)} hybrid_tuned_ndcg=${hybridTuned.ndcg10.toFixed(3)} best_single_ndcg=${Math.max(lexical.ndcg10, vector.ndcg10).toFixed(3)}`,
    ].join('\n');
  } finally {
    await lamb.stop();
    await llm.stop();
  }
}

async function averageOver(queries: Queries, search: (query: string) => Promise<string[]>): Promise<RankingFigures> {
  const figures: RankingFigures[] = [];
  const waiting = queries.values();
  const work = async (): Promise<void> => {
    for (const { query, relevance } of waiting) figures.push(judgeResults(await search(query), relevance));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return average(figures);
}

function average(figures: readonly RankingFigures[]): RankingFigures {
  const mean = (read: (each: RankingFigures) => number): number =>
    figures.reduce((sum, each) => sum + read(each), 0) / figures.length;
  return { ndcg10: mean((each) => each.ndcg10), recall10: mean((each) => each.recall10) };
}

function toWire({ lexicalWeight, denseWeight, rankConstant }: CollectionRanking) {
  return { lexical_weight: lexicalWeight, dense_weight: denseWeight, rank_constant: rankConstant };
}

function show({ ndcg10, recall10 }: RankingFigures): string {
  return `nDCG@10=${ndcg10.toFixed(3)} recall@10=${recall10.toFixed(3)}`;
}
