import { EmbeddingFailure } from '@lamb/knowledge';
import type { CollectionResource } from '@lamb/contract';
import type { Collection } from '@lamb/store';
import type { Config } from '../config.ts';
import { findEmbeddingProvider } from '../knowledge/find-embedding-provider.ts';
import { isExternalProvider } from '../knowledge/is-external-provider.ts';
import type { OrganizationSetup } from '../organization/read-organization-setup.ts';

/** What the owner of a collection should know: about the provider of its vectors, and why it could not be read anew. */
export function listWarnings(
  collection: Pick<Collection, 'embedding' | 'reindexProblem'>,
  setup: OrganizationSetup,
  config: Pick<Config, 'outboundAllow'>,
): CollectionResource['warnings'] {
  const { reindexProblem } = collection;
  const warnings = warnOfProvider(collection, setup, config);
  if (reindexProblem === null) return warnings;
  const message = `The collection could not be read anew, and is searched as before. ${reindexProblem}`;
  return [...warnings, { code: 'reindex_failed', message }];
}

function warnOfProvider(
  { embedding: { provider: name } }: Pick<Collection, 'embedding'>,
  setup: OrganizationSetup,
  config: Pick<Config, 'outboundAllow'>,
): CollectionResource['warnings'] {
  try {
    const { baseUrl } = findEmbeddingProvider(setup, name);
    if (!isExternalProvider(baseUrl, config)) return [];
    const message = `The texts of this collection, and what is searched for in it, leave for an external provider: ${URL.parse(baseUrl)?.hostname ?? name}.`;
    return [{ code: 'external_provider', message }];
  } catch (error) {
    if (!(error instanceof EmbeddingFailure)) throw error;
    return [{ code: 'provider_missing', message: error.message }];
  }
}
