import { z } from 'zod';
import { PromptSpan, ToolProblem } from './run-event.ts';

/** What one context tool did: its input without secrets, the size of its output and its time. */
export const ToolTrace = z
  .object({
    tool: z.string(),
    placeholder: z.string(),
    level: z.number().int(),
    input: z.record(z.string(), z.unknown()),
    output_chars: z.number().int(),
    sources: z.number().int(),
    milliseconds: z.number(),
    problem: ToolProblem.optional(),
  })
  .meta({ id: 'ToolTrace' });
export type ToolTrace = z.infer<typeof ToolTrace>;

/** What a `verbose` assistant records of a turn, for those who may edit it. Sizes and identifiers, no contents but the rewritten question. */
export const RunTrace = z
  .object({
    run_id: z.string(),
    assistant_id: z.number(),
    connector: z.string(),
    model: z.string(),
    /** What tools searched with, when the question was rewritten from the conversation; absent, it was the person's own words. */
    query: z.string().optional(),
    tools: z.array(ToolTrace),
    prompt: z.array(PromptSpan),
    prompt_tokens: z.number().int(),
  })
  .meta({ id: 'RunTrace' });
export type RunTrace = z.infer<typeof RunTrace>;
