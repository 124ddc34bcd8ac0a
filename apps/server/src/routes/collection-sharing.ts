import { AppError, ShareList } from '@lamb/contract';
import { findMembersByEmail, listCollectionShares, shareCollection, unshareCollection } from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { auditCollection } from '../collections/audit-collection.ts';
import { CollectionParams } from '../collections/collection-params.ts';
import { withCollection } from '../collections/with-collection.ts';
import type { Services } from '../services.ts';

const tags = ['Collections'];

/** Who else may search a collection and read in it. */
export function collectionSharingRoutes({ db }: Services): FastifyPluginCallbackZod {
  return (app, _options, done) => {
    app.get(
      '/lamb/v1/collections/:id/shares',
      {
        config: { access: 'collection.share' },
        schema: { tags, summary: 'List who it is shared with', params: CollectionParams, response: { 200: ShareList } },
      },
      async ({ principal, params }) =>
        await withCollection(db, principal, params.id, 'collection.share', async (tx) => {
          const shares = await listCollectionShares(tx, params.id);
          return { emails: shares.map(({ email }) => email) };
        }),
    );

    app.put(
      '/lamb/v1/collections/:id/shares',
      {
        config: { access: 'collection.share' },
        schema: {
          tags,
          summary: 'Share it with exactly these people',
          params: CollectionParams,
          body: ShareList,
          response: { 200: ShareList },
        },
      },
      async ({ principal, params, body }) =>
        await withCollection(db, principal, params.id, 'collection.share', async (tx) => {
          const members = await findMembersByEmail(tx, body.emails);
          const found = new Set(members.map(({ email }) => email.toLowerCase()));
          const unknown = body.emails.filter((email) => !found.has(email.toLowerCase()));
          if (unknown.length > 0) {
            throw new AppError('invalid_request', {
              message: `Not members of your organisation: ${unknown.join(', ')}.`,
              details: { param: 'emails', unknown },
            });
          }
          const wanted = new Set(members.map(({ id }) => id));
          const before = await listCollectionShares(tx, params.id);
          const ended = before.filter(({ userId }) => !wanted.has(userId)).map(({ userId }) => userId);
          await unshareCollection(tx, params.id, ended);
          await shareCollection(tx, params.id, [...wanted], principal.userId);
          await auditCollection(tx, principal, 'collection.shared', params.id, { with: [...wanted] });
          return { emails: members.map(({ email }) => email).sort() };
        }),
    );
    done();
  };
}
