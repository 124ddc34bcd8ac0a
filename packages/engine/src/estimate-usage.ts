import type { Usage } from '@lamb/contract';

const CHARS_PER_TOKEN = 4;

/** What a model call used, roughly, where the provider did not count or did not come to it. */
export function estimateUsage(promptChars: number, answerChars: number): Usage {
  const prompt_tokens = Math.ceil(promptChars / CHARS_PER_TOKEN);
  const completion_tokens = Math.ceil(answerChars / CHARS_PER_TOKEN);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens, estimated: true };
}
