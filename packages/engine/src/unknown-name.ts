import type { Problem } from '@lamb/contract';

/** The problem of naming a plugin that there is not, with those that there are. */
export function unknownName(
  kind: string,
  path: string,
  name: string,
  known: readonly { readonly name: string }[],
): Problem {
  const names = known.map((plugin) => plugin.name).join(', ');
  return { severity: 'error', path, message: `There is no ${kind} “${name}”. Known: ${names}.` };
}
