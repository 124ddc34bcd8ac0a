import { OrganizationConfig, type ProviderSetup } from '@lamb/contract';

/** What of an organisation's configuration a turn works with. */
export interface OrganizationSetup {
  readonly organizationId: string;
  readonly providers: Readonly<Record<string, ProviderSetup>>;
  readonly defaultModel: { provider: string; model: string } | undefined;
  readonly smallFastModel: { provider: string; model: string } | undefined;
  readonly knowledgeServer: { url: string; apiKey: string } | undefined;
  readonly moodle: { url: string; token: string } | undefined;
}

/** Reads the default setup of a configuration, in any of the shapes that installations have; `kb_server` wins over the older `knowledge_base`. */
export function readOrganizationSetup(organizationId: string, document: unknown): OrganizationSetup {
  const config = OrganizationConfig.parse(document ?? {});
  const setups = Object.values(config.setups);
  const setup = setups.find((candidate) => candidate.is_default) ?? config.setups['default'] ?? setups[0];
  return {
    organizationId,
    providers: setup?.providers ?? {},
    defaultModel: setup?.global_default_model,
    smallFastModel: setup?.small_fast_model ?? setup?.fast_model,
    knowledgeServer:
      readServer(config.kb_server?.url, config.kb_server?.api_key) ??
      readServer(setup?.knowledge_base?.server_url, setup?.knowledge_base?.api_token),
    moodle: readMoodle(config.moodle),
  };
}

function readServer(url: string | undefined, apiKey = ''): { url: string; apiKey: string } | undefined {
  return url === undefined || url === '' ? undefined : { url, apiKey };
}

/** Without a token there is nothing that Moodle would answer. */
function readMoodle({ url = '', token = '' }: OrganizationConfig['moodle'] = {}): OrganizationSetup['moodle'] {
  return url === '' || token === '' ? undefined : { url, token };
}
