import { describeConnector } from '@lamb/plugin-kit/conformance';
import { expect, test } from 'vitest';
import { createBypassConnector } from './bypass.ts';

describeConnector({
  name: 'bypass',
  features: [],
  sampling: [],
  readRequest() {
    throw new Error('There is no request to read.');
  },
  start: () =>
    Promise.resolve({
      create: createBypassConnector,
      settings: {},
      unreachable: {},
      provider: { requests: [], script: () => undefined, reset: () => undefined },
      countReceivedBytes: () => 0,
      stop: () => Promise.resolve(),
    }),
});

test('the answer is the messages', async () => {
  const messages = [
    { role: 'system' as const, content: 'Be kind.' },
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'Ünïcode \u2028 {context}' }] },
  ];
  const call = { settings: {}, model: 'any', messages, sampling: {}, signal: new AbortController().signal };
  for await (const batch of createBypassConnector().stream(call)) {
    expect(batch).toEqual([
      { type: 'text', text: JSON.stringify(messages, null, 2) },
      { type: 'finish', reason: 'stop' },
    ]);
  }
});
