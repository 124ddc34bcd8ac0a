import type { CollectionRanking } from '@lamb/store';

/** A query and which results answer it, by any id that the search gives back. */
export interface JudgedQuery {
  query: string;
  /** How relevant each result is; what is not named is not. */
  relevance: ReadonlyMap<string, number>;
}

/** The results of a query in their order, each once: by document where documents are judged. */
export type RankedSearch = (query: string, mode: 'lexical' | 'vector') => Promise<readonly string[]>;

export interface RankingFigures {
  ndcg10: number;
  recall10: number;
}

export interface TunedRanking extends RankingFigures {
  ranking: CollectionRanking;
  lexical: RankingFigures;
  vector: RankingFigures;
  /** All that was tried, best first. */
  tried: (RankingFigures & { ranking: CollectionRanking })[];
}

const SHARES = [0, 0.1, 0.2, 0.25, 0.33, 0.4, 0.5, 0.6, 0.67, 0.75, 0.8, 0.83, 0.86, 0.9, 0.95, 1];
const CONSTANTS = [1, 2, 5, 10, 20, 40, 60, 100];

/**
 * Finds the weights under which the judged queries are answered best. Each query is searched once by words and once by
 * vector; all weights are then tried on the two lists. Of equally good ones, the most balanced and commonest wins.
 */
export async function tuneRanking(judged: readonly JudgedQuery[], search: RankedSearch): Promise<TunedRanking> {
  if (judged.length === 0) throw new RangeError('To find weights, judged queries are needed: at least one.');
  const lists: { lexical: readonly string[]; vector: readonly string[]; relevance: ReadonlyMap<string, number> }[] = [];
  for (const { query, relevance } of judged) {
    const [lexical, vector] = await Promise.all([search(query, 'lexical'), search(query, 'vector')]);
    lists.push({ lexical, vector, relevance });
  }
  const tried = CONSTANTS.flatMap((rankConstant) =>
    SHARES.map((share) => {
      const ranking = { lexicalWeight: round(share), denseWeight: round(1 - share), rankConstant };
      const figures = average(
        lists.map(({ lexical, vector, relevance }) => judgeResults(fuseRanks(lexical, vector, ranking), relevance)),
      );
      return { ranking, ...figures };
    }),
  ).sort(compareTried);
  const [best] = tried;
  if (best === undefined) throw new Error('Nothing was tried.');
  return {
    ...best,
    lexical: average(lists.map(({ lexical, relevance }) => judgeResults(lexical, relevance))),
    vector: average(lists.map(({ vector, relevance }) => judgeResults(vector, relevance))),
    tried,
  };
}

/** Fuses two lists as the search does: weighted reciprocals of the ranks. */
export function fuseRanks(
  lexical: readonly string[],
  vector: readonly string[],
  { lexicalWeight, denseWeight, rankConstant }: CollectionRanking,
): string[] {
  const scores = new Map<string, number>();
  const add = (ids: readonly string[], weight: number): void => {
    if (weight === 0) return;
    for (const [index, id] of ids.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + weight / (rankConstant + index + 1));
    }
  };
  add(lexical, lexicalWeight);
  add(vector, denseWeight);
  return [...scores].sort(([, one], [, other]) => other - one).map(([id]) => id);
}

/** nDCG@10 and recall@10 of one query's results. */
export function judgeResults(results: readonly string[], relevance: ReadonlyMap<string, number>): RankingFigures {
  const gains = results.slice(0, 10).map((id) => relevance.get(id) ?? 0);
  const ideal = [...relevance.values()].filter((each) => each > 0).sort((one, other) => other - one);
  if (ideal.length === 0) return { ndcg10: 0, recall10: 0 };
  return {
    ndcg10: discount(gains) / discount(ideal.slice(0, 10)),
    recall10: gains.filter((gain) => gain > 0).length / ideal.length,
  };
}

function discount(gains: readonly number[]): number {
  return gains.reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);
}

function average(figures: readonly RankingFigures[]): RankingFigures {
  const mean = (read: (each: RankingFigures) => number) =>
    figures.reduce((sum, each) => sum + read(each), 0) / figures.length;
  return { ndcg10: mean((each) => each.ndcg10), recall10: mean((each) => each.recall10) };
}

function compareTried(one: TunedRanking['tried'][number], other: TunedRanking['tried'][number]): number {
  // Differences below a thousandth are chance: then the less extreme.
  const ndcg = Math.round(other.ndcg10 * 1000) - Math.round(one.ndcg10 * 1000);
  if (ndcg !== 0) return ndcg;
  const recall = Math.round(other.recall10 * 1000) - Math.round(one.recall10 * 1000);
  if (recall !== 0) return recall;
  return distanceFromUsual(one.ranking) - distanceFromUsual(other.ranking);
}

function distanceFromUsual({ lexicalWeight, rankConstant }: CollectionRanking): number {
  return Math.abs(lexicalWeight - 2 / 3) + Math.abs(Math.log10(rankConstant / 10)) / 10;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
