import type { Ranking } from '@lamb/contract';
import { averageQuality, measureRanking, type RankingQuality } from './measure-ranking.ts';

/** What was found for a question by its words alone and by its meaning alone, best first, and what would have been right. */
export interface JudgedSearch {
  readonly lexical: readonly Found[];
  readonly dense: readonly Found[];
  readonly judgements: ReadonlyMap<string, number>;
}

/** A passage, and what the judgements call its document. */
export interface Found {
  readonly chunk: string;
  readonly document: string;
}

const SHARES = [0, 1 / 9, 1 / 5, 1 / 4, 1 / 3, 2 / 5, 1 / 2, 3 / 5, 2 / 3, 3 / 4, 4 / 5, 8 / 9, 19 / 20, 1];
const CONSTANTS = [1, 2, 5, 10, 20, 40, 60, 100];

/** Tries the weights of words and meaning that make a difference, and gives those under which the right documents come first. */
export function tuneRanking(searches: readonly JudgedSearch[]): Tried {
  const tried = SHARES.flatMap((share) =>
    // With one list only, the constant changes nothing.
    (share === 0 || share === 1 ? [10] : CONSTANTS).map((rank_constant) => {
      const ranking = { lexical_weight: round(share * 9), dense_weight: round((1 - share) * 9), rank_constant };
      return { ranking, quality: averageQuality(searches.map((search) => judge(search, ranking))) };
    }),
  );
  return tried.reduce((best, each) => (isBetter(each, best) ? each : best));
}

interface Tried {
  readonly ranking: Ranking;
  readonly quality: RankingQuality;
}

/** Below a thousandth it is chance; then what is nearer to the usual weights is better. */
function isBetter(one: Tried, other: Tried): boolean {
  const difference = Math.round(one.quality.ndcg * 1000) - Math.round(other.quality.ndcg * 1000);
  return difference === 0 ? distanceFromUsual(one.ranking) < distanceFromUsual(other.ranking) : difference > 0;
}

function distanceFromUsual({ lexical_weight, rank_constant }: Ranking): number {
  return Math.abs(lexical_weight / 9 - 2 / 3) + Math.abs(Math.log10(rank_constant / 10)) / 10;
}

function judge({ lexical, dense, judgements }: JudgedSearch, ranking: Ranking): RankingQuality {
  const scores = new Map<string, { document: string; score: number }>();
  const count = (list: readonly Found[], weight: number) => {
    if (weight === 0) return;
    for (const [index, { chunk, document }] of list.entries()) {
      const score = (scores.get(chunk)?.score ?? 0) + weight / (ranking.rank_constant + index + 1);
      scores.set(chunk, { document, score });
    }
  };
  count(lexical, ranking.lexical_weight);
  count(dense, ranking.dense_weight);
  const ordered = [...scores.values()].toSorted((a, b) => b.score - a.score).map(({ document }) => document);
  return measureRanking([...new Set(ordered)], judgements);
}

function round(weight: number): number {
  return Math.round(weight * 100) / 100;
}
