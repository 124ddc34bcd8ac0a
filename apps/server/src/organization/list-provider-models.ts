import type { ProviderSettings } from '@lamb/plugin-kit';
import { z } from 'zod';
import type { OutboundFetch } from '../outbound/create-outbound-fetch.ts';
import { ConnectionProblem } from './connection-problem.ts';
import { askService } from './ask-service.ts';

interface ModelList {
  readonly defaultBaseUrl?: string;
  readonly path: string;
  headers(apiKey: string): Record<string, string>;
  /** Where the names are in the reply. */
  readonly reply: z.ZodType<string[]>;
}

const openAiReply = z
  .object({ data: z.array(z.object({ id: z.string() })) })
  .transform(({ data }) => data.map(({ id }) => id));
const named = z.object({ models: z.array(z.object({ name: z.string() })) });

/** How each kind of provider is asked what it offers. */
const lists: Readonly<Record<string, ModelList>> = {
  openai: {
    defaultBaseUrl: 'https://api.openai.com/v1',
    path: '/models',
    headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
    reply: openAiReply,
  },
  anthropic: {
    defaultBaseUrl: 'https://api.anthropic.com/v1',
    path: '/models',
    headers: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
    reply: openAiReply,
  },
  ollama: {
    path: '/api/tags',
    headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
    reply: named.transform(({ models }) => models.map(({ name }) => name)),
  },
  banana_img: {
    defaultBaseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    path: '/models',
    headers: (apiKey) => ({ 'x-goog-api-key': apiKey }),
    reply: named.transform(({ models }) => models.map(({ name }) => name.replace(/^models\//, ''))),
  },
};

/** Asks a provider which models it offers. Throws a `ConnectionProblem`. */
export async function listProviderModels(
  connector: string,
  { baseUrl, apiKey }: ProviderSettings,
  fetch: OutboundFetch,
  signal: AbortSignal,
): Promise<string[]> {
  const list = Object.hasOwn(lists, connector) ? lists[connector] : undefined;
  const base = baseUrl ?? list?.defaultBaseUrl;
  if (!list || base === undefined) throw new ConnectionProblem('not_configured');
  const headers = apiKey === undefined ? {} : list.headers(apiKey);
  const answer = await askService(`${base.replace(/\/+$/, '')}${list.path}`, { headers }, fetch, signal);
  const parsed = list.reply.safeParse(answer);
  if (!parsed.success) throw new ConnectionProblem('unexpected_answer');
  return parsed.data.slice(0, MAX_MODELS).toSorted((one, other) => one.localeCompare(other));
}

const MAX_MODELS = 2000;
