import { readFileSync } from 'node:fs';
import { ChatMessage, Rubric } from '@lamb/contract';
import { z } from 'zod';

const Passage = z.strictObject({
  text: z.string(),
  similarity: z.number(),
  title: z.string(),
  url: z.string().optional(),
  page: z.number().optional(),
});
/** A passage as a golden case writes it. */
export type GoldenPassage = z.infer<typeof Passage>;

const GoldenCase = z.strictObject({
  case: z.string(),
  assistant: z.strictObject({
    system_prompt: z.string().default(''),
    prompt_template: z.string().default(''),
    metadata: z.record(z.string(), z.unknown()),
    rag_collections: z.string().optional(),
    rag_top_k: z.number().optional(),
  }),
  end_user: z
    .strictObject({ id: z.string(), email: z.string().optional(), lmsUserId: z.string().optional() })
    .default({ id: 'user-1' }),
  messages: z.array(ChatMessage),
  /** What the tools find: passages by collection (or “down”), rubrics by id, texts by path. */
  knowledge: z.record(z.string(), z.union([z.literal('down'), z.array(Passage)])).default({}),
  rubrics: z.record(z.string(), Rubric).default({}),
  files: z.record(z.string(), z.string()).default({}),
  /** What the organisation's small fast model answers; “down” when it fails. */
  small_model: z.string().optional(),
  expect: z.strictObject({
    messages: z.array(z.unknown()),
    /** What the knowledge base was asked, as “collection: query”. */
    searched: z.array(z.string()).default([]),
    problems: z.array(z.string()).default([]),
  }),
});
export type GoldenCase = z.infer<typeof GoldenCase>;

/** Reads a file of golden cases: an assistant, a request and what its tools find, with the exact messages for the model. */
export function readGoldenCases(name: string): GoldenCase[] {
  const file = new URL(`__fixtures__/${name}.json`, import.meta.url);
  return z.array(GoldenCase).parse(JSON.parse(readFileSync(file, 'utf8')));
}
