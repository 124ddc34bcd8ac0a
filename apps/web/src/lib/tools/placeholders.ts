/** Where a placeholder stands in a text. */
export interface PlaceholderSpan {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The placeholder that the person's message fills. */
export const USER_INPUT = 'user_input';

/** As the engine reads templates. */
export const placeholderPattern = /\{([a-z][a-z0-9_]*)\}/g;

const nameGrammar = /^[a-z][a-z0-9_]*$/;
const LONGEST_NAME = 64;

/** The placeholders of a text, in order of appearance. */
export function findPlaceholders(text: string): PlaceholderSpan[] {
  return [...text.matchAll(placeholderPattern)].map(({ index, 0: whole, 1: name = '' }) => ({
    name,
    from: index,
    to: index + whole.length,
  }));
}

/** The names that a text refers to, each once. */
export function namesIn(text: string): string[] {
  return [...new Set(findPlaceholders(text).map(({ name }) => name))];
}

/** Whether something can be the name of a placeholder, by the server's rule. */
export function isPlaceholderName(name: string): boolean {
  return name.length <= LONGEST_NAME && nameGrammar.test(name) && name !== 'constructor';
}

/** The wanted name, or the first of `name_2`, `name_3`, … that is not taken. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let candidate = wanted;
  for (let number = 2; taken.has(candidate); number += 1) candidate = `${wanted}_${String(number)}`;
  return candidate;
}
