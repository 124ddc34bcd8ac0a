import {
  AppError,
  ConnectionTest,
  OfferedModels,
  ProviderList,
  ProviderTestBody,
  ServiceTestBody,
  type Principal,
} from '@lamb/contract';
import type { Connector, ProviderSettings } from '@lamb/plugin-kit';
import { withTenant } from '@lamb/store';
import { randomUUID } from 'node:crypto';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { createRequestLimiter } from '../budget/create-request-limiter.ts';
import { createModelAsker } from '../completions/create-model-asker.ts';
import { followClient } from '../http/follow-client.ts';
import { askService } from '../organization/ask-service.ts';
import { ConnectionProblem } from '../organization/connection-problem.ts';
import { listProviderModels } from '../organization/list-provider-models.ts';
import { loadOrganizationSetup } from '../organization/load-organization-setup.ts';
import type { OrganizationSetup } from '../organization/read-organization-setup.ts';
import { tryConnection } from '../organization/try-connection.ts';
import { tryMoodle } from '../organization/try-moodle.ts';
import type { Services } from '../services.ts';

const tags = ['Providers'];
const current = '/lamb/v1/organizations/current';
const Params = z.object({ name: z.string().max(64) });
const TRIES_PER_MINUTE = 30;
const wireNames = { baseUrl: 'base_url', apiKey: 'api_key' } as const;

/** Model providers and other services of an organisation: what there is, and whether it works. */
export function providerRoutes(services: Services): FastifyPluginCallbackZod {
  const { db, secretBox, catalogue, outboundFetch } = services;
  const limiter = createRequestLimiter();

  async function readSetup({ organizationId }: Principal): Promise<OrganizationSetup> {
    return await withTenant(db, organizationId, (tx) => loadOrganizationSetup(tx, secretBox));
  }

  /** Each try is a request to an address of the administrator's choice. */
  function limitTries({ organizationId }: Principal): void {
    const seconds = limiter.take(organizationId, TRIES_PER_MINUTE);
    if (seconds === undefined) return;
    throw new AppError('rate_limited', { details: { retry_after: seconds } });
  }

  function requireConnector(name: string): Connector {
    const connector = catalogue.connectors.find((each) => each.name === name && each.needsProvider);
    if (connector) return connector;
    const known = catalogue.connectors.filter((each) => each.needsProvider).map((each) => each.name);
    throw new AppError('not_found', { message: `There is no such provider. There are: ${known.join(', ')}.` });
  }

  return (app, _options, done) => {
    app.get(
      `${current}/providers`,
      {
        config: { access: 'organization.configure' },
        schema: { tags, summary: 'List the providers, and what is set up', response: { 200: ProviderList } },
      },
      async ({ principal }) => {
        const { providers } = await readSetup(principal);
        return {
          items: catalogue.connectors
            .filter(({ needsProvider }) => needsProvider)
            .map((connector) => {
              const setup = Object.hasOwn(providers, connector.name) ? providers[connector.name] : undefined;
              return {
                name: connector.name,
                title: connector.title,
                description: connector.description,
                requires: connector.requires.flatMap((each) => (each === 'organizationId' ? [] : [wireNames[each]])),
                configured: setup !== undefined,
                enabled: setup?.enabled ?? false,
                base_url: setup?.base_url ?? null,
                has_key: (setup?.api_key ?? '') !== '',
                models: setup?.models ?? [],
                default_model: setup?.default_model ?? null,
              };
            }),
        };
      },
    );

    app.get(
      `${current}/providers/:name/models`,
      {
        config: { access: 'organization.configure' },
        schema: {
          tags,
          summary: 'Ask a provider which models it offers',
          params: Params,
          response: { 200: OfferedModels },
        },
      },
      async ({ principal, params: { name } }, reply) => {
        const connector = requireConnector(name);
        limitTries(principal);
        const settings = chooseSettings(await readSetup(principal), connector, {});
        try {
          return { models: await listProviderModels(connector.name, settings, outboundFetch, followClient(reply)) };
        } catch (error) {
          if (!(error instanceof ConnectionProblem)) throw error;
          throw toProviderError(error);
        }
      },
    );

    app.post(
      `${current}/providers/:name/test`,
      {
        config: { access: 'organization.configure' },
        schema: {
          tags,
          summary: 'Try a provider, also with settings that are not saved yet',
          params: Params,
          body: ProviderTestBody,
          response: { 200: ConnectionTest },
        },
      },
      async ({ principal, params: { name }, body }, reply) => {
        const connector = requireConnector(name);
        limitTries(principal);
        const settings = chooseSettings(await readSetup(principal), connector, body);
        const signal = followClient(reply);
        return await tryConnection(async () => {
          if (connector.requires.some((each) => settings[each] === undefined))
            throw new ConnectionProblem('not_configured');
          const models = await listProviderModels(connector.name, settings, outboundFetch, signal);
          if (body.model !== undefined) {
            const run = { principal, runId: randomUUID(), assistantId: null };
            const ask = createModelAsker({ connector, model: body.model, settings }, run, services);
            await ask([{ role: 'user', content: 'Answer with the word OK.' }], signal);
          }
          return { models };
        });
      },
    );

    app.post(
      `${current}/knowledge-server/test`,
      {
        config: { access: 'organization.configure' },
        schema: {
          tags,
          summary: 'Try the knowledge-base server',
          body: ServiceTestBody,
          response: { 200: ConnectionTest },
        },
      },
      async ({ principal, body }, reply) => {
        limitTries(principal);
        const saved = (await readSetup(principal)).knowledgeServer;
        const { url, secret } = chooseService(saved && { url: saved.url, secret: saved.apiKey }, body);
        const signal = followClient(reply);
        return await tryConnection(async () => {
          if (url === undefined) throw new ConnectionProblem('not_configured');
          const headers = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
          // Its health is public; only the list says whether the key is good.
          await askService(`${url.replace(/\/+$/, '')}/collections`, { headers }, outboundFetch, signal);
          return {};
        });
      },
    );

    app.post(
      `${current}/moodle/test`,
      {
        config: { access: 'organization.configure' },
        schema: { tags, summary: 'Try the Moodle site', body: ServiceTestBody, response: { 200: ConnectionTest } },
      },
      async ({ principal, body }, reply) => {
        limitTries(principal);
        const saved = (await readSetup(principal)).moodle;
        const { url, secret } = chooseService(saved && { url: saved.url, secret: saved.token }, body);
        const signal = followClient(reply);
        return await tryConnection(async () => {
          if (url === undefined || secret === undefined) throw new ConnectionProblem('not_configured');
          return { missing: await tryMoodle({ url, token: secret }, outboundFetch, signal) };
        });
      },
    );
    done();
  };
}

/** What to try: what was sent, else what is saved. */
function chooseSettings(
  { organizationId, providers }: OrganizationSetup,
  { name }: Connector,
  given: { base_url?: string | undefined; api_key?: string | undefined },
): ProviderSettings {
  const saved = Object.hasOwn(providers, name) ? providers[name] : undefined;
  const { url, secret } = chooseService(saved && { url: saved.base_url, secret: saved.api_key }, {
    url: given.base_url,
    secret: given.api_key,
  });
  return {
    organizationId,
    ...(url === undefined ? {} : { baseUrl: url }),
    ...(secret === undefined ? {} : { apiKey: secret }),
  };
}

interface Service {
  readonly url?: string | undefined;
  readonly secret?: string | undefined;
}

/** A saved secret never goes to an address it was not saved for: whoever may try addresses could otherwise read it there. */
function chooseService(saved: Service | undefined, given: Service): Service {
  const savedUrl = dropEmpty(saved?.url);
  const url = given.url === undefined ? savedUrl : dropEmpty(given.url);
  const secret = dropEmpty(given.secret) ?? (url === savedUrl ? dropEmpty(saved?.secret) : undefined);
  return { url, secret };
}

function dropEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function toProviderError(problem: ConnectionProblem): AppError {
  switch (problem.outcome) {
    case 'credentials_rejected':
      return new AppError('provider_credentials_rejected', { cause: problem });
    case 'rate_limited':
      return new AppError('provider_rate_limited', { cause: problem });
    case 'not_configured':
      return new AppError('provider_not_configured', { cause: problem });
    default:
      return new AppError('provider_unavailable', { cause: problem });
  }
}
