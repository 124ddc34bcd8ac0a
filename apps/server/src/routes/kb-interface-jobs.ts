import {
  AppError,
  isDocumentSettled,
  KbFilesQuery,
  KbJob,
  KbJobList,
  KbListQuery,
  type Principal,
} from '@lamb/contract';
import { withTenant, type StoredDocument, type TenantTx } from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { CollectionId, CollectionParams } from '../collections/collection-params.ts';
import { withCollection } from '../collections/with-collection.ts';
import { listEveryCollection, listEveryDocument } from '../kb-interface/list-everything.ts';
import { sendKbError } from '../kb-interface/send-kb-error.ts';
import { toKbJob } from '../kb-interface/to-kb-resources.ts';
import { withNumberedDocument } from '../kb-interface/with-numbered-document.ts';
import { cancelDocument } from '../knowledge/cancel-document.ts';
import { retryDocument } from '../knowledge/retry-document.ts';
import type { Services } from '../services.ts';

const tags = ['Knowledge-base server'];
const ListQuery = KbListQuery.extend(KbFilesQuery.shape);
/** Some know jobs by their collection, some without. */
const places = [
  { path: '/ingestion-jobs/:job', params: z.object({ job: CollectionId }) },
  { path: '/collections/:id/ingestion-jobs/:job', params: z.object({ job: CollectionId, id: CollectionId }) },
];

interface JobPlace {
  readonly job: number;
  readonly id?: number | undefined;
}

/** The interface of the older knowledge-base server: how far what was added has come. */
export function kbInterfaceJobRoutes({ db }: Services): FastifyPluginCallbackZod {
  async function read(principal: Principal, { job, id }: JobPlace): Promise<KbJob> {
    const inside = { collectionId: id };
    return await withNumberedDocument(db, principal, job, 'collection.read', (_tx, found) => toKbJob(found), inside);
  }

  async function change(
    principal: Principal,
    params: JobPlace,
    work: (tx: TenantTx, document: StoredDocument) => Promise<void>,
  ): Promise<KbJob> {
    await withNumberedDocument(db, principal, params.job, 'collection.edit', work, { collectionId: params.id });
    return await read(principal, params);
  }

  return (app, _options, done) => {
    app.setErrorHandler((error, request, reply) => {
      sendKbError(error, request, reply);
    });

    app.get(
      '/ingestion-jobs',
      {
        config: { access: 'collection.list' },
        schema: { tags, summary: 'List what was added', querystring: ListQuery, response: { 200: KbJobList } },
      },
      async ({ principal, query }) => {
        const jobs = await withTenant(db, principal.organizationId, async (tx) => {
          const all: KbJob[] = [];
          for (const { id, ownerId } of await listEveryCollection(tx, principal.userId)) {
            if (ownerId === principal.userId) all.push(...(await listEveryDocument(tx, id)).map(toKbJob));
          }
          return all;
        });
        return cutList(jobs, query);
      },
    );

    app.get(
      '/collections/:id/ingestion-jobs',
      {
        config: { access: 'collection.read' },
        schema: {
          tags,
          summary: 'List what was added to a collection',
          params: CollectionParams,
          querystring: ListQuery,
          response: { 200: KbJobList },
        },
      },
      async ({ principal, params, query }) =>
        await withCollection(db, principal, params.id, 'collection.read', async (tx, { id }) =>
          cutList((await listEveryDocument(tx, id)).map(toKbJob), query),
        ),
    );

    for (const { path, params: Params } of places) {
      app.get(
        path,
        {
          config: { access: 'collection.read' },
          schema: { tags, summary: 'How far it has come', params: Params, response: { 200: KbJob } },
        },
        async ({ principal, params }) => await read(principal, params),
      );

      app.post(
        `${path}/retry`,
        {
          config: { access: 'collection.edit' },
          schema: { tags, summary: 'Try it again', params: Params, response: { 200: KbJob } },
        },
        async ({ principal, params }) => await change(principal, params, retryDocument),
      );

      app.post(
        `${path}/cancel`,
        {
          config: { access: 'collection.edit' },
          schema: { tags, summary: 'Give it up', params: Params, response: { 200: KbJob } },
        },
        async ({ principal, params }) =>
          await change(principal, params, async (tx, document) => {
            if (isDocumentSettled(document.status)) {
              throw new AppError('invalid_request', { message: 'It is over; there is nothing to give up.' });
            }
            await cancelDocument(tx, document);
          }),
      );
    }
    done();
  };
}

function cutList(
  jobs: readonly KbJob[],
  { status, skip, limit }: z.infer<typeof ListQuery>,
): z.infer<typeof KbJobList> {
  const wanted = jobs.filter((job) => status === undefined || job.status === status);
  return { total: wanted.length, items: wanted.slice(skip, skip + limit) };
}
