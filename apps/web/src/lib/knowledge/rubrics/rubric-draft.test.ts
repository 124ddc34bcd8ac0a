import type { Rubric } from '@lamb/contract';
import { describe, expect, test } from 'vitest';
import {
  addCriterion,
  addLevel,
  alignLevels,
  changeColumn,
  countColumns,
  distributeWeights,
  hasSharedLevels,
  moveCriterion,
  moveLevel,
  openRubric,
  removeCriterion,
  removeLevel,
  startRubric,
  sumWeights,
} from './rubric-draft.ts';

const start = () => startRubric(['Good', 'Fair', 'Poor']);
const labels = (rubric: Rubric, row = 0) => rubric.criteria[row]?.levels.map(({ label }) => label);
const scores = (rubric: Rubric) => rubric.criteria[0]?.levels.map(({ score }) => score);

describe('weights', () => {
  test.each([1, 2, 3, 6, 7, 11, 30, 100])('of %i criteria are whole and sum up to 100', (count) => {
    const rubric = startRubric(['A', 'B'], count);
    expect(sumWeights(rubric)).toBe(100);
    const weights = rubric.criteria.map(({ weight }) => weight);
    expect(Math.max(...weights) - Math.min(...weights)).toBeLessThanOrEqual(1);
  });

  test('are summed up without binary noise', () => {
    const rubric = distributeWeights(start());
    const [a, b] = rubric.criteria;
    if (!a || !b) throw new Error('no criteria');
    expect(
      sumWeights({
        ...rubric,
        criteria: [
          { ...a, weight: 0.1 },
          { ...b, weight: 0.2 },
        ],
      }),
    ).toBe(0.3);
  });
});

describe('levels', () => {
  test('are added in all criteria, with a score between their neighbours', () => {
    expect(scores(addLevel(start(), 0))).toEqual([4, 3, 2, 1]);
    expect(scores(addLevel(start(), 1))).toEqual([3, 2.5, 2, 1]);
    expect(scores(addLevel(start(), 3))).toEqual([3, 2, 1, 0]);
    expect(addLevel(start(), 1).criteria.every(({ levels }) => levels.length === 4)).toBe(true);
  });

  test('are moved, renamed and removed in all criteria, but two stay', () => {
    const moved = moveLevel(start(), 0, 2);
    expect(labels(moved, 2)).toEqual(['Fair', 'Poor', 'Good']);
    expect(moved.criteria[1]?.levels.map(({ order }) => order)).toEqual([0, 1, 2]);
    expect(labels(changeColumn(start(), 1, { label: 'So-so' }), 1)).toEqual(['Good', 'So-so', 'Poor']);
    const two = removeLevel(start(), 1);
    expect(labels(two)).toEqual(['Good', 'Poor']);
    expect(countColumns(removeLevel(two, 0))).toBe(2);
  });

  test('that differ are made alike without losing what is described', () => {
    const rubric = start();
    const [first, ...rest] = rubric.criteria;
    if (!first) throw new Error('no criteria');
    const short = {
      ...first,
      levels: first.levels.slice(0, 2).map((level) => ({ ...level, label: 'x', description: 'Seen' })),
    };
    const ragged = { ...rubric, criteria: [short, ...rest] };
    expect(hasSharedLevels(ragged)).toBe(false);
    const aligned = alignLevels(ragged);
    expect(hasSharedLevels(aligned)).toBe(true);
    expect(labels(aligned)).toEqual(['Good', 'Fair', 'Poor']);
    expect(aligned.criteria[0]?.levels.map(({ description }) => description)).toEqual(['Seen', 'Seen', '']);
  });
});

describe('criteria', () => {
  test('are added with the levels of their neighbour, moved and removed; one stays', () => {
    const rubric = addCriterion(start(), 1);
    expect(rubric.criteria).toHaveLength(4);
    expect(labels(rubric, 1)).toEqual(['Good', 'Fair', 'Poor']);
    const ids = rubric.criteria.map(({ id }) => id);
    expect(moveCriterion(rubric, 3, 0).criteria.map(({ id }) => id)).toEqual([ids[3], ids[0], ids[1], ids[2]]);
    expect(moveCriterion(rubric, 0, -1)).toEqual(rubric);
    const one = startRubric(['A', 'B'], 1);
    expect(removeCriterion(one, 0)).toEqual(one);
  });

  test('come in the order that their author gave, and keep what the editor does not know', () => {
    const rubric = start();
    const criteria = rubric.criteria.map((criterion, index) => ({ ...criterion, order: 9 - index, colour: 'red' }));
    const opened = openRubric({ ...rubric, criteria });
    expect(opened.criteria.map(({ id }) => id)).toEqual(rubric.criteria.map(({ id }) => id).reverse());
    expect(opened.criteria.map(({ order }) => order)).toEqual([0, 1, 2]);
    expect(opened.criteria[0]).toMatchObject({ colour: 'red' });
  });
});
