import { z } from 'zod';
import type { FunctionSpec } from './define-connector.ts';
import type { Tool } from './define-tool.ts';

/** A tool's function as the model sees it; undefined for a tool that cannot be called. */
export function describeFunction(tool: Tool, config: Readonly<Record<string, unknown>>): FunctionSpec | undefined {
  if (!tool.function) return undefined;
  return {
    name: tool.function.name({ config }),
    description: tool.function.description({ config }),
    parameters: z.toJSONSchema(tool.function.input, { io: 'input' }),
  };
}
