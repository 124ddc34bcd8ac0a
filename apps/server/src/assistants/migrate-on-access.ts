import { convertMetadata, readMetadata, writeMetadata, OrganizationConfig } from '@lamb/contract';
import type { Catalogue } from '@lamb/engine';
import { convertAssistant, getAssistant, recordAudit, type Assistant, type TenantTx } from '@lamb/store';
import { checkAssistant } from './prepare-assistant.ts';

/** Whether an organisation has classic assistants converted when they are opened or used. Lists never convert. */
export function migratesOnAccess(config: Record<string, unknown>): boolean {
  return OrganizationConfig.safeParse(config).data?.features?.convert_on_access === true;
}

/**
 * The assistant as it is to be worked with: a classic one of an organisation that has switched this on becomes a
 * multi-tool one the first time it is opened or used. One that could not be saved like that stays classic.
 */
export async function migrateOnAccess(
  tx: TenantTx,
  assistant: Assistant,
  config: Record<string, unknown>,
  catalogue: Catalogue,
): Promise<Assistant> {
  if (!migratesOnAccess(config)) return assistant;
  const before = readMetadata(assistant.metadata, assistant);
  if (before.metadata.assistant_type === 'multi_tool' || before.problems.length > 0) return assistant;
  const metadata = convertMetadata(before.metadata);
  const { problems } = await checkAssistant(tx, assistant, { ...assistant, metadata, columns: {} }, catalogue);
  if (problems.some(({ severity }) => severity === 'error')) return assistant;
  const written = { metadata: writeMetadata(metadata).metadata, convertedBy: null };
  const isFirst = await convertAssistant(tx, assistant, written);
  if (isFirst) {
    const subject = `assistant:${String(assistant.id)}`;
    await recordAudit(tx, { actorId: null, action: 'assistant.converted', subject, details: { on_access: true } });
  }
  return (await getAssistant(tx, assistant.id)) ?? assistant;
}
