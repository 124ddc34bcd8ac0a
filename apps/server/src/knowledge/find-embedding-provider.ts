import { EmbeddingFailure, type EmbeddingProvider } from '@lamb/knowledge';
import type { OrganizationSetup } from '../organization/read-organization-setup.ts';

const OPENAI_URL = 'https://api.openai.com/v1';
/** Connectors whose providers make no vectors. */
const WITHOUT_VECTORS = new Set(['anthropic', 'banana_img', 'bypass']);

/** How the organisation's provider of vectors is spoken to: `ollama` in its own way, every other one in OpenAI's. */
export function findEmbeddingProvider({ providers }: OrganizationSetup, name: string): EmbeddingProvider {
  const setup = Object.hasOwn(providers, name) ? providers[name] : undefined;
  const wire = name === 'ollama' ? 'ollama' : 'openai';
  const baseUrl = filled(setup?.base_url) ?? (name === 'openai' ? OPENAI_URL : undefined);
  if (!setup?.enabled || baseUrl === undefined || WITHOUT_VECTORS.has(name)) {
    throw new EmbeddingFailure(
      'not_configured',
      `The organisation has not set up “${name}” as a provider of vectors. An administrator can do that, or the collection is reindexed with another one.`,
    );
  }
  return { wire, baseUrl, apiKey: filled(setup.api_key) };
}

function filled(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
