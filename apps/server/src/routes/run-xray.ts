import { AppError, RunReplayBody, RunResource, RunXray } from '@lamb/contract';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { findRun } from '../runs/find-run.ts';
import { readXray } from '../runs/read-xray.ts';
import { replayRun } from '../runs/replay-run.ts';
import { toRunResource } from '../runs/to-run-resource.ts';
import type { Services } from '../services.ts';

const tags = ['Runs'];
const Params = z.object({ id: z.string().max(64) });

/** How an answer came about, and what it would have been otherwise. */
export function runXrayRoutes(services: Services): FastifyPluginCallbackZod {
  return (app, _options, done) => {
    app.get(
      '/lamb/v1/runs/:id/trace',
      {
        config: { access: 'trace.read' },
        schema: {
          tags,
          summary:
            'See where every part of the prompt came from (verbose assistants, drafts, replays and own chats; for those who may edit the assistant)',
          params: Params,
          response: { 200: RunXray },
        },
      },
      async ({ principal, params }) => {
        if (!z.uuid().safeParse(params.id).success) throw new AppError('not_found');
        return await readXray(services, principal, params.id);
      },
    );

    app.post(
      '/lamb/v1/runs/:id/replay',
      {
        config: { access: 'trace.read', startsTurn: true },
        schema: {
          tags,
          summary: 'Repeat a run of your own without some of its tools, or with another model',
          params: Params,
          body: RunReplayBody,
          response: { 202: RunResource },
        },
      },
      async ({ principal, params, body }, reply) => {
        const { run } = await findRun(services, principal, params.id, 'run.read');
        const replay = await replayRun(services, principal, run, body);
        return await reply.code(202).send(toRunResource(replay));
      },
    );
    done();
  };
}
