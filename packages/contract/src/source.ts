import { z } from 'zod';

/** Where a piece of gathered context came from, as shown to people and attributed to the tool that found it. */
export const Source = z
  .object({
    title: z.string(),
    kind: z.string().optional(),
    id: z.string().optional(),
    url: z.string().optional(),
    page: z.number().int().optional(),
    similarity: z.number().optional(),
  })
  .meta({ id: 'Source' });
export type Source = z.infer<typeof Source>;

/** A source together with the tool and the placeholder it arrived through. */
export const AttributedSource = Source.extend({ tool: z.string(), placeholder: z.string() }).meta({
  id: 'AttributedSource',
});
export type AttributedSource = z.infer<typeof AttributedSource>;
