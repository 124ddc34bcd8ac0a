/** What the model says in a run: two turns of numbered tokens, with calls between them. */
export interface RunScript {
  readonly first: string[];
  readonly calls: number;
  readonly second: string[];
}

/** The script of a run, which follows from its number alone. */
export function scriptRun(number: number): RunScript {
  return {
    first: listTokens(`r${number}a`, 5 + (number % 11)),
    calls: 1 + (number % 2),
    second: listTokens(`r${number}b`, 15 + (number % 23)),
  };
}

/** What the provider counts for one answer. */
export function usageOf(number: number, turn: 1 | 2): { promptTokens: number; completionTokens: number } {
  const { first, calls, second } = scriptRun(number);
  return turn === 1
    ? { promptTokens: 11, completionTokens: first.length + calls }
    : { promptTokens: 29, completionTokens: second.length };
}

/** What a person says to start a run. */
export function askFor(number: number): string {
  return `This is run <${number}>.`;
}

/** The number of the run that a text is about. */
export function readRunNumber(text: string): number | undefined {
  const number = /This is run <(\d+)>/.exec(text)?.[1];
  return number === undefined ? undefined : Number(number);
}

function listTokens(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1} `);
}
