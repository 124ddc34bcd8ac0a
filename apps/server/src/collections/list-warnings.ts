import { EmbeddingFailure } from '@lamb/knowledge';
import type { CollectionResource } from '@lamb/contract';
import type { Collection } from '@lamb/store';
import type { Config } from '../config.ts';
import { findEmbeddingProvider } from '../knowledge/find-embedding-provider.ts';
import { isExternalProvider } from '../knowledge/is-external-provider.ts';
import type { OrganizationSetup } from '../organization/read-organization-setup.ts';

/** What the owner of a collection should know about the provider of its vectors. */
export function listWarnings(
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
