import { expect, test } from 'vitest';
import { layOutGraph } from './lay-out-graph.ts';

const tool = (placeholder: string, ...needs: string[]) => ({ index: 0, type: 'simple_rag', placeholder, needs });

test('there is nothing to draw where no tool waits for another', () => {
  expect(layOutGraph([tool('context', 'user_input'), tool('rubric', 'nobody')])).toBeUndefined();
});

test('what waits stands below what it waits for, and who takes no part is left out', () => {
  const graph = layOutGraph([
    tool('glossary', 'rubric', 'context'),
    tool('context', 'rubric'),
    tool('rubric'),
    tool('file'),
  ]);
  const yOf = (name: string) => graph?.nodes.find((node) => node.name === name)?.y ?? Number.NaN;
  expect(graph?.nodes.map(({ name }) => name).sort()).toEqual(['context', 'glossary', 'rubric']);
  expect(yOf('rubric')).toBeLessThan(yOf('context'));
  expect(yOf('context')).toBeLessThan(yOf('glossary'));
  expect(graph?.edges.map(({ from, to, isCyclic }) => [from, to, isCyclic])).toEqual([
    ['rubric', 'glossary', false],
    ['context', 'glossary', false],
    ['rubric', 'context', false],
  ]);
  for (const { x, width } of graph?.nodes ?? []) {
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(graph?.width ?? 0);
  }
});

test('a circle is marked, and what waits for it is not', () => {
  const graph = layOutGraph([tool('a', 'b'), tool('b', 'a'), tool('c', 'a'), tool('d', 'd')]);
  expect(graph?.nodes.map(({ name, isCyclic }) => [name, isCyclic])).toEqual([
    ['a', true],
    ['b', true],
    ['d', true],
    ['c', false],
  ]);
  expect(graph?.edges.find(({ to }) => to === 'c')?.isCyclic).toBe(false);
});
