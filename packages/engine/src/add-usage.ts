import type { Usage } from '@lamb/contract';

/** What two model calls used together. */
export function addUsage(sum: Usage, added: Usage): Usage {
  return {
    prompt_tokens: sum.prompt_tokens + added.prompt_tokens,
    completion_tokens: sum.completion_tokens + added.completion_tokens,
    total_tokens: sum.total_tokens + added.total_tokens,
    estimated: sum.estimated || added.estimated,
  };
}
