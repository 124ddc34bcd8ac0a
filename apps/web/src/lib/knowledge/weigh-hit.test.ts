import { expect, test } from 'vitest';
import { weighHit } from './weigh-hit.ts';

const ranking = { lexical_weight: 2, dense_weight: 1, rank_constant: 10 };

test('the parts of a score are those of the fusion', () => {
  // As the server computes it: (2 · 11/11 + 1 · 11/13) / 3.
  const score = (2 + 11 / 13) / 3;
  const { words, meaning } = weighHit({ score, lexical_rank: 1, dense_rank: 3 }, ranking);
  expect(words).toBeCloseTo(2 / 3);
  expect(meaning).toBeCloseTo(11 / 13 / 3);
});

test('what only one of the two found is all of that one', () => {
  expect(weighHit({ score: 0.4, lexical_rank: 2, dense_rank: null }, ranking)).toEqual({ words: 0.4, meaning: 0 });
  expect(weighHit({ score: 1, lexical_rank: null, dense_rank: 1 }, { ...ranking, dense_weight: 0 })).toEqual({
    words: 0,
    meaning: 1,
  });
});
