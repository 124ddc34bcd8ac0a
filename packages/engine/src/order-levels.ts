/** Something that fills one placeholder and may need others to be filled first. */
interface Dependent {
  readonly placeholder: string;
  readonly needs: readonly string[];
}

/** Orders items into levels so that each comes after what it needs. Items on a cycle cannot be ordered and are returned apart. */
export function orderLevels<Item extends Dependent>(items: readonly Item[]): { levels: Item[][]; cyclic: Item[] } {
  const levels: Item[][] = [];
  let waiting = [...items];
  while (waiting.length > 0) {
    const unfilled = new Set(waiting.map((item) => item.placeholder));
    const level = waiting.filter((item) => !item.needs.some((name) => unfilled.has(name)));
    if (level.length === 0) return { levels, cyclic: waiting };
    levels.push(level);
    waiting = waiting.filter((item) => !level.includes(item));
  }
  return { levels, cyclic: [] };
}
