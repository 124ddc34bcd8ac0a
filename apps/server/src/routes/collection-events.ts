import { AppError, type DocumentResource, type Principal } from '@lamb/contract';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { CollectionParams } from '../collections/collection-params.ts';
import { toDocumentResource } from '../collections/to-document-resource.ts';
import { withCollection } from '../collections/with-collection.ts';
import { followClient } from '../http/follow-client.ts';
import { streamFrames } from '../http/stream-frames.ts';
import { createDocumentWatch } from '../knowledge/watch-documents.ts';
import type { Services } from '../services.ts';

/** Who is no longer allowed to read a collection is told nothing more after this time. */
const CHECK_ACCESS_MS = 1000;

/** What happens to the documents of a collection, as it happens. */
export function collectionEventRoutes(services: Services): FastifyPluginCallbackZod {
  const { db, runs, log } = services;
  const watch =
    runs &&
    createDocumentWatch(runs, {
      db,
      onError: (error) => {
        log.error({ err: error }, 'documents could not be watched');
      },
    });

  async function mayRead(principal: Principal, id: number): Promise<boolean> {
    try {
      await withCollection(db, principal, id, 'collection.read', () => undefined);
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  /** Documents as they change; of one that changes faster than the reader reads, the latest. */
  async function* follow(principal: Principal, id: number, signal: AbortSignal): AsyncGenerator<string> {
    if (!watch) throw new AppError('service_unavailable', { message: 'Documents are not read in by this process.' });
    const waiting = new Map<string, DocumentResource | undefined>();
    let wake = Promise.withResolvers<undefined>();
    const stop = watch.watch({ organizationId: principal.organizationId, id }, ({ documents, deleted }) => {
      for (const document of documents) waiting.set(document.id, toDocumentResource(document));
      for (const documentId of deleted) waiting.set(documentId, undefined);
      wake.resolve(undefined);
    });
    const leave = () => {
      wake.resolve(undefined);
    };
    signal.addEventListener('abort', leave);
    let checkedAt = performance.now();
    try {
      for (;;) {
        await wake.promise;
        if (signal.aborted) return;
        wake = Promise.withResolvers<undefined>();
        if (performance.now() - checkedAt > CHECK_ACCESS_MS) {
          if (!(await mayRead(principal, id))) return;
          checkedAt = performance.now();
        }
        const frames = [...waiting].map(([documentId, document]) =>
          document
            ? `event: document\ndata: ${JSON.stringify(document)}\n\n`
            : `event: deleted\ndata: ${JSON.stringify({ id: documentId })}\n\n`,
        );
        waiting.clear();
        if (frames.length > 0) yield frames.join('');
      }
    } finally {
      stop();
      signal.removeEventListener('abort', leave);
    }
  }

  return (app, _options, done) => {
    const followers = new Set<() => void>();
    app.addHook('preClose', (closed) => {
      for (const leave of followers) leave();
      closed();
    });

    app.get(
      '/lamb/v1/collections/:id/events',
      {
        config: { access: 'collection.read' },
        schema: {
          tags: ['Collections'],
          summary:
            'Follow the documents of a collection: server-sent events `document` (the document as it is now) and `deleted`',
          params: CollectionParams,
          response: { 200: { content: { 'text/event-stream': { schema: z.string() } } } },
        },
      },
      async (request, reply) => {
        const { principal, params } = request;
        await withCollection(db, principal, params.id, 'collection.read', () => undefined);
        const leaving = new AbortController();
        const leave = () => {
          leaving.abort();
        };
        followClient(reply).addEventListener('abort', leave);
        followers.add(leave);
        try {
          await streamFrames(reply, follow(principal, params.id, leaving.signal));
        } finally {
          followers.delete(leave);
        }
        return reply;
      },
    );
    done();
  };
}
