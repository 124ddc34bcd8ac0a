import { createAnthropic } from '@ai-sdk/anthropic';
import { AppError } from '@lamb/contract';
import type { Connector } from '@lamb/plugin-kit';
import type { Dispatcher } from 'undici';
import { createAiSdkConnector } from '../ai-sdk/create-ai-sdk-connector.ts';
import { createFetch } from '../ai-sdk/create-fetch.ts';
import { locateEndpoint } from '../wire/locate-endpoint.ts';

const defaultBaseUrl = 'https://api.anthropic.com/v1';

/** The connector for Anthropic's models, through the AI SDK's provider. */
export function createAnthropicConnector({ dispatcher }: { dispatcher: Dispatcher }): Connector {
  const fetch = createFetch(dispatcher);
  return createAiSdkConnector({
    name: 'anthropic',
    title: 'Anthropic',
    description: 'Claude models, through Anthropic’s messages API.',
    requires: ['apiKey'],
    createModel({ baseUrl = defaultBaseUrl, apiKey }, model) {
      // Without a key the package would take the operator's from the environment.
      if (apiKey === undefined || apiKey === '') throw new AppError('provider_not_configured');
      return createAnthropic({ baseURL: locateEndpoint(baseUrl, '').href, apiKey, fetch })(model);
    },
  });
}
