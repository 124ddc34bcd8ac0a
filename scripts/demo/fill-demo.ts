import type { Role } from '@lamb/contract';
import { createApiKey, putOrganizationConfig, withTenant } from '@lamb/store';
import type { LlmServer } from '@lamb/testing';
import { setTimeout as wait } from 'node:timers/promises';
import { createAccount } from '../../apps/server/src/accounts/create-account.ts';
import { createOrganization } from '../../apps/server/src/accounts/create-organization.ts';
import type { Services } from '../../apps/server/src/services.ts';
import { assignment, courseNotes, essayRubric, glossary, type DemoDocument } from './demo-content.ts';

interface DemoPlace {
  readonly address: string;
  readonly llm: LlmServer;
}

/** A person of the demo. */
export interface DemoAccount {
  readonly email: string;
  readonly password: string;
  readonly role: Role;
  readonly organization: string;
  readonly key: string;
}

/** What the demo filled in. */
export interface Demo {
  readonly accounts: readonly DemoAccount[];
  readonly classic: number;
  readonly multiTool: number;
}

const PASSWORD = 'demo-password';

/** Makes two organisations with people, and gives each teacher knowledge bases, a rubric, a file and assistants through the API. */
export async function fillDemo(services: Services, place: DemoPlace): Promise<Demo> {
  const accounts: DemoAccount[] = [];
  let first: { classic: number; multiTool: number } | undefined;
  for (const [slug, name] of [
    ['north', 'University of the North'],
    ['south', 'University of the South'],
  ] as const) {
    const people = await makeOrganization(services, place, { slug, name });
    accounts.push(...people);
    const teacher = people.find(({ role }) => role === 'member');
    if (!teacher) throw new Error('The demo has no teacher.');
    const made = await makeAssistants(place.address, teacher.key);
    first ??= made;
  }
  if (!first) throw new Error('The demo has no assistants.');
  return { accounts, ...first };
}

async function makeOrganization(
  services: Services,
  { llm }: DemoPlace,
  { slug, name }: { slug: string; name: string },
): Promise<DemoAccount[]> {
  const { db, secretBox } = services;
  const organizationId = await createOrganization(db, { name, slug });
  await withTenant(db, organizationId, (tx) =>
    putOrganizationConfig(tx, secretBox, {
      setups: {
        default: {
          is_default: true,
          global_default_model: { provider: 'openai', model: 'demo-model' },
          small_fast_model: { provider: 'openai', model: 'demo-model' },
          providers: { openai: { base_url: `${llm.url}/v1`, api_key: 'demo', models: ['demo-model'] } },
        },
      },
    }),
  );
  const people: DemoAccount[] = [];
  for (const [account, personName, role] of [
    ['admin', 'Ana Ruiz', 'owner'],
    ['teacher', 'Maite Arana', 'member'],
    ['student', 'Joan Puig', 'end_user'],
  ] as const) {
    const email = `${account}@${slug}.example`;
    const userId = await createAccount(services, { email, name: personName, password: PASSWORD, organizationId, role });
    const { key } = await createApiKey(db, {
      userId,
      organizationId,
      name: 'demo',
      assistants: 'all',
      trustedGateway: false,
    });
    people.push({ email, password: PASSWORD, role, organization: slug, key });
  }
  return people;
}

type Send = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

async function makeAssistants(address: string, key: string): Promise<{ classic: number; multiTool: number }> {
  const send: Send = async (method, path, body) => {
    const isForm = body instanceof FormData;
    const response = await fetch(new URL(path, address), {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  };

  const notes = await makeKnowledgeBase(send, 'Course notes', courseNotes);
  const terms = await makeKnowledgeBase(send, 'Writing glossary', glossary);
  const rubric = await send('POST', '/lamb/v1/rubrics', { rubric: essayRubric, is_public: true });
  const form = new FormData();
  form.set('path', assignment.path);
  form.set('file', new Blob([assignment.text], { type: 'text/markdown' }), 'essay-1.md');
  await send('POST', '/lamb/v1/files', form);

  const classic = await send('POST', '/lamb/v1/assistants', {
    name: 'Biology tutor',
    description: 'Answers questions about the course notes.',
    system_prompt: 'You are a patient biology tutor. Answer from the course notes.',
    prompt_template: 'Question: {user_input}\nCourse notes: {context}',
    metadata: {
      prompt_processor: 'simple_augment',
      connector: 'openai',
      llm: 'demo-model',
      rag_processor: 'simple_rag',
    },
    RAG_collections: notes,
    RAG_Top_k: 2,
  });
  const multiTool = await send('POST', '/lamb/v1/assistants', {
    name: 'Essay evaluator',
    description: 'Evaluates an essay by a rubric, with the assignment and the course notes at hand.',
    system_prompt: 'You evaluate essays of first-year students. Be fair, specific and kind.',
    prompt_template:
      'Assignment: {file}\nRubric: {rubric}\nCourse notes: {context}\nTerms: {glossary}\nThe student wrote: {user_input}',
    metadata: {
      assistant_type: 'multi_tool',
      prompt_processor: 'multi_augment',
      connector: 'openai',
      llm: 'demo-model',
      verbose: true,
      tools: [
        { type: 'simple_rag', placeholder: 'context', config: { collections: [notes], top_k: 2, citations: true } },
        {
          type: 'simple_rag',
          placeholder: 'glossary',
          config: { collections: [terms], query: 'terms in: {rubric}' },
        },
        { type: 'rubric_rag', placeholder: 'rubric', config: { rubric_id: rubric['rubric_id'] } },
        { type: 'single_file_rag', placeholder: 'file', config: { file_path: assignment.path } },
      ],
    },
  });
  for (const { id } of [classic, multiTool]) {
    await send('PUT', `/lamb/v1/assistants/${String(id)}/publication`);
  }
  return { classic: Number(classic['id']), multiTool: Number(multiTool['id']) };
}

async function makeKnowledgeBase(send: Send, name: string, { filename, text }: DemoDocument): Promise<string> {
  const made = await send('POST', '/lamb/v1/collections', { name, language: 'english' });
  const id = String(made['id']);
  const form = new FormData();
  form.set('file', new File([text], filename));
  await send('POST', `/lamb/v1/collections/${id}/documents`, form);
  for (;;) {
    const { items } = (await send('GET', `/lamb/v1/collections/${id}/documents`)) as {
      items: { status: string; problem: string | null }[];
    };
    if (items.every(({ status }) => status === 'ready')) return id;
    const failed = items.find(({ status }) => status === 'failed');
    if (failed) throw new Error(`${filename} could not be read in: ${failed.problem ?? ''}`);
    await wait(200);
  }
}
