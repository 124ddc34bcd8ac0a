import { defineTool, type ContextInput, type ContextMode, type Tool, type ToolResult } from '@lamb/plugin-kit';
import { z } from 'zod';

type Config = Record<string, unknown> & { query?: string | undefined };

interface MadeTool extends Partial<
  Pick<ContextMode<Config>, 'placeholder' | 'timeoutMs' | 'status' | 'rewritesQuery'>
> {
  readonly config?: z.ZodType<Config>;
  readonly run?: (input: ContextInput<Config>) => ToolResult | Promise<ToolResult>;
}

/** A tool for tests: takes any configuration, may refer to placeholders in `query`, and says its own name. */
export function makeTool(name: string, { placeholder = name, config, run, ...mode }: MadeTool = {}): Tool {
  return defineTool({
    name,
    version: '1.0',
    category: 'none',
    title: name,
    description: `The tool ${name}.`,
    config: config ?? z.looseObject({ query: z.string().optional() }),
    templated: ['query'],
    context: {
      placeholder,
      ...mode,
      run: async (input) => (run ? run(input) : { content: `what ${name} found` }),
    },
  });
}
