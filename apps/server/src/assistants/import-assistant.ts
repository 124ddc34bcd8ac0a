import type { AssistantExport, Principal } from '@lamb/contract';
import type { Catalogue } from '@lamb/engine';
import type { Assistant, TenantTx } from '@lamb/store';
import { createWithFreeName } from './create-with-free-name.ts';
import { prepareAssistant } from './prepare-assistant.ts';

const taken = new Set([
  'name',
  'description',
  'system_prompt',
  'prompt_template',
  'metadata',
  'RAG_collections',
  'RAG_Top_k',
]);

/** Creates an assistant from an exported file. It becomes the importer's; ids, owner and publication in the file are dropped and named. */
export async function importAssistant(
  tx: TenantTx,
  { userId }: Principal,
  file: AssistantExport,
  catalogue: Catalogue,
): Promise<{ assistant: Assistant; dropped: string[] }> {
  const prepared = await prepareAssistant(
    tx,
    { id: undefined, ownerId: userId },
    {
      systemPrompt: file.system_prompt,
      promptTemplate: file.prompt_template ?? '',
      metadata: file.metadata,
      columns: { ragCollections: file.RAG_collections, ragTopK: file.RAG_Top_k },
    },
    catalogue,
  );
  const assistant = await createWithFreeName(tx, {
    ownerId: userId,
    name: file.name,
    description: file.description ?? '',
    ...prepared,
  });
  return { assistant, dropped: Object.keys(file).filter((key) => !taken.has(key)) };
}
