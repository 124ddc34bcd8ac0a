import { defineTool, type Effect, type FunctionInput, type Tool, type ToolResult } from '@lamb/plugin-kit';
import { z } from 'zod';

type Arguments = Record<string, unknown>;
type Input = FunctionInput<Record<string, unknown>, Arguments>;

interface MadeFunction {
  readonly effect?: Effect;
  readonly timeoutMs?: number;
  readonly input?: z.ZodType<Arguments>;
  readonly run?: (input: Input) => ToolResult | Promise<ToolResult>;
}

/** A tool for tests that the model calls by its name; it says what it was given. */
export function makeFunction(name: string, { effect = 'none', timeoutMs, input, run }: MadeFunction = {}): Tool {
  return defineTool({
    name,
    version: '1.0',
    category: 'none',
    title: name,
    description: `The tool ${name}.`,
    config: z.looseObject({ as: z.string().optional() }),
    function: {
      name: ({ config }) => config.as ?? name,
      description: () => `Does ${name}.`,
      input: input ?? z.record(z.string(), z.unknown()),
      effect,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      run: async (given) => (run ? run(given) : { content: `${name} ${JSON.stringify(given.arguments)}` }),
    },
  });
}
