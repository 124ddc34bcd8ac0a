import type { Rubric } from '@lamb/contract';

/**
 * The total of an assessment: Σ(level score × weight% / 100) × maximum score / highest level score, to two decimals.
 * Undefined for a rubric whose levels carry no points. `scores` are in the order of `criteria`.
 */
export function scoreRubric(
  { criteria, maxScore }: Pick<Rubric, 'criteria' | 'maxScore'>,
  scores: readonly number[],
): number | undefined {
  const highest = Math.max(...criteria.flatMap(({ levels }) => levels.map(({ score }) => score)));
  if (highest <= 0) return undefined;
  const sum = criteria.reduce((total, { weight }, index) => total + ((scores[index] ?? 0) * weight) / 100, 0);
  return Math.round(((sum * maxScore) / highest) * 100) / 100;
}
