import type { Rubric } from '../rubric.ts';

/** The criteria of a rubric and their levels, each in the order that their author gave. */
export function orderRubric(rubric: Rubric): Rubric['criteria'] {
  return byOrder(rubric.criteria).map((criterion) => ({ ...criterion, levels: byOrder(criterion.levels) }));
}

function byOrder<Item extends { order: number }>(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => a.order - b.order);
}
