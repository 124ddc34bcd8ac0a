import type { Problem } from '@lamb/contract';

const codes = {
  tool: 'unknown_tool',
  connector: 'unknown_connector',
  'prompt processor': 'unknown_processor',
} as const;

/** The problem of naming a plugin that there is not, with those that there are. */
export function unknownName(
  kind: keyof typeof codes,
  path: string,
  name: string,
  known: readonly { readonly name: string }[],
): Problem {
  const names = known.map((plugin) => plugin.name).join(', ');
  const message = `There is no ${kind} “${name}”. Known: ${names}.`;
  return { severity: 'error', path, code: codes[kind], params: { name }, message };
}
