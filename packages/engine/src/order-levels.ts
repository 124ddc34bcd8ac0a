/** Something that fills one placeholder and may need others to be filled first. */
interface Dependent {
  readonly placeholder: string;
  readonly needs: readonly string[];
}

/**
 * Orders items into levels so that each comes after what it needs. Items on a cycle cannot be ordered and are returned
 * apart; what waits for them is ordered as if they were filled.
 */
export function orderLevels<Item extends Dependent>(items: readonly Item[]): { levels: Item[][]; cyclic: Item[] } {
  const cyclic = items.filter((item) => needsItself(item, items));
  const levels: Item[][] = [];
  let waiting = items.filter((item) => !cyclic.includes(item));
  while (waiting.length > 0) {
    const unfilled = new Set(waiting.map((item) => item.placeholder));
    const isReady = (item: Item) => !item.needs.some((name) => unfilled.has(name));
    levels.push(waiting.filter(isReady));
    waiting = waiting.filter((item) => !isReady(item));
  }
  return { levels, cyclic };
}

function needsItself(item: Dependent, items: readonly Dependent[]): boolean {
  const needed = new Set(item.needs);
  // A set also visits what is added to it on the way.
  for (const name of needed) {
    if (name === item.placeholder) return true;
    for (const other of items) if (other.placeholder === name) other.needs.forEach((next) => needed.add(next));
  }
  return false;
}
