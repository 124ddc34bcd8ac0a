import type { Problem, ProblemCode, ToolDefinition, ToolEntry } from '@lamb/contract';
import { checkConfig } from './check-config.ts';
import { orderLevels } from './order-levels.ts';
import { findDefinition, placeTools, type PlacedTool } from './place-tools.ts';
import { isPlaceholderName, namesIn, USER_INPUT } from './placeholders.ts';

/** What is wrong, at the path and with the code of the server, but without its words. */
export type LocalProblem = Omit<Problem, 'message'>;

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
    if (!definition) return [error(`${at}.type`, 'unknown_tool', { name: entry.type })];
    if (!definition.modes.includes(entry.mode)) {
      const code = entry.mode === 'context' ? 'not_context' : 'not_function';
      return [error(`${at}.mode`, code)];
    }
    return checkConfig(definition.config_schema, entry.config).map(({ path, rule, wanted }) =>
      error(`${at}.config${path === '' ? '' : `.${path}`}`, 'config', { rule, limit: String(wanted) }),
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
    if (!isPlaceholderName(name)) found.push(error(path, 'name_grammar', { name }));
    if (name === USER_INPUT) found.push(error(path, 'name_user_input', { name }));
    if (reserved.includes(name)) found.push(error(path, 'name_reserved', { name }));
    const earlier = claimed.get(name);
    if (earlier) found.push(error(path, 'name_taken', { name, by: earlier.type }));
    claimed.set(name, tool);
    return found;
  });
}

function findCycles(placed: readonly PlacedTool[]): LocalProblem[] {
  const { cyclic } = orderLevels(placed);
  const isSelfish = ({ placeholder, needs }: PlacedTool) => needs.includes(placeholder);
  const names = cyclic.filter((tool) => !isSelfish(tool)).map(({ placeholder }) => `{${placeholder}}`);
  return cyclic.map((tool) => {
    const path = `tools.${String(tool.index)}.config`;
    return isSelfish(tool)
      ? error(path, 'self_reference', { name: tool.placeholder })
      : error(path, 'cycle', { names: names.join(', ') });
  });
}

function findUnfilled(placed: readonly PlacedTool[], reserved: readonly string[]): LocalProblem[] {
  const filled = filledBy(placed, reserved);
  return placed.flatMap(({ index, needs }) =>
    needs
      .filter((name) => !filled.has(name))
      .map((name) => warning(`tools.${String(index)}.config`, 'unfilled', { name })),
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
    ...unfilled.map((name) => warning('prompt_template', 'unfilled', { name })),
    ...unused.map(({ index, placeholder }) =>
      warning(`tools.${String(index)}.placeholder`, 'unused', { name: placeholder }),
    ),
    ...(template !== '' && !used.has(USER_INPUT)
      ? [warning('prompt_template', 'no_user_input', { name: USER_INPUT })]
      : []),
  ];
}

function filledBy(placed: readonly PlacedTool[], reserved: readonly string[]): Set<string> {
  return new Set([USER_INPUT, ...reserved, ...placed.map(({ placeholder }) => placeholder)]);
}

function error(path: string, code: ProblemCode, params: Record<string, string> = {}): LocalProblem {
  return { severity: 'error', path, code, params };
}

function warning(path: string, code: ProblemCode, params: Record<string, string>): LocalProblem {
  return { severity: 'warning', path, code, params };
}
