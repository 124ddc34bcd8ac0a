import type { CollectionHit, Ranking } from '@lamb/contract';

/** How much of a score comes from the words and how much from the meaning; both together are the score. */
export function weighHit(
  { score, lexical_rank: lexical, dense_rank: dense }: Pick<CollectionHit, 'score' | 'lexical_rank' | 'dense_rank'>,
  ranking: Ranking,
): { words: number; meaning: number } {
  const part = (weight: number, rank: number | null) => (rank === null ? 0 : weight / (ranking.rank_constant + rank));
  const words = part(ranking.lexical_weight, lexical);
  const meaning = part(ranking.dense_weight, dense);
  const sum = words + meaning;
  // In a search by one of the two only, the other has no rank, whatever its weight.
  return sum === 0
    ? { words: lexical === null ? 0 : score, meaning: lexical === null ? score : 0 }
    : { words: (score * words) / sum, meaning: (score * meaning) / sum };
}
