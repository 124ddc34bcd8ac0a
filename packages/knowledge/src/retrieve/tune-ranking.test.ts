import { expect, test } from 'vitest';
import { fuseRanks, judgeResults, tuneRanking, type JudgedQuery } from './tune-ranking.ts';

const judge = (query: string, ...relevant: string[]): JudgedQuery => ({
  query,
  relevance: new Map(relevant.map((id) => [id, 1])),
});

/** Lists that are given by query and mode. */
const searchIn = (lists: Record<string, { lexical: string[]; vector: string[] }>) => {
  const asked: string[] = [];
  return {
    asked,
    search: (query: string, mode: 'lexical' | 'vector') => {
      asked.push(`${query} ${mode}`);
      return Promise.resolve(lists[query]?.[mode] ?? []);
    },
  };
};

test('figures are those of the textbook', () => {
  const relevance = new Map([
    ['a', 1],
    ['b', 1],
  ]);
  expect(judgeResults(['a', 'b'], relevance)).toEqual({ ndcg10: 1, recall10: 1 });
  expect(judgeResults(['x', 'a'], relevance)).toEqual({
    ndcg10: 1 / Math.log2(3) / (1 + 1 / Math.log2(3)),
    recall10: 0.5,
  });
  expect(judgeResults(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a'], relevance)).toEqual({
    ndcg10: 0,
    recall10: 0,
  });
  expect(judgeResults(['a'], new Map())).toEqual({ ndcg10: 0, recall10: 0 });
});

test('lists are fused by weighted reciprocals of the ranks', () => {
  const lexical = ['a', 'b', 'c'];
  const vector = ['c', 'd'];
  expect(fuseRanks(lexical, vector, { lexicalWeight: 1, denseWeight: 0, rankConstant: 10 })).toEqual(lexical);
  expect(fuseRanks(lexical, vector, { lexicalWeight: 0, denseWeight: 1, rankConstant: 10 })).toEqual(vector);
  expect(fuseRanks(lexical, vector, { lexicalWeight: 1, denseWeight: 1, rankConstant: 10 })).toEqual([
    'c',
    'a',
    'b',
    'd',
  ]);
});

test('a useless list gets no weight, and each query is searched once per list', async () => {
  const noise = ['x', 'y', 'z'];
  const { search, asked } = searchIn({
    one: { lexical: ['a', 'b'], vector: noise },
    two: { lexical: ['c'], vector: noise },
  });
  const tuned = await tuneRanking([judge('one', 'a', 'b'), judge('two', 'c')], search);
  expect(tuned).toMatchObject({ ndcg10: 1, recall10: 1, lexical: { ndcg10: 1 }, vector: { ndcg10: 0 } });
  expect(tuned.ranking.lexicalWeight).toBeGreaterThan(tuned.ranking.denseWeight);
  expect(asked.sort()).toEqual(['one lexical', 'one vector', 'two lexical', 'two vector']);
});

test('what both lists know together beats each alone', async () => {
  const { search } = searchIn({
    one: { lexical: ['p', 'a', 'q'], vector: ['r', 'a', 's'] },
    two: { lexical: ['b', 'p', 'q'], vector: ['b', 'r', 's'] },
  });
  const tuned = await tuneRanking([judge('one', 'a'), judge('two', 'b')], search);
  expect(tuned.ndcg10).toBe(1);
  expect(tuned.lexical.ndcg10).toBeLessThan(1);
  expect(tuned.vector.ndcg10).toBeLessThan(1);
  expect(tuned.ranking.denseWeight).toBeGreaterThan(0);
  expect(tuned.tried[0]).toMatchObject({ ranking: tuned.ranking, ndcg10: 1 });
});

test('among equals, the usual weights win; without queries there is nothing to find', async () => {
  const { search } = searchIn({ one: { lexical: ['a'], vector: ['a'] } });
  const { ranking } = await tuneRanking([judge('one', 'a')], search);
  expect(ranking).toEqual({ lexicalWeight: 0.67, denseWeight: 0.33, rankConstant: 10 });
  await expect(tuneRanking([], search)).rejects.toThrow('judged queries are needed');
});
