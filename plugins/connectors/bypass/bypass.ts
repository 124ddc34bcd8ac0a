import { defineConnector, type Connector } from '@lamb/plugin-kit';

/** The connector that answers with the messages a model would have been sent, so that a creator can see them. */
export function createBypassConnector(): Connector {
  return defineConnector({
    name: 'bypass',
    title: 'Bypass',
    description: 'No model: answers with the exact messages that a model would have been sent, as JSON.',
    requires: [],
    needsProvider: false,
    // eslint-disable-next-line @typescript-eslint/require-await -- the interface is asynchronous, this answer is at hand
    async *stream({ messages, signal }) {
      signal.throwIfAborted();
      yield [
        { type: 'text', text: JSON.stringify(messages, null, 2) },
        { type: 'finish', reason: 'stop' },
      ];
    },
  });
}
