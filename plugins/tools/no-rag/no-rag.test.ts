import type { ToolHost } from '@lamb/plugin-kit';
import { describeTool } from '@lamb/plugin-kit/conformance';
import { expect, test } from 'vitest';
import { noRag } from './no-rag.ts';

const closed = () => Promise.reject(new Error('no_rag asks nothing of the host'));
const host: ToolHost = { knowledge: { query: closed }, rubrics: { get: closed }, files: { read: closed } };

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
