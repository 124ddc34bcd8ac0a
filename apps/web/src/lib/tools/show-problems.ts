import type { Problem, ToolDefinition } from '@lamb/contract';
import { describeProblem } from './describe-problem.ts';
import type { LocalProblem } from './find-problems.ts';

/** A problem as it is shown. `isMissing`: something was not entered yet, which is not held against a new entry. */
export interface ShownProblem extends Problem {
  readonly isMissing: boolean;
}

/** Says what was found here, and adds what only the server can know. */
export function showProblems(
  local: readonly LocalProblem[],
  server: readonly Problem[],
  definitions: readonly ToolDefinition[],
  { knowsTemplate }: { knowsTemplate: boolean },
): ShownProblem[] {
  const seen = new Set(local.map(({ path }) => path));
  const others = server.filter(
    ({ path, severity }) => !seen.has(path) && !isFoundHere(path, severity === 'warning' && !knowsTemplate),
  );
  return [...local, ...others].map((problem) => ({
    ...problem,
    message: describeProblem(problem, definitions),
    isMissing: problem.code === 'config' && ['required', 'minItems'].includes(problem.params['rule'] ?? ''),
  }));
}

/** Paths whose rules are all known here: what the server said about them before is outdated by now. */
function isFoundHere(path: string, isAboutUnknownTemplate: boolean): boolean {
  if (/^tools\.\d+\.placeholder$/.test(path)) return !isAboutUnknownTemplate;
  return path === 'prompt_template' || /^tools\.\d+\.(type|mode|config)$/.test(path);
}
