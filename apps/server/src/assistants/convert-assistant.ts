import {
  AppError,
  convertMetadata,
  readMetadata,
  writeMetadata,
  type ConversionPreview,
  type Principal,
  type Problem,
} from '@lamb/contract';
import type { Catalogue } from '@lamb/engine';
import {
  convertAssistant as storeConversion,
  getAssistant,
  getAssistantConversion,
  undoAssistantConversion,
  type Assistant,
  type TenantTx,
} from '@lamb/store';
import { auditAssistant } from './audit-assistant.ts';
import { checkAssistant } from './prepare-assistant.ts';

const SOURCES_LEFT_OUT: Problem = {
  severity: 'warning',
  path: 'prompt_template',
  code: 'sources_left_out',
  params: { name: 'context' },
  message:
    'The list of sources no longer follows {context} in the prompt; people still see the sources beside the answer.',
};

/** What a classic assistant would become as a multi-tool one, what would be wrong with it, and where its prompt would differ. */
export async function previewConversion(
  tx: TenantTx,
  assistant: Assistant,
  catalogue: Catalogue,
): Promise<ConversionPreview> {
  const before = readMetadata(assistant.metadata, assistant);
  if (before.metadata.assistant_type === 'multi_tool') {
    throw new AppError('invalid_request', { message: 'It is a multi-tool assistant already.' });
  }
  const converted = convertMetadata(before.metadata);
  const { metadata, problems } = await checkAssistant(
    tx,
    assistant,
    { ...assistant, metadata: converted, columns: {} },
    catalogue,
  );
  const hasContextTool = metadata.tools.some(({ mode, enabled }) => mode === 'context' && enabled);
  return {
    metadata,
    problems: [...before.problems, ...problems],
    differences: [
      ...(hasContextTool ? [SOURCES_LEFT_OUT] : []),
      ...problems.filter(({ path }) => path === 'prompt_template'),
    ],
  };
}

/** Makes a classic assistant a multi-tool one, as the preview shows it. */
export async function convertAssistant(
  tx: TenantTx,
  principal: Principal,
  assistant: Assistant,
  catalogue: Catalogue,
): Promise<Assistant> {
  const { metadata, problems } = await previewConversion(tx, assistant, catalogue);
  const error = problems.find(({ severity }) => severity === 'error');
  if (error) {
    throw new AppError('assistant_invalid', {
      message: `The assistant cannot be converted like this: ${error.message}`,
      details: { problems },
    });
  }
  const written = { metadata: writeMetadata(metadata).metadata, convertedBy: principal.userId };
  if (!(await storeConversion(tx, assistant, written))) throw new AppError('stale_update');
  await auditAssistant(tx, principal, 'assistant.converted', assistant.id);
  return await reload(tx, assistant);
}

/** Makes a converted assistant what it was. When it was changed since, only if those changes may go. */
export async function undoConversion(
  tx: TenantTx,
  principal: Principal,
  assistant: Assistant,
  { discardChanges }: { discardChanges: boolean },
): Promise<Assistant> {
  const conversion = await getAssistantConversion(tx, assistant.id);
  if (!conversion) {
    throw new AppError('not_found', { message: 'This assistant was not converted; there is nothing to undo.' });
  }
  if (conversion.version !== assistant.version && !discardChanges) throw new AppError('conversion_outdated');
  await undoAssistantConversion(tx, assistant.id);
  await auditAssistant(tx, principal, 'assistant.conversion_undone', assistant.id);
  return await reload(tx, assistant);
}

async function reload(tx: TenantTx, { id }: Assistant): Promise<Assistant> {
  const assistant = await getAssistant(tx, id);
  if (!assistant) throw new AppError('not_found');
  return assistant;
}
