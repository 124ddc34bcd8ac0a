import { createTestHost, describeTool } from '@lamb/plugin-kit/conformance';
import { expect, test } from 'vitest';
import { noRag } from './no-rag.ts';

const host = createTestHost();

describeTool(noRag, {
  validConfigs: [{}, { left_over: 'of an earlier version' }],
  invalidConfigs: [{ config: 'nothing', path: '' }],
  host,
});

test('it adds nothing', async () => {
  const { signal } = new AbortController();
  expect(await noRag.context?.run({ config: {}, query: 'q', messages: [], host, signal })).toEqual({
    content: '',
    sources: [],
  });
});
