import type { EmbeddingChoice, Principal } from '@lamb/contract';
import { EmbeddingFailure } from '@lamb/knowledge';
import { getOrganizationConfig, withTenant, type CollectionEmbedding } from '@lamb/store';
import { chooseEmbedding } from '../knowledge/choose-embedding.ts';
import { findEmbeddingProvider } from '../knowledge/find-embedding-provider.ts';
import { toEmbeddingError } from '../knowledge/to-embedding-error.ts';
import { readOrganizationSetup } from '../organization/read-organization-setup.ts';
import type { Services } from '../services.ts';

/** The model a collection is made with: the one that was chosen, or the organisation's; how long its vectors are is asked where it was not said. */
export async function resolveEmbedding(
  { db, embedder }: Pick<Services, 'db' | 'embedder'>,
  { organizationId, userId }: Principal,
  choice: EmbeddingChoice | undefined,
  signal: AbortSignal,
): Promise<CollectionEmbedding> {
  const document = await withTenant(db, organizationId, (tx) => getOrganizationConfig(tx));
  const setup = readOrganizationSetup(organizationId, document);
  const { provider, model, dimensions } = choice ?? chooseEmbedding(setup, document);
  try {
    findEmbeddingProvider(setup, provider);
  } catch (error) {
    throw error instanceof EmbeddingFailure ? toEmbeddingError(error) : error;
  }
  const length = dimensions ?? (await embedder.measureDimensions({ organizationId, userId, provider, model }, signal));
  return { provider, model, dimensions: length };
}
