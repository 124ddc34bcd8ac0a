import { OrganizationConfig, type ProviderSetup } from '@lamb/contract';

/** What of an organisation's configuration a turn works with. */
export interface OrganizationSetup {
  readonly organizationId: string;
  readonly providers: Readonly<Record<string, ProviderSetup>>;
  readonly defaultModel: { provider: string; model: string } | undefined;
  readonly smallFastModel: { provider: string; model: string } | undefined;
  /** Whose vectors new collections get unless they say otherwise. */
  readonly embedding: { provider: string; model: string } | undefined;
  readonly knowledgeServer: { url: string; apiKey: string } | undefined;
  readonly moodle: { url: string; token: string } | undefined;
}

/** Reads the default setup of a configuration, in any of the shapes that installations have; `kb_server` wins over the older `knowledge_base`. */
export function readOrganizationSetup(organizationId: string, document: unknown): OrganizationSetup {
  const config = OrganizationConfig.parse(document ?? {});
  const setup = config.setups[findDefaultSetup(config)];
  return {
    organizationId,
    providers: setup?.providers ?? {},
    defaultModel: setup?.global_default_model,
    smallFastModel: setup?.small_fast_model ?? setup?.fast_model,
    embedding: setup?.knowledge_base?.embedding,
    knowledgeServer:
      readServer(config.kb_server?.url, config.kb_server?.api_key) ??
      readServer(setup?.knowledge_base?.server_url, setup?.knowledge_base?.api_token),
    moodle: readMoodle(config.moodle),
  };
}

/** The key of the setup that turns work with; `default` when there is none yet. */
export function findDefaultSetup({ setups }: Pick<OrganizationConfig, 'setups'>): string {
  const keys = Object.keys(setups);
  const marked = keys.find((key) => setups[key]?.is_default);
  return marked ?? (Object.hasOwn(setups, 'default') ? 'default' : (keys[0] ?? 'default'));
}

function readServer(url: string | undefined, apiKey = ''): { url: string; apiKey: string } | undefined {
  return url === undefined || url === '' ? undefined : { url, apiKey };
}

/** Without a token there is nothing that Moodle would answer. */
function readMoodle({ url = '', token = '' }: OrganizationConfig['moodle'] = {}): OrganizationSetup['moodle'] {
  return url === '' || token === '' ? undefined : { url, token };
}
