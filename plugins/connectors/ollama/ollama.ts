import { defineConnector, type Connector } from '@lamb/plugin-kit';
import type { Dispatcher } from 'undici';
import { locateEndpoint } from '../wire/locate-endpoint.ts';
import { streamEvents } from '../wire/stream-events.ts';
import { createOllamaReader } from './create-ollama-reader.ts';
import { toOllamaRequest } from './to-ollama-request.ts';

/** The connector for Ollama's own chat API. */
export function createOllamaConnector({ dispatcher }: { dispatcher: Dispatcher }): Connector {
  return defineConnector({
    name: 'ollama',
    title: 'Ollama',
    description:
      'Models on an Ollama server, through its own API. A key is sent when one is set, for servers behind a gateway.',
    requires: ['baseUrl'],
    needsProvider: true,
    stream(call) {
      const { baseUrl, apiKey } = call.settings;
      return streamEvents(() => ({
        dispatcher,
        url: locateEndpoint(baseUrl, '/api/chat'),
        headers: {
          'content-type': 'application/json',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify(toOllamaRequest(call)),
        apiKey,
        signal: call.signal,
        reader: createOllamaReader(apiKey),
      }));
    },
  });
}
