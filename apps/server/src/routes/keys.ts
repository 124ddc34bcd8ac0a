import {
  AppError,
  HeldKeyPage,
  KeyBody,
  KeyList,
  NewKey,
  PageQuery,
  type KeyResource,
  type Principal,
} from '@lamb/contract';
import {
  createApiKey,
  listApiKeys,
  listHeldApiKeys,
  recordAudit,
  revokeApiKey,
  withTenant,
  type ApiKey,
} from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { decide } from '../access/decide.ts';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';
import type { Services } from '../services.ts';

const tags = ['Keys'];
const DAY_MS = 86_400_000;
const Params = z.object({ id: z.string().max(64) });

/** API keys: how programs talk to assistants. */
export function keyRoutes({ db, keyCache }: Services): FastifyPluginCallbackZod {
  async function revoke({ userId, organizationId }: Principal, id: string, holderId?: string): Promise<void> {
    if (!z.uuid().safeParse(id).success) throw new AppError('not_found');
    const digest = await withTenant(db, organizationId, async (tx) => {
      const revoked = await revokeApiKey(tx, { id, organizationId, holderId });
      if (revoked !== undefined) {
        await recordAudit(tx, { actorId: userId, action: 'key.revoked', subject: `key:${id}` });
      }
      return revoked;
    });
    if (digest === undefined) throw new AppError('not_found');
    keyCache.forget(digest);
  }

  return (app, _options, done) => {
    app.get(
      '/lamb/v1/keys',
      {
        config: { access: 'key.list' },
        schema: { tags, summary: 'List your API keys', response: { 200: KeyList } },
      },
      async ({ principal }) => {
        const keys = await listApiKeys(db, principal.userId, principal.organizationId);
        return { items: keys.map(toResource) };
      },
    );

    app.post(
      '/lamb/v1/keys',
      {
        config: { access: 'key.create' },
        schema: { tags, summary: 'Make an API key; it is shown only once', body: KeyBody, response: { 201: NewKey } },
      },
      async ({ principal, body }, reply) => {
        if (principal.via === 'api_key') {
          throw new AppError('forbidden', { message: 'A key cannot make keys. Sign in to make one.' });
        }
        if (body.trusted_gateway && !decide(principal, 'key.create_gateway', undefined)) {
          throw new AppError('forbidden', { message: 'Only administrators make keys for trusted gateways.' });
        }
        const { userId, organizationId } = principal;
        const days = body.expires_in_days;
        const made = await withTenant(db, organizationId, async (tx) => {
          const { key, apiKey } = await createApiKey(tx, {
            userId,
            organizationId,
            name: body.name,
            assistants: body.assistants,
            trustedGateway: body.trusted_gateway,
            expiresAt: days === undefined ? null : new Date(Date.now() + days * DAY_MS),
          });
          const details = { trusted_gateway: body.trusted_gateway };
          await recordAudit(tx, { actorId: userId, action: 'key.created', subject: `key:${apiKey.id}`, details });
          return { ...toResource(apiKey), key };
        });
        return await reply.code(201).send(made);
      },
    );

    app.delete(
      '/lamb/v1/keys/:id',
      {
        config: { access: 'key.revoke' },
        schema: {
          tags,
          summary: 'Revoke an API key',
          params: Params,
          response: { 204: z.null() },
        },
      },
      async ({ principal, params: { id } }, reply) => {
        await revoke(principal, id, principal.userId);
        return await reply.code(204).send(null);
      },
    );

    app.get(
      '/lamb/v1/organizations/current/keys',
      {
        config: { access: 'key.oversee' },
        schema: {
          tags,
          summary: "List everybody's API keys in the organisation",
          querystring: PageQuery,
          response: { 200: HeldKeyPage },
        },
      },
      async ({ principal, query }) => {
        const page = await withTenant(db, principal.organizationId, (tx) => listHeldApiKeys(tx, query));
        const items = page.items.map((key) => ({
          ...toResource(key),
          holder: { user_id: key.userId, ...key.holder },
        }));
        return { items, next_cursor: page.nextCursor };
      },
    );

    app.delete(
      '/lamb/v1/organizations/current/keys/:id',
      {
        config: { access: 'key.oversee' },
        schema: {
          tags,
          summary: "Revoke anybody's API key in the organisation",
          params: Params,
          response: { 204: z.null() },
        },
      },
      async ({ principal, params: { id } }, reply) => {
        await revoke(principal, id);
        return await reply.code(204).send(null);
      },
    );
    done();
  };
}

function toResource(key: ApiKey): KeyResource {
  return {
    id: key.id,
    name: key.name,
    start: key.start,
    assistants: key.assistants,
    trusted_gateway: key.trustedGateway,
    created_at: toUnixSeconds(key.createdAt),
    last_used_at: key.lastUsedAt ? toUnixSeconds(key.lastUsedAt) : null,
    expires_at: key.expiresAt ? toUnixSeconds(key.expiresAt) : null,
  };
}
