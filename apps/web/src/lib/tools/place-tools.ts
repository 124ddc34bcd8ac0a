import type { ToolDefinition, ToolEntry } from '@lamb/contract';
import { freeName, namesIn, USER_INPUT } from './placeholders.ts';

/** An enabled tool that gathers context, with what it fills and what it waits for. */
export interface PlacedTool {
  /** Its place in the assistant's list. */
  readonly index: number;
  readonly type: string;
  readonly placeholder: string;
  readonly needs: readonly string[];
}

/** The definition of an entry's tool, under its name of today or an earlier one. */
export function findDefinition(definitions: readonly ToolDefinition[], type: string): ToolDefinition | undefined {
  return definitions.find(({ name, aliases }) => name === type || aliases.includes(type));
}

/** What each enabled context tool fills and waits for, by the rules with which the engine compiles an assistant. */
export function placeTools(
  tools: readonly ToolEntry[],
  definitions: readonly ToolDefinition[],
  reserved: readonly string[] = [],
): PlacedTool[] {
  const entries = tools
    .map((entry, index) => ({ entry, index }))
    .filter(({ entry }) => entry.enabled && entry.mode === 'context');
  const taken = new Set([USER_INPUT, ...reserved]);
  for (const { entry } of entries) if (entry.placeholder !== undefined) taken.add(entry.placeholder);
  return entries.map(({ entry, index }) => {
    const definition = findDefinition(definitions, entry.type);
    const placeholder = entry.placeholder ?? freeName(definition?.placeholder ?? entry.type, taken);
    taken.add(placeholder);
    return { index, type: entry.type, placeholder, needs: neededBy(entry, definition) };
  });
}

/** The names that a further entry must not take, those of entries that are switched off included. */
export function takenNames(
  tools: readonly ToolEntry[],
  definitions: readonly ToolDefinition[],
  reserved: readonly string[] = [],
): Set<string> {
  const named = tools.flatMap(({ placeholder }) => (placeholder === undefined ? [] : [placeholder]));
  const placed = placeTools(tools, definitions, reserved).map(({ placeholder }) => placeholder);
  return new Set([USER_INPUT, ...reserved, ...named, ...placed]);
}

function neededBy({ config }: ToolEntry, definition: ToolDefinition | undefined): string[] {
  const names = (definition?.templated ?? []).flatMap((field) => {
    const value = config[field];
    return typeof value === 'string' ? namesIn(value) : [];
  });
  return [...new Set(names)];
}
