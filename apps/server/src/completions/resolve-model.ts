import { AppError } from '@lamb/contract';
import type { Catalogue, OpenModel } from '@lamb/engine';
import type { Connector, ProviderSettings } from '@lamb/plugin-kit';
import type { OrganizationSetup } from '../organization/read-organization-setup.ts';

interface Wanted {
  readonly connector: string;
  readonly model: string;
}

/**
 * Finds the model that a turn talks to. An assistant's own model is taken when its provider offers it; otherwise the
 * provider's default, then its first model; when the provider is not set up, the organisation's default model.
 */
export function resolveModel(wanted: Wanted, setup: OrganizationSetup, catalogue: Catalogue): OpenModel {
  const own = openProvider(wanted.connector, wanted.model, setup, catalogue);
  if (own) return own;
  const fallback = setup.defaultModel;
  const other = fallback && openProvider(fallback.provider, fallback.model, setup, catalogue);
  if (other) return other;
  throw new AppError('provider_not_configured', {
    message: `The organisation has not set up the provider “${wanted.connector}”, and has no default model.`,
  });
}

/** The organisation's small fast model, when it has one. */
export function resolveSmallModel(setup: OrganizationSetup, catalogue: Catalogue): OpenModel | undefined {
  const small = setup.smallFastModel;
  return small && openProvider(small.provider, small.model, setup, catalogue);
}

function openProvider(
  name: string,
  model: string,
  setup: OrganizationSetup,
  catalogue: Catalogue,
): OpenModel | undefined {
  const connector = catalogue.findConnector(name);
  if (!connector) return undefined;
  if (!connector.needsProvider) return { connector, model: model === '' ? connector.name : model, settings: {} };
  const provider = Object.hasOwn(setup.providers, connector.name) ? setup.providers[connector.name] : undefined;
  if (!provider?.enabled) return undefined;
  const settings: ProviderSettings = {
    organizationId: setup.organizationId,
    ...(provider.base_url === undefined || provider.base_url === '' ? {} : { baseUrl: provider.base_url }),
    ...(provider.api_key === undefined || provider.api_key === '' ? {} : { apiKey: provider.api_key }),
  };
  if (!hasAll(connector, settings)) return undefined;
  const offered = provider.models.length === 0 || provider.models.includes(model);
  const chosen = offered && model !== '' ? model : (provider.default_model ?? provider.models[0]);
  return chosen === undefined ? undefined : { connector, model: chosen, settings };
}

function hasAll(connector: Connector, settings: ProviderSettings): boolean {
  return connector.requires.every((name) => settings[name] !== undefined);
}
