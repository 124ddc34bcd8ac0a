import type { AssistantBody, ToolEntry } from '@lamb/contract';
import type { Person, TestServer } from '../../test-server/start-test-server.ts';

interface Draft extends Partial<Omit<AssistantBody, 'metadata'>> {
  readonly name: string;
  readonly metadata?: Record<string, unknown>;
  /** Makes it a multi-tool assistant with these context tools. */
  readonly tools?: readonly (Pick<ToolEntry, 'type'> & Partial<ToolEntry>)[];
  readonly published?: boolean;
}

/** Makes an assistant the way its teacher would, over the API. */
export async function createAssistant(
  lamb: TestServer,
  owner: Person,
  { tools, published = false, metadata = {}, ...draft }: Draft,
): Promise<{ id: number; model: string }> {
  const kind = tools === undefined ? {} : { assistant_type: 'multi_tool', tools };
  const created = await lamb.call(owner, 'POST', '/lamb/v1/assistants', {
    ...draft,
    metadata: { connector: 'openai', llm: 'gpt-4o-mini', ...kind, ...metadata },
  });
  if (created.status !== 201) throw new Error(`“${draft.name}” was not created: ${created.text}`);
  const { id } = created.body as { id: number };
  if (published) await lamb.call(owner, 'PUT', `/lamb/v1/assistants/${id}/publication`);
  return { id, model: `lamb_assistant.${id}` };
}
