import { defineConnector, type Connector } from '@lamb/plugin-kit';
import type { Dispatcher } from 'undici';
import { locateEndpoint } from '../wire/locate-endpoint.ts';
import { streamEvents } from '../wire/stream-events.ts';
import { createGeminiReader } from './create-gemini-reader.ts';
import { toGeminiRequest } from './to-gemini-request.ts';

const defaultBaseUrl = 'https://generativelanguage.googleapis.com';

/** The connector for Gemini's image models: the answer is text and images, the images as markdown with data URLs. */
export function createBananaImgConnector({ dispatcher }: { dispatcher: Dispatcher }): Connector {
  return defineConnector({
    name: 'banana_img',
    title: 'Gemini images',
    description: 'Gemini models that draw. The answer is what they say, followed by the images.',
    requires: ['apiKey'],
    needsProvider: true,
    stream(call) {
      const { baseUrl = defaultBaseUrl, apiKey } = call.settings;
      const model = encodeURIComponent(call.model.replace(/^models\//u, ''));
      return streamEvents(() => ({
        dispatcher,
        // Some keep the version in the address, as other connectors' addresses do.
        url: locateEndpoint(baseUrl.replace(/\/v1beta\/?$/u, ''), `/v1beta/models/${model}:generateContent`),
        headers: {
          'content-type': 'application/json',
          ...(apiKey === undefined ? {} : { 'x-goog-api-key': apiKey }),
        },
        body: JSON.stringify(toGeminiRequest(call)),
        apiKey,
        signal: call.signal,
        reader: createGeminiReader(),
      }));
    },
  });
}
