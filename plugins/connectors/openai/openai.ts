import { defineConnector, type Connector } from '@lamb/plugin-kit';
import type { Dispatcher } from 'undici';
import { locateEndpoint } from '../wire/locate-endpoint.ts';
import { streamEvents } from '../wire/stream-events.ts';
import { createOpenAiReader } from './create-openai-reader.ts';
import { toOpenAiRequest } from './to-openai-request.ts';

const defaultBaseUrl = 'https://api.openai.com/v1';

/** The connector for OpenAI and everything that speaks its chat completions, such as vLLM, LM Studio or a gateway. */
export function createOpenAiConnector({ dispatcher }: { dispatcher: Dispatcher }): Connector {
  return defineConnector({
    name: 'openai',
    title: 'OpenAI-compatible',
    description: 'OpenAI, or any server with its chat completions API. A server that asks for no key takes any.',
    requires: ['apiKey'],
    needsProvider: true,
    stream(call) {
      const { baseUrl = defaultBaseUrl, apiKey } = call.settings;
      return streamEvents(() => ({
        dispatcher,
        url: locateEndpoint(baseUrl, '/chat/completions'),
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify(toOpenAiRequest(call)),
        apiKey,
        signal: call.signal,
        reader: createOpenAiReader(apiKey),
      }));
    },
  });
}
