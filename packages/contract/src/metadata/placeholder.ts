import { z } from 'zod';

const grammar = /^[a-z][a-z0-9_]*$/;

/** The placeholder that the user's message fills; no tool may claim it. */
export const USER_INPUT = 'user_input';

/** A placeholder's name: what stands between the braces in `{context}`. */
export const PlaceholderName = z
  .string()
  .max(64)
  .regex(grammar, 'A placeholder is lower-case letters, digits and _, starting with a letter: for example context_2.')
  .refine((name) => name !== 'constructor', '“constructor” is not allowed as a placeholder; choose another name.');
export type PlaceholderName = z.infer<typeof PlaceholderName>;
