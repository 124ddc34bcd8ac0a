import {
  AppError,
  CallDecision,
  RunAnswer,
  RunEventPage,
  RunEventsQuery,
  RunResource,
  type RunEvent,
} from '@lamb/contract';
import { isRunOver, listRunEvents, withTenant } from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { followClient } from '../http/follow-client.ts';
import { streamEvents } from '../http/stream-events.ts';
import { findRun } from '../runs/find-run.ts';
import { listAllRunEvents } from '../runs/list-all-run-events.ts';
import { readRun } from '../runs/read-run.ts';
import { summarizeRun } from '../runs/summarize-run.ts';
import { toRunResource } from '../runs/to-run-resource.ts';
import type { Services } from '../services.ts';

const tags = ['Runs'];
const Params = z.object({ id: z.string().max(64) });
const ends = new Set<RunEvent['type']>(['run.finished', 'run.failed', 'run.cancelled']);

/** Runs: what happens, from the outside. */
export function runRoutes(services: Services): FastifyPluginCallbackZod {
  const { db } = services;

  return (app, _options, done) => {
    /** Who follows a run; they come back to another process with the number of their last event. */
    const followers = new Set<() => void>();
    app.addHook('preClose', (closed) => {
      for (const leave of followers) leave();
      closed();
    });

    app.get(
      '/lamb/v1/runs/:id',
      {
        config: { access: 'run.read' },
        schema: { tags, summary: 'Describe a run', params: Params, response: { 200: RunResource } },
      },
      async ({ principal, params }) => toRunResource((await findRun(services, principal, params.id, 'run.read')).run),
    );

    app.get(
      '/lamb/v1/runs/:id/answer',
      {
        config: { access: 'run.read' },
        schema: {
          tags,
          summary: 'Read a run so far in one piece; its events go on after `last_seq`',
          params: Params,
          response: { 200: RunAnswer },
        },
      },
      async ({ principal, params }) => {
        const { run } = await findRun(services, principal, params.id, 'run.read');
        const events = await withTenant(db, principal.organizationId, (tx) => listAllRunEvents(tx, run));
        return summarizeRun(run, events);
      },
    );

    app.get(
      '/lamb/v1/runs/:id/events',
      {
        config: { access: 'run.read' },
        schema: {
          tags,
          summary: 'Follow a run: server-sent events that resume with Last-Event-ID, or a page for those who poll',
          params: Params,
          querystring: RunEventsQuery,
          response: {
            200: {
              content: {
                'text/event-stream': { schema: z.string() },
                'application/json': { schema: RunEventPage },
              },
            },
          },
        },
      },
      async (request, reply) => {
        const { principal, params, query, headers } = request;
        const { run } = await findRun(services, principal, params.id, 'run.read');
        // A browser that comes back repeats the address and adds what it saw last.
        const after = Math.max(query.after ?? 0, readLastEventId(headers['last-event-id']));
        if (headers.accept?.includes('application/json')) {
          // Asked first: what is over has nothing to add to the page.
          const isOver = await isRunOver(db, run.id);
          const page = (await withTenant(db, principal.organizationId, (tx) =>
            listRunEvents(tx, run, after),
          )) as RunEvent[];
          const last = page.at(-1);
          return await reply.send({
            events: page,
            last_seq: last?.seq ?? after,
            done: last === undefined ? isOver : ends.has(last.type),
          });
        }
        const leaving = new AbortController();
        const leave = () => {
          leaving.abort();
        };
        const signal = followClient(reply);
        signal.addEventListener('abort', leave);
        followers.add(leave);
        try {
          await streamEvents(reply, readRun(services, run, after, leaving.signal), encodeEvent, { opensAtOnce: true });
        } finally {
          followers.delete(leave);
        }
        return reply;
      },
    );

    app.post(
      '/lamb/v1/runs/:id/cancel',
      {
        config: { access: 'run.control' },
        schema: { tags, summary: 'Stop a run', params: Params, response: { 202: z.null() } },
      },
      async ({ principal, params }, reply) => {
        const found = await findRun(services, principal, params.id, 'run.control');
        await found.runs.cancel(found.run);
        return await reply.code(202).send(null);
      },
    );

    app.post(
      '/lamb/v1/runs/:id/calls/:call_id/decision',
      {
        config: { access: 'run.control' },
        schema: {
          tags,
          summary: 'Approve or reject a call that waits for it; the first decision counts, another one gets 409',
          params: Params.extend({ call_id: z.string().max(200) }),
          body: CallDecision,
          response: { 202: z.null() },
        },
      },
      async ({ principal, params, body }, reply) => {
        const found = await findRun(services, principal, params.id, 'run.control');
        const counts = await found.runs.decide(found.run, params.call_id, body.decision);
        if (counts === undefined) {
          throw new AppError('not_found', {
            message:
              'No call with this id waits for a decision in this run. Its answer lists its calls and their state.',
          });
        }
        if (counts !== body.decision) throw new AppError('already_decided', { details: { decision: counts } });
        return await reply.code(202).send(null);
      },
    );

    done();
  };
}

/** One event as a server-sent frame; its id is what a client comes back with. */
function encodeEvent(event: RunEvent): string {
  return `id: ${String(event.seq)}\ndata: ${JSON.stringify(event)}\n\n`;
}

function readLastEventId(header: string | string[] | undefined): number {
  const seq = typeof header === 'string' ? Number(header) : 0;
  return Number.isSafeInteger(seq) && seq > 0 ? seq : 0;
}
