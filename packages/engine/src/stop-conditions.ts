import type { ToolCall } from '@lamb/contract';

/** What bounds the calls of one turn. */
export interface CallLimits {
  readonly maxIterations: number;
  readonly maxCalls: number;
}

const SAME_CALL_LIMIT = 3;

/** Says why a call is refused before anything is done with it; undefined: it may go on. */
export type CallGuard = (call: ToolCall) => string | undefined;

/** Makes a guard for one turn: so many calls in all, and the same call with the same arguments only twice. */
export function createCallGuard({ maxCalls }: CallLimits): CallGuard {
  const seen = new Map<string, number>();
  let total = 0;
  return ({ function: { name, arguments: text } }) => {
    total += 1;
    if (total > maxCalls)
      return `No more than ${String(maxCalls)} calls are allowed in one turn. Answer with what you have.`;
    const key = `${name} ${canonicalJson(text)}`;
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times < SAME_CALL_LIMIT) return undefined;
    return 'This call was already made twice with the same arguments. Use the result you have.';
  };
}

function canonicalJson(text: string): string {
  try {
    return JSON.stringify(sortKeys(JSON.parse(text)));
  } catch {
    return text;
  }
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, item]) => [key, sortKeys(item)]),
  );
}
