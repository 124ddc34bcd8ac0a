import { AppError, EmbeddingChoice, OrganizationConfig } from '@lamb/contract';
import type { OrganizationSetup } from '../organization/read-organization-setup.ts';
import { findEmbeddingProvider } from './find-embedding-provider.ts';

/** What new collections get where the organisation has not said otherwise: the usual model of the first provider that has one. */
const USUAL_MODELS: readonly EmbeddingChoice[] = [
  { provider: 'openai', model: 'text-embedding-3-small' },
  { provider: 'ollama', model: 'nomic-embed-text' },
];

/** The organisation's own choice of a model for vectors, from `knowledge_base.embedding` of its setup, or the usual one. */
export function chooseEmbedding(setup: OrganizationSetup, document: unknown): EmbeddingChoice {
  const { setups } = OrganizationConfig.parse(document ?? {});
  const all = Object.values(setups);
  const current = all.find((each) => each.is_default) ?? setups['default'] ?? all[0];
  const chosen = EmbeddingChoice.safeParse(current?.knowledge_base?.embedding);
  if (chosen.success) return chosen.data;
  const usual = USUAL_MODELS.find(({ provider }) => isSetUp(setup, provider));
  if (usual) return usual;
  throw new AppError('provider_not_configured', {
    message:
      'The organisation has no provider of vectors: `openai`, `ollama`, or `knowledge_base.embedding` in its setup.',
  });
}

function isSetUp(setup: OrganizationSetup, provider: string): boolean {
  try {
    findEmbeddingProvider(setup, provider);
    return true;
  } catch {
    return false;
  }
}
