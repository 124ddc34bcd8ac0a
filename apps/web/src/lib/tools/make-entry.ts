import type { ToolDefinition, ToolEntry, ToolMode } from '@lamb/contract';
import { freeName } from './placeholders.ts';
import { initialConfig } from './schema.ts';

/** A new entry of a tool: it gathers context where it can, under a name that is not taken. */
export function makeEntry(definition: ToolDefinition, taken: ReadonlySet<string>): ToolEntry {
  const mode = definition.modes.includes('context') ? 'context' : 'function';
  return {
    type: definition.name,
    mode,
    enabled: true,
    ...(mode === 'context' ? { placeholder: freeName(definition.placeholder ?? definition.name, taken) } : {}),
    config: initialConfig(definition.config_schema),
  };
}

/** The entry in another mode. A function fills no placeholder; one that gathers context needs one. */
export function changeMode(
  entry: ToolEntry,
  mode: ToolMode,
  definition: ToolDefinition,
  taken: ReadonlySet<string>,
): ToolEntry {
  const { placeholder, ...rest } = entry;
  if (mode === 'function') return { ...rest, mode };
  return { ...rest, mode, placeholder: placeholder ?? freeName(definition.placeholder ?? definition.name, taken) };
}
