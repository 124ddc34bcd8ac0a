import { AppError, RunTrace } from '@lamb/contract';
import { getAssistantAccess, getRunTrace, withTenant } from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { authorizeAssistant } from '../access/authorize-assistant.ts';
import type { Services } from '../services.ts';

/** What happened in a run. */
export function runRoutes({ db }: Services): FastifyPluginCallbackZod {
  return (app, _options, done) => {
    app.get(
      '/lamb/v1/runs/:id/trace',
      {
        config: { access: 'trace.read' },
        schema: {
          tags: ['Runs'],
          summary: 'See where every part of the prompt came from (verbose assistants, for those who may edit them)',
          params: z.object({ id: z.string().max(64) }),
          response: { 200: RunTrace },
        },
      },
      async ({ principal, params }) => {
        if (!z.uuid().safeParse(params.id).success) throw new AppError('not_found');
        return await withTenant(db, principal.organizationId, async (tx) => {
          const found = await getRunTrace(tx, params.id);
          const access = found && (await getAssistantAccess(tx, found.assistantId, principal.userId));
          authorizeAssistant(principal, 'trace.read', access);
          return RunTrace.parse(found?.trace);
        });
      },
    );
    done();
  };
}
