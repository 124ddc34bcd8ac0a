import type { Rubric } from '@lamb/contract';

export type Criterion = Rubric['criteria'][number];
export type Level = Criterion['levels'][number];

export const MOST_CRITERIA = 100;
export const MOST_LEVELS = 20;
export const FEWEST_LEVELS = 2;

const newId = () => crypto.randomUUID();

/** A rubric to begin with: the labels are the levels, the best first. */
export function startRubric(labels: readonly string[], criteria = 3): Rubric {
  const rubric: Rubric = {
    title: '',
    description: '',
    metadata: {},
    scoringType: 'points',
    maxScore: 10,
    criteria: Array.from({ length: criteria }, (_, order) => ({
      id: newId(),
      name: '',
      description: '',
      weight: 0,
      order,
      levels: labels.map((label, index) => ({
        id: newId(),
        score: labels.length - index,
        label,
        description: '',
        order: index,
      })),
    })),
  };
  return distributeWeights(rubric);
}

/** A rubric in the order that its author gave, as the grid shows and saves it. */
export function openRubric(rubric: Rubric): Rubric {
  const byOrder = <Item extends { order: number }>(items: readonly Item[]) =>
    items.toSorted((a, b) => a.order - b.order);
  return number({
    ...rubric,
    criteria: byOrder(rubric.criteria).map((criterion) => ({ ...criterion, levels: byOrder(criterion.levels) })),
  });
}

function number(rubric: Rubric): Rubric {
  return {
    ...rubric,
    criteria: rubric.criteria.map((criterion, order) => ({
      ...criterion,
      order,
      levels: criterion.levels.map((level, index) => ({ ...level, order: index })),
    })),
  };
}

const eachCriterion = (rubric: Rubric, change: (criterion: Criterion, row: number) => Criterion): Rubric =>
  number({ ...rubric, criteria: rubric.criteria.map(change) });

/** How many levels the criterion with the most has. */
export function countColumns({ criteria }: Rubric): number {
  return Math.max(0, ...criteria.map(({ levels }) => levels.length));
}

/** Whether all criteria have the same levels, so that these can head the columns. */
export function hasSharedLevels({ criteria }: Rubric): boolean {
  const keys = criteria.map(({ levels }) => JSON.stringify(levels.map(({ label, score }) => [label, score])));
  return new Set(keys).size <= 1;
}

export function addCriterion(rubric: Rubric, at: number): Rubric {
  if (rubric.criteria.length >= MOST_CRITERIA) return rubric;
  const like = rubric.criteria[Math.min(at, rubric.criteria.length - 1)];
  const levels = (like?.levels ?? []).map(({ label, score }, order) => ({
    id: newId(),
    label,
    score,
    description: '',
    order,
  }));
  const added: Criterion = { id: newId(), name: '', description: '', weight: 0, order: at, levels };
  return number({ ...rubric, criteria: rubric.criteria.toSpliced(at, 0, added) });
}

/** The last one stays: a rubric has at least one. */
export function removeCriterion(rubric: Rubric, row: number): Rubric {
  return rubric.criteria.length <= 1 ? rubric : number({ ...rubric, criteria: rubric.criteria.toSpliced(row, 1) });
}

export function moveCriterion(rubric: Rubric, from: number, to: number): Rubric {
  return number({ ...rubric, criteria: move(rubric.criteria, from, to) });
}

export function changeCriterion(rubric: Rubric, row: number, change: Partial<Criterion>): Rubric {
  return eachCriterion(rubric, (criterion, index) => (index === row ? { ...criterion, ...change } : criterion));
}

/** A level more in every criterion; its score lies between its neighbours'. */
export function addLevel(rubric: Rubric, at: number): Rubric {
  if (countColumns(rubric) >= MOST_LEVELS) return rubric;
  return eachCriterion(rubric, (criterion) => {
    const before = criterion.levels[at - 1]?.score;
    const after = criterion.levels[at]?.score;
    const score =
      before !== undefined && after !== undefined
        ? (before + after) / 2
        : before === undefined
          ? (after ?? 0) + 1
          : Math.max(0, before - 1);
    const added: Level = { id: newId(), score, label: '', description: '', order: at };
    return { ...criterion, levels: criterion.levels.toSpliced(at, 0, added) };
  });
}

/** A criterion keeps its last two levels. */
export function removeLevel(rubric: Rubric, column: number): Rubric {
  return eachCriterion(rubric, (criterion) =>
    criterion.levels.length <= FEWEST_LEVELS
      ? criterion
      : { ...criterion, levels: criterion.levels.toSpliced(column, 1) },
  );
}

export function moveLevel(rubric: Rubric, from: number, to: number): Rubric {
  return eachCriterion(rubric, (criterion) => ({ ...criterion, levels: move(criterion.levels, from, to) }));
}

export function changeLevel(rubric: Rubric, row: number, column: number, change: Partial<Level>): Rubric {
  return eachCriterion(rubric, (criterion, index) =>
    index === row
      ? { ...criterion, levels: criterion.levels.map((level, at) => (at === column ? { ...level, ...change } : level)) }
      : criterion,
  );
}

/** Label and score of a level in all criteria. */
export function changeColumn(rubric: Rubric, column: number, change: Partial<Pick<Level, 'label' | 'score'>>): Rubric {
  return rubric.criteria.reduce((changed, _, row) => changeLevel(changed, row, column, change), rubric);
}

/** Gives every criterion the levels of the one with the most; what is described stays where it is. */
export function alignLevels(rubric: Rubric): Rubric {
  const columns = countColumns(rubric);
  const model = rubric.criteria.find(({ levels }) => levels.length === columns)?.levels ?? [];
  return eachCriterion(rubric, (criterion) => ({
    ...criterion,
    levels: model.map(({ label, score, order }, index) => {
      const own = criterion.levels[index];
      return { ...(own ?? { id: newId(), description: '' }), label, score, order };
    }),
  }));
}

/** Without the noise of binary fractions. */
export function sumWeights({ criteria }: Rubric): number {
  return Number(criteria.reduce((sum, { weight }) => sum + weight, 0).toFixed(4));
}

/** Whole percentages that sum up to 100; those that do not divide go to the first criteria. */
export function distributeWeights(rubric: Rubric): Rubric {
  const count = rubric.criteria.length;
  const each = Math.floor(100 / count);
  const more = 100 - each * count;
  return eachCriterion(rubric, (criterion, row) => ({ ...criterion, weight: each + (row < more ? 1 : 0) }));
}

function move<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const item = items[from];
  if (item === undefined || to < 0 || to >= items.length) return [...items];
  return items.toSpliced(from, 1).toSpliced(to, 0, item);
}
