import { vi } from 'vitest';
import { addDocument } from '../../collections/__fixtures__/add-document.ts';
import { sampleRubric } from '../../routes/__fixtures__/sample-bodies.ts';
import { send } from '../../routes/__fixtures__/send.ts';
import type { Reply, TestOrganization, TestServer } from '../../test-server/start-test-server.ts';

/** What can be named by an id, each with the id of one that exists. */
export interface World {
  readonly assistant: string;
  readonly rubric: string;
  readonly file: string;
  readonly collection: string;
  readonly document: string;
  /** The document's number in the older knowledge-base interface. */
  readonly job: string;
  readonly key: string;
  readonly chat: string;
  readonly run: string;
  readonly member: string;
  readonly invitation: string;
}

/**
 * Fills an organisation: its teacher has one thing of each kind, every text in it carrying the canary. It is private, or as
 * `open` to the organisation as its kind can be.
 */
export async function makeWorld(
  lamb: TestServer,
  { admin, teacher }: TestOrganization,
  canary: string,
  { open = false } = {},
): Promise<World> {
  const rubric = await read<{ rubric_id: string }>(
    201,
    lamb.call(teacher, 'POST', '/lamb/v1/rubrics', {
      rubric: { ...sampleRubric, title: canary, description: canary },
      is_public: open,
    }),
  );
  const form = new FormData();
  form.append('path', `notes/${canary}.md`);
  form.append('file', new Blob([`The notes of ${canary}.`]), 'upload');
  const headers = { authorization: `Bearer ${teacher.key}` };
  const file = await read<{ id: string }>(201, send(lamb, 'POST', '/lamb/v1/files', { headers, body: form }));
  const collection = await read<{ id: number }>(
    201,
    lamb.call(teacher, 'POST', '/lamb/v1/collections', {
      name: canary,
      description: canary,
      visibility: open ? 'organization' : 'private',
      embedding: { provider: 'openai', model: 'text-embedding-3-small', dimensions: 16 },
    }),
  );
  const document = await addDocument(lamb, teacher, collection.id, `${canary}.md`, `# ${canary}\n\nAbout ${canary}.`);
  const jobs = await read<{ items: { id: number }[] }>(
    200,
    lamb.call(teacher, 'GET', `/collections/${collection.id}/ingestion-jobs`),
  );
  const assistant = await read<{ id: number }>(
    201,
    lamb.call(teacher, 'POST', '/lamb/v1/assistants', {
      name: canary,
      description: canary,
      system_prompt: `You are ${canary}.`,
      prompt_template: `${canary} {rubric}{file}{user_input}`,
      metadata: {
        assistant_type: 'multi_tool',
        verbose: true,
        tools: [
          { type: 'rubric_rag', mode: 'context', enabled: true, config: { rubric_id: rubric.rubric_id } },
          { type: 'single_file_rag', mode: 'context', enabled: true, config: { file_path: `notes/${canary}.md` } },
        ],
      },
    }),
  );
  if (open) await read(204, lamb.call(teacher, 'PUT', `/lamb/v1/assistants/${assistant.id}/publication`));
  const workspace = `/lamb/v1/assistants/${assistant.id}/workspace/files?path=workspace.md`;
  await read(200, lamb.call(teacher, 'PUT', workspace, { text: `The workspace of ${canary}.` }));
  const chat = await read<{ id: string }>(
    201,
    lamb.call(teacher, 'POST', '/lamb/v1/chats', { assistant_id: assistant.id, title: canary }),
  );
  const { id: run } = await read<{ id: string }>(
    202,
    lamb.call(teacher, 'POST', `/lamb/v1/chats/${chat.id}/turns`, { content: `I am ${canary}.` }),
  );
  await read(200, lamb.call(teacher, 'GET', `/lamb/v1/runs/${run}/events`));
  await vi.waitFor(() => read(200, lamb.call(teacher, 'GET', `/lamb/v1/runs/${run}/trace`)), { timeout: 10_000 });
  const keys = await read<{ items: { id: string }[] }>(200, lamb.call(teacher, 'GET', '/lamb/v1/keys'));
  const invitation = await read<{ id: string }>(
    201,
    lamb.call(admin, 'POST', '/lamb/v1/organizations/current/invitations', { email: `${canary}@invited.test` }),
  );
  return {
    member: teacher.id,
    invitation: invitation.id,
    assistant: String(assistant.id),
    rubric: rubric.rubric_id,
    file: file.id,
    collection: String(collection.id),
    document: document.id,
    job: String(jobs.items[0]?.id),
    key: keys.items[0]?.id ?? '',
    chat: chat.id,
    run,
  };
}

async function read<Body>(status: number, replying: Promise<Reply>): Promise<Body> {
  const reply = await replying;
  if (reply.status !== status) throw new Error(`Expected ${status}, got ${reply.status}: ${reply.text}`);
  return reply.body as Body;
}
