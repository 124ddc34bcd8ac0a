/** Something that fills one placeholder and may wait for others. */
interface Dependent {
  readonly placeholder: string;
  readonly needs: readonly string[];
}

/** Orders items so that each level only waits for earlier ones. Those that wait for themselves, over others or not, come apart. */
export function orderLevels<Item extends Dependent>(items: readonly Item[]): { levels: Item[][]; cyclic: Item[] } {
  const cyclic = items.filter((item) => waitsForItself(item, items));
  const levels: Item[][] = [];
  let waiting = items.filter((item) => !cyclic.includes(item));
  while (waiting.length > 0) {
    const open = new Set(waiting.map(({ placeholder }) => placeholder));
    const ready = waiting.filter(({ needs }) => !needs.some((name) => open.has(name)));
    levels.push(ready);
    waiting = waiting.filter((item) => !ready.includes(item));
  }
  return { levels, cyclic };
}

function waitsForItself(item: Dependent, items: readonly Dependent[]): boolean {
  const reached = new Set(item.needs);
  // A set also visits what is added to it on the way.
  for (const name of reached) {
    if (name === item.placeholder) return true;
    for (const other of items) if (other.placeholder === name) for (const next of other.needs) reached.add(next);
  }
  return false;
}
