import type { EmbeddingOffers } from '@lamb/contract';
import type { Config } from '../config.ts';
import { chooseEmbedding } from '../knowledge/choose-embedding.ts';
import { findEmbeddingProvider } from '../knowledge/find-embedding-provider.ts';
import { isExternalProvider } from '../knowledge/is-external-provider.ts';
import type { OrganizationSetup } from '../organization/read-organization-setup.ts';

/** Models whose names say that they make vectors, by the habit of their makers. */
const MAKES_VECTORS = /embed|bge-|gte-|(?:^|[/-])e5-|minilm/i;

/** What a new collection can be made with: the organisation's own choice, and its providers that make vectors. */
export function listEmbeddingOffers(
  setup: OrganizationSetup,
  document: unknown,
  config: Pick<Config, 'outboundAllow'>,
): EmbeddingOffers {
  return {
    default: attempt(() => {
      const { provider, model } = chooseEmbedding(setup, document);
      return { provider, model };
    }),
    providers: Object.entries(setup.providers).flatMap(([name, { models }]) => {
      const found = attempt(() => findEmbeddingProvider(setup, name));
      if (!found) return [];
      const external = isExternalProvider(found.baseUrl, config) ? (URL.parse(found.baseUrl)?.hostname ?? name) : null;
      return [{ name, models: models.filter((model) => MAKES_VECTORS.test(model)), external }];
    }),
  };
}

/** Null for what the organisation has not set up. */
function attempt<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch {
    return null;
  }
}
