import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderLevels } from './order-levels.ts';

function name(items: readonly { placeholder: string }[]): string {
  return items.map(({ placeholder }) => placeholder).join(' ');
}

function order(graph: Readonly<Record<string, readonly string[]>>) {
  const { levels, cyclic } = orderLevels(Object.entries(graph).map(([placeholder, needs]) => ({ placeholder, needs })));
  return { levels: levels.map(name), cyclic: name(cyclic) };
}

describe('orderLevels', () => {
  it('puts each item right after the last of what it needs, otherwise in the given order', () => {
    expect(order({ d: ['b', 'c'], c: ['a'], a: [], b: [], e: ['not_there', 'user_input'] })).toEqual({
      levels: ['a b e', 'c', 'd'],
      cyclic: '',
    });
  });

  it('returns the items of a cycle apart, and orders what only waits for them', () => {
    expect(order({ a: ['b'], b: ['a'], after: ['a'], later: ['after', 'free'], free: [] })).toEqual({
      levels: ['after free', 'later'],
      cyclic: 'a b',
    });
    expect(order({ self: ['self'], after: ['self'] })).toEqual({ levels: ['after'], cyclic: 'self' });
  });

  it('orders every graph completely: what an item needs is on an earlier level unless it is on a cycle', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const graph = fc.dictionary(fc.constantFrom(...names), fc.subarray(names, { maxLength: 2 }));
    fc.assert(
      fc.property(graph, (needs) => {
        const items = Object.entries(needs).map(([placeholder, wanted]) => ({ placeholder, needs: wanted }));
        const { levels, cyclic } = orderLevels(items);
        const done = new Set(cyclic.map(({ placeholder }) => placeholder));
        for (const level of levels) {
          expect(level).not.toEqual([]);
          for (const item of level) {
            for (const wanted of item.needs) expect(done.has(wanted) || !(wanted in needs)).toBe(true);
          }
          for (const item of level) done.add(item.placeholder);
        }
        expect(done.size).toBe(items.length);
        for (const item of cyclic) expect(canReach(needs, item.placeholder, item.placeholder)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

function canReach(graph: Readonly<Record<string, readonly string[]>>, from: string, to: string): boolean {
  const seen = new Set<string>();
  const ahead = [from];
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    for (const next of graph[at] ?? []) {
      if (next === to) return true;
      if (!seen.has(next)) ahead.push(next);
      seen.add(next);
    }
  }
  return false;
}
