import { Source } from '@lamb/contract';
import { z } from 'zod';

/** What a tool gives back. `error` says in a sentence that is safe to show why there is nothing. */
export const ToolResult = z.object({
  content: z.string(),
  sources: z.array(Source).default([]),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  error: z.string().optional(),
});
export type ToolResult = z.input<typeof ToolResult>;
