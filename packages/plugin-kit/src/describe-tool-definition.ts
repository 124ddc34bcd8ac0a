import { historicalToolNames, type ToolDefinition } from '@lamb/contract';
import { z } from 'zod';
import type { Tool } from './define-tool.ts';

/** A tool as the API shows it, with the JSON Schema of its configuration. */
export function describeToolDefinition(tool: Tool): ToolDefinition {
  return {
    name: tool.name,
    aliases: Object.keys(historicalToolNames).filter((alias) => historicalToolNames[alias] === tool.name),
    display_name: tool.title,
    description: tool.description,
    category: tool.category,
    version: tool.version,
    modes: [...(tool.context ? (['context'] as const) : []), ...(tool.function ? (['function'] as const) : [])],
    placeholder: tool.context?.placeholder ?? null,
    effect: tool.function?.effect ?? null,
    input_schema: tool.function ? z.toJSONSchema(tool.function.input, { io: 'input' }) : null,
    templated: [...(tool.templated ?? [])],
    config_schema: z.toJSONSchema(tool.config, { io: 'input' }),
  };
}
