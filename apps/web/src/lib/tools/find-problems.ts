import type { ToolDefinition, ToolEntry } from '@lamb/contract';
import { checkConfig, type ConfigError } from './check-config.ts';
import { orderLevels } from './order-levels.ts';
import { findDefinition, placeTools, type PlacedTool } from './place-tools.ts';
import { isPlaceholderName, namesIn, USER_INPUT } from './placeholders.ts';

/** What is wrong, without words: `describeProblem` says it in the person's language. */
export type Finding =
  | { readonly code: 'unknown_tool' | 'not_context' | 'not_function'; readonly type: string }
  | {
      readonly code: 'name_grammar' | 'name_user_input' | 'name_reserved' | 'unfilled' | 'unused';
      readonly name: string;
    }
  | { readonly code: 'name_taken'; readonly name: string; readonly by: string }
  | { readonly code: 'cycle' | 'self_reference'; readonly names: readonly string[] }
  | { readonly code: 'no_user_input' }
  | { readonly code: 'config'; readonly error: ConfigError };

/** A finding with the path at which the server would report it. */
export interface LocalProblem {
  readonly severity: 'error' | 'warning';
  readonly path: string;
  readonly finding: Finding;
}

interface Assistant {
  readonly tools: readonly ToolEntry[];
  readonly definitions: readonly ToolDefinition[];
  /** Undefined where nobody knows it: then nothing is said about what it uses. */
  readonly template?: string | undefined;
  /** What the prompt processor fills. */
  readonly reserved?: readonly string[];
  readonly kind?: 'classic' | 'multi_tool';
}

/** Finds while one types what the server finds when it compiles the assistant: the same rules, the same paths. */
export function findProblems(assistant: Assistant): LocalProblem[] {
  const { tools, definitions, template, reserved = [], kind = 'multi_tool' } = assistant;
  const placed = placeTools(tools, definitions, reserved);
  return [
    ...findEntryProblems(tools, definitions),
    ...findNameProblems(placed, tools, definitions, reserved),
    ...findCycles(placed),
    ...findUnfilled(placed, reserved),
    ...(template === undefined ? [] : findTemplateProblems(template, placed, reserved, kind)),
  ];
}

function findEntryProblems(tools: readonly ToolEntry[], definitions: readonly ToolDefinition[]): LocalProblem[] {
  return tools.flatMap((entry, index): LocalProblem[] => {
    if (!entry.enabled) return [];
    const at = `tools.${String(index)}`;
    const definition = findDefinition(definitions, entry.type);
    if (!definition) return [error(`${at}.type`, { code: 'unknown_tool', type: entry.type })];
    if (!definition.modes.includes(entry.mode)) {
      const code = entry.mode === 'context' ? 'not_context' : 'not_function';
      return [error(`${at}.mode`, { code, type: entry.type })];
    }
    return checkConfig(definition.config_schema, entry.config).map((found) =>
      error(`${at}.config${found.path === '' ? '' : `.${found.path}`}`, { code: 'config', error: found }),
    );
  });
}

function findNameProblems(
  placed: readonly PlacedTool[],
  tools: readonly ToolEntry[],
  definitions: readonly ToolDefinition[],
  reserved: readonly string[],
): LocalProblem[] {
  const claimed = new Map<string, PlacedTool>();
  return placed.flatMap((tool) => {
    const { index, placeholder: name, type } = tool;
    // Nobody chose the placeholder of an unknown tool.
    if (tools[index]?.placeholder === undefined && !findDefinition(definitions, type)) return [];
    const path = `tools.${String(index)}.placeholder`;
    const found: LocalProblem[] = [];
    if (!isPlaceholderName(name)) found.push(error(path, { code: 'name_grammar', name }));
    if (name === USER_INPUT) found.push(error(path, { code: 'name_user_input', name }));
    if (reserved.includes(name)) found.push(error(path, { code: 'name_reserved', name }));
    const earlier = claimed.get(name);
    if (earlier) found.push(error(path, { code: 'name_taken', name, by: earlier.type }));
    claimed.set(name, tool);
    return found;
  });
}

function findCycles(placed: readonly PlacedTool[]): LocalProblem[] {
  const { cyclic } = orderLevels(placed);
  const isSelfish = ({ placeholder, needs }: PlacedTool) => needs.includes(placeholder);
  const names = cyclic.filter((tool) => !isSelfish(tool)).map(({ placeholder }) => placeholder);
  return cyclic.map((tool) =>
    error(
      `tools.${String(tool.index)}.config`,
      isSelfish(tool) ? { code: 'self_reference', names: [tool.placeholder] } : { code: 'cycle', names },
    ),
  );
}

function findUnfilled(placed: readonly PlacedTool[], reserved: readonly string[]): LocalProblem[] {
  const filled = filledBy(placed, reserved);
  return placed.flatMap(({ index, needs }) =>
    needs
      .filter((name) => !filled.has(name))
      .map((name) => warning(`tools.${String(index)}.config`, { code: 'unfilled', name })),
  );
}

function findTemplateProblems(
  template: string,
  placed: readonly PlacedTool[],
  reserved: readonly string[],
  kind: 'classic' | 'multi_tool',
): LocalProblem[] {
  const used = new Set(namesIn(template));
  const needed = new Set(placed.flatMap(({ needs }) => needs));
  const filled = filledBy(placed, reserved);
  const unfilled = kind === 'classic' ? [] : [...used].filter((name) => !filled.has(name));
  const unused = placed.filter(({ placeholder }) => !used.has(placeholder) && !needed.has(placeholder));
  return [
    ...unfilled.map((name) => warning('prompt_template', { code: 'unfilled', name })),
    ...unused.map(({ index, placeholder }) =>
      warning(`tools.${String(index)}.placeholder`, { code: 'unused', name: placeholder }),
    ),
    ...(template !== '' && !used.has(USER_INPUT) ? [warning('prompt_template', { code: 'no_user_input' })] : []),
  ];
}

function filledBy(placed: readonly PlacedTool[], reserved: readonly string[]): Set<string> {
  return new Set([USER_INPUT, ...reserved, ...placed.map(({ placeholder }) => placeholder)]);
}

function error(path: string, finding: Finding): LocalProblem {
  return { severity: 'error', path, finding };
}

function warning(path: string, finding: Finding): LocalProblem {
  return { severity: 'warning', path, finding };
}
