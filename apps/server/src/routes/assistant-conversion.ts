import { AppError, Assistant, ConversionPreview, ConversionUndo } from '@lamb/contract';
import { getOrganizationConfig } from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { convertAssistant, previewConversion, undoConversion } from '../assistants/convert-assistant.ts';
import { migratesOnAccess } from '../assistants/migrate-on-access.ts';
import { toAssistantResource } from '../assistants/to-assistant-resource.ts';
import { withAssistant } from '../assistants/with-assistant.ts';
import { AssistantParams } from '../http/assistant-params.ts';
import type { Services } from '../services.ts';

const tags = ['Assistants'];

/** Making a multi-tool assistant of a classic one, and back. */
export function assistantConversionRoutes({ db, catalogue }: Services): FastifyPluginCallbackZod {
  return (app, _options, done) => {
    app.post(
      '/lamb/v1/assistants/:id/convert/preview',
      {
        config: { access: 'assistant.edit' },
        schema: {
          tags,
          summary: 'See what a classic assistant would be as a multi-tool one',
          params: AssistantParams,
          response: { 200: ConversionPreview },
        },
      },
      async ({ principal, params }) =>
        await withAssistant(db, principal, params.id, 'assistant.edit', (tx, { assistant }) =>
          previewConversion(tx, assistant, catalogue),
        ),
    );

    app.post(
      '/lamb/v1/assistants/:id/convert',
      {
        config: { access: 'assistant.edit' },
        schema: {
          tags,
          summary: 'Make a classic assistant a multi-tool one',
          params: AssistantParams,
          response: { 200: Assistant },
        },
      },
      async ({ principal, params }) =>
        await withAssistant(db, principal, params.id, 'assistant.edit', async (tx, { assistant }) => {
          const converted = await convertAssistant(tx, principal, assistant, catalogue);
          return await toAssistantResource(tx, converted, principal, catalogue);
        }),
    );

    app.post(
      '/lamb/v1/assistants/:id/convert/undo',
      {
        config: { access: 'assistant.edit' },
        schema: {
          tags,
          summary: 'Make a converted assistant exactly what it was',
          params: AssistantParams,
          body: ConversionUndo,
          response: { 200: Assistant },
        },
      },
      async ({ principal, params, body }) =>
        await withAssistant(db, principal, params.id, 'assistant.edit', async (tx, { assistant }) => {
          if (migratesOnAccess(await getOrganizationConfig(tx))) {
            throw new AppError('forbidden', {
              message:
                'Your organisation converts classic assistants whenever they are opened. An administrator can switch that off.',
            });
          }
          const discardChanges = body.discard_changes;
          const undone = await undoConversion(tx, principal, assistant, { discardChanges });
          return await toAssistantResource(tx, undone, principal, catalogue);
        }),
    );
    done();
  };
}
