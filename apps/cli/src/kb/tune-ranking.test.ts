import { describe, expect, test } from 'vitest';
import { averageQuality, measureRanking } from './measure-ranking.ts';
import { tuneRanking, type JudgedSearch } from './tune-ranking.ts';

const right = new Map([['right', 1]]);
const passages = (...documents: string[]) => documents.map((document) => ({ chunk: `of ${document}`, document }));

describe('an order of documents', () => {
  test('is worth all when the right ones come first', () => {
    const judgements = new Map([
      ['best', 2],
      ['good', 1],
      ['wrong', 0],
    ]);
    expect(measureRanking(['best', 'good', 'wrong'], judgements)).toEqual({ ndcg: 1, recall: 1 });
    const swapped = measureRanking(['good', 'best'], judgements);
    expect(swapped.recall).toBe(1);
    // (1 + 2 / log2(3)) / (2 + 1 / log2(3))
    expect(swapped.ndcg).toBeCloseTo(0.8597, 4);
  });

  test('is worth nothing when they come too late or not at all', () => {
    const late = [...Array.from({ length: 10 }, (_, index) => `other ${index}`), 'right'];
    expect(measureRanking(late, right)).toEqual({ ndcg: 0, recall: 0 });
    expect(measureRanking([], right)).toEqual({ ndcg: 0, recall: 0 });
  });

  test('counts the third place by half', () => {
    expect(measureRanking(['a', 'b', 'right'], right)).toEqual({ ndcg: 0.5, recall: 1 });
    expect(
      averageQuality([
        { ndcg: 1, recall: 1 },
        { ndcg: 0.5, recall: 0 },
      ]),
    ).toEqual({ ndcg: 0.75, recall: 0.5 });
  });
});

describe('the best weights', () => {
  const wordsAreRight: JudgedSearch = {
    lexical: passages('right', 'a', 'b'),
    dense: passages('a', 'b', 'c', 'd', 'right'),
    judgements: right,
  };
  const meaningIsRight: JudgedSearch = { ...wordsAreRight, lexical: wordsAreRight.dense, dense: wordsAreRight.lexical };

  test('follow the list that is right', () => {
    const words = tuneRanking([wordsAreRight, wordsAreRight, meaningIsRight]);
    expect(words.ranking.lexical_weight).toBeGreaterThan(words.ranking.dense_weight);
    const meaning = tuneRanking([meaningIsRight, meaningIsRight, wordsAreRight]);
    expect(meaning.ranking.dense_weight).toBeGreaterThan(meaning.ranking.lexical_weight);
  });

  test('take both when neither is right alone', () => {
    const { ranking, quality } = tuneRanking([
      { lexical: passages('a', 'right', 'b'), dense: passages('c', 'right', 'd'), judgements: right },
    ]);
    expect(quality).toEqual({ ndcg: 1, recall: 1 });
    expect(Math.min(ranking.lexical_weight, ranking.dense_weight)).toBeGreaterThan(0);
  });

  test('are never worse than one list alone', () => {
    const searches = [wordsAreRight, meaningIsRight];
    const { quality } = tuneRanking(searches);
    for (const choose of [(each: JudgedSearch) => each.lexical, (each: JudgedSearch) => each.dense]) {
      const alone = averageQuality(
        searches.map((each) =>
          measureRanking(
            choose(each).map(({ document }) => document),
            right,
          ),
        ),
      );
      expect(quality.ndcg).toBeGreaterThanOrEqual(alone.ndcg);
    }
  });

  test('stay near the usual ones where others are not better', () => {
    const { ranking } = tuneRanking([
      { lexical: passages('right', 'a'), dense: passages('right', 'b'), judgements: right },
    ]);
    expect(ranking).toEqual({ lexical_weight: 6, dense_weight: 3, rank_constant: 10 });
  });

  test('count a document by its best passage', () => {
    const twice = [
      { chunk: '1', document: 'other' },
      { chunk: '2', document: 'other' },
      { chunk: '3', document: 'right' },
    ];
    const { quality } = tuneRanking([{ lexical: twice, dense: [], judgements: right }]);
    expect(quality.ndcg).toBeCloseTo(1 / Math.log2(3));
  });
});
