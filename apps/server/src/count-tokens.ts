import { createRequire } from 'node:module';

interface Encode { countTokens(text: string): number }

let encoding: Encode | undefined;

/** Counts tokens as current OpenAI models do. Its tables are large, so they are loaded when a trace first needs them. */
export function countTokens(text: string): number {
  encoding ??= createRequire(import.meta.url)('gpt-tokenizer/encoding/o200k_base') as Encode;
  return encoding.countTokens(text);
}
