import { expect, test } from 'vitest';
import { toOpenAiRequest } from './to-openai-request.ts';

const { signal } = new AbortController();
const limit = (settings: { baseUrl?: string }, sampling: { max_tokens?: number; max_completion_tokens?: number }) => {
  const request = toOpenAiRequest({ settings, model: 'm', messages: [], sampling, signal });
  return [request['max_tokens'], request['max_completion_tokens']];
};

test.each([
  [{}, { max_tokens: 7 }, [undefined, 7]],
  [{ baseUrl: 'https://api.openai.com/v1' }, { max_tokens: 7 }, [undefined, 7]],
  [{ baseUrl: 'https://campus.openai.azure.com/openai/v1' }, { max_tokens: 7 }, [undefined, 7]],
  [{ baseUrl: 'https://api.openai.com/v1' }, { max_tokens: 7, max_completion_tokens: 5 }, [undefined, 5]],
  [{ baseUrl: 'https://api.openai.com/v1' }, {}, [undefined, undefined]],
  [{ baseUrl: 'https://api.openai.com.evil.test/v1' }, { max_tokens: 7 }, [7, undefined]],
  [{ baseUrl: 'http://vllm.campus.test/v1' }, { max_tokens: 7, max_completion_tokens: 5 }, [7, 5]],
])('the longest answer, at %o, of %o', (settings, sampling, sent) => {
  expect(limit(settings, sampling)).toEqual(sent);
});
