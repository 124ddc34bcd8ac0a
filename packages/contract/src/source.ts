import { z } from 'zod';

/** Where a piece of gathered context came from, as shown to people and attributed to the tool that found it. */
export const Source = z
  .object({
    title: z.string(),
    kind: z.string().optional(),
    id: z.string().optional(),
    document_id: z.string().optional(),
    /** The headings that the passage stands under, outermost first. */
    heading_path: z.array(z.string()).optional(),
    page: z.number().int().optional(),
    /** The last page of a passage that goes over more than one. */
    page_to: z.number().int().optional(),
    /** Where a person can read it; of a passage, its stable link. */
    url: z.string().optional(),
    similarity: z.number().optional(),
    /** What `[n]` in the answer points at it, where passages are numbered; unique in a turn. */
    number: z.number().int().min(1).optional(),
  })
  .meta({ id: 'Source' });
export type Source = z.infer<typeof Source>;

/** A source together with the tool and the placeholder it arrived through. */
export const AttributedSource = Source.extend({ tool: z.string(), placeholder: z.string() }).meta({
  id: 'AttributedSource',
});
export type AttributedSource = z.infer<typeof AttributedSource>;
