import { canonicalToolName, type Problem, type ProblemCode, type ToolEntry } from '@lamb/contract';
import { describeFunction, type Effect, type FunctionSpec, type Tool } from '@lamb/plugin-kit';
import type { Catalogue } from './catalogue.ts';
import { findConfigProblems } from './find-config-problems.ts';
import { unknownName } from './unknown-name.ts';

/** One function that the plan offers to the model. */
export interface PlannedFunction {
  readonly type: string;
  readonly tool: Tool;
  readonly config: Readonly<Record<string, unknown>>;
  readonly spec: FunctionSpec;
  readonly effect: Effect;
  readonly needsApproval: boolean;
  readonly timeoutMs: number;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const functionName = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

/** Plans the functions of an assistant. One that cannot be offered is left out and reported. */
export function planFunctions(
  entries: readonly { entry: ToolEntry; path: string }[],
  catalogue: Catalogue,
  problems: Problem[],
): PlannedFunction[] {
  const planned = new Map<string, PlannedFunction>();
  for (const { entry, path } of entries) {
    const refuse = (at: string, code: ProblemCode, params: Record<string, string>, message: string) =>
      problems.push({ severity: 'error', path: `${path}${at}`, code, params, message });
    const tool = catalogue.findTool(entry.type);
    if (!tool) {
      problems.push(unknownName('tool', `${path}.type`, entry.type, catalogue.tools));
      continue;
    }
    if (!tool.function) {
      refuse('.mode', 'not_function', {}, `“${tool.name}” cannot be called by the model; set its mode to “context”.`);
      continue;
    }
    const config = tool.config.safeParse(entry.config);
    if (!config.success) {
      problems.push(...findConfigProblems(config.error, entry.config, path));
      continue;
    }
    const spec = describeFunction(tool, config.data);
    if (!spec) continue;
    const { name } = spec;
    if (!functionName.test(name)) {
      const message = `“${name}” cannot be a function’s name: letters, digits, _ and -, starting with a letter.`;
      refuse('.config', 'function_name', { name }, message);
      continue;
    }
    if (planned.has(name)) {
      const message = `Two tools would be called ${name}. Remove one, or give one of them another name.`;
      refuse('', 'function_name_taken', { name }, message);
      continue;
    }
    planned.set(name, {
      type: canonicalToolName(entry.type),
      tool,
      config: config.data,
      spec,
      effect: tool.function.effect,
      needsApproval: tool.function.effect === 'once' && entry.approval !== false,
      timeoutMs: entry.timeout_ms ?? tool.function.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    });
  }
  return [...planned.values()];
}
