import { Artifact, Source } from '@lamb/contract';
import { z } from 'zod';

/** What a tool gives back. `error` says in a sentence that is safe to show why there is nothing. */
export const ToolResult = z.object({
  content: z.string(),
  sources: z.array(Source).default([]),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  /** Things to look at beside the text, such as a diff; only of functions. */
  artifacts: z.array(Artifact).optional(),
  error: z.string().optional(),
});
export type ToolResult = z.input<typeof ToolResult>;
