import type { ToolDefinition } from '@lamb/contract';
import { findDefinition } from './place-tools.ts';
import { nameTool } from './tool-words.ts';

/** What the tool of a type is called; its type, for one that this installation does not have. */
export function nameType(type: string, definitions: readonly ToolDefinition[]): string {
  const definition = findDefinition(definitions, type);
  return definition ? nameTool(definition) : type;
}
