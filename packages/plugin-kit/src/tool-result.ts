import { Artifact, Source } from '@lamb/contract';
import { z } from 'zod';

/** A passage that the model is to cite, and where it comes from. */
export const CitablePassage = z.object({ text: z.string(), source: Source });
export type CitablePassage = z.infer<typeof CitablePassage>;

/** What a tool gives back. `error` says in a sentence that is safe to show why there is nothing. */
export const ToolResult = z.object({
  content: z.string(),
  /**
   * Passages to be cited with `[n]`. The engine numbers them over all tools of the turn and puts them after `content`; a tool
   * that was asked for them and found nothing gives an empty list.
   */
  passages: z.array(CitablePassage).optional(),
  /** Where `content` comes from. When it carries markers of its own, they are the sources' numbers, and the engine changes both. */
  sources: z.array(Source).default([]),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  /** Things to look at beside the text, such as a diff; only of functions. */
  artifacts: z.array(Artifact).optional(),
  error: z.string().optional(),
});
export type ToolResult = z.input<typeof ToolResult>;
