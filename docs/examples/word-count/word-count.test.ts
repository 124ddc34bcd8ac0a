import { createTestHost, describeTool } from '@lamb/plugin-kit/conformance';
import { expect, test } from 'vitest';
import { wordCount } from './word-count.ts';

const host = createTestHost();

describeTool(wordCount, {
  validConfigs: [{}, { minimum: 100 }],
  invalidConfigs: [{ config: { minimum: -1 }, path: 'minimum' }],
  host,
});

test('it says how many words are missing', async () => {
  const { signal } = new AbortController();
  const config = { minimum: 5 };
  const result = await wordCount.context?.run({ config, query: 'a leaf is', messages: [], host, signal });
  expect(result?.content).toBe('3 words, 2 fewer than required');
});
