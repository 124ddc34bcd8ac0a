import type { ToolDefinition, ToolEntry } from '@lamb/contract';
import { nameType } from './name-type.ts';
import { findDefinition } from './place-tools.ts';
import type { Schema } from './schema.ts';
import { wordField } from './tool-words.ts';

/** Where in an assistant a problem is, as the forms call the place: “Knowledge base, Collections”. Undefined for the assistant as a whole. */
export function placeProblem(
  path: string,
  tools: readonly ToolEntry[],
  definitions: readonly ToolDefinition[],
): string | undefined {
  const [, index, field] = /^tools\.(\d+)(?:\.config\.([^.]+))?/.exec(path) ?? [];
  const entry = index === undefined ? undefined : tools[Number(index)];
  if (!entry) return undefined;
  const name = nameType(entry.type, definitions);
  const definition = findDefinition(definitions, entry.type);
  if (field === undefined || !definition) return name;
  const schema = (definition.config_schema as Schema).properties?.[field];
  return schema ? `${name}, ${wordField(definition.name, field, schema).label}` : name;
}
