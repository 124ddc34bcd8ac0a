import type { Organization } from '../world/start-world.ts';
import type { ScreenSet } from './screen.ts';

const make = async (organization: Organization, body: Record<string, unknown>) =>
  (await organization.call(organization.teacher, 'POST', '/lamb/v1/assistants', body)) as { id: number };

const tool = (type: string, mode: string, config: object = {}, placeholder?: string) => ({
  type,
  mode,
  enabled: true,
  config,
  ...(placeholder === undefined ? {} : { placeholder }),
});

async function fill(organization: Organization): Promise<Record<string, unknown>> {
  const { teacher } = organization;
  const multi = { _format_version: 2, assistant_type: 'multi_tool', connector: 'openai', llm: 'gpt-4o-mini' };
  const classic = await make(organization, {
    name: 'Biology study helper',
    description: 'Questions about the cell, with the slides of the course.',
    system_prompt: 'You help first-year students with cell biology.',
    prompt_template: 'Materials:\n{context}\n\nQuestion:\n{user_input}',
    metadata: { rag_processor: 'simple_rag', connector: 'ollama', llm: 'llama3.2:latest' },
    RAG_collections: '1',
    RAG_Top_k: 5,
  });
  await make(organization, { name: 'Debate partner', metadata: { rag_processor: 'no_rag' } });
  const code = await make(organization, {
    name: 'Python tutor',
    description: 'Reads your files and proposes small changes.',
    system_prompt: 'You teach programming.',
    prompt_template: '## Files\n{workspace}\n\n## Question\n{user_input}',
    metadata: {
      ...multi,
      tools: [tool('patch_file', 'context', {}, 'workspace'), tool('patch_file', 'function')],
      limits: { max_iterations: 6 },
    },
  });
  await make(organization, {
    name: 'Campus guide',
    description: 'Weather and courses at a glance.',
    prompt_template: '{moodle_courses}\n\n{user_input}',
    metadata: { ...multi, tools: [tool('weather', 'function'), tool('moodle', 'context', {}, 'moodle_courses')] },
  });
  await organization.call(teacher, 'PUT', `/lamb/v1/assistants/${String(code.id)}/publication`);
  const colleague = await organization.addPerson('Iker Otxoa', 'member');
  await organization.call(teacher, 'PUT', `/lamb/v1/assistants/${String(classic.id)}/shares`, {
    emails: [colleague.email],
  });
  const theirs = (await organization.call(colleague, 'POST', '/lamb/v1/assistants', {
    name: 'Statistics tutor',
    description: 'Explains inference with the examples of the seminar.',
    system_prompt: 'You are patient and precise.',
    prompt_template: '{user_input}',
    metadata: { ...multi, tools: [tool('weather', 'function')] },
  })) as { id: number };
  await organization.call(colleague, 'PUT', `/lamb/v1/assistants/${String(theirs.id)}/shares`, {
    emails: [teacher.email],
  });
  return { classic: classic.id, code: code.id, theirs: theirs.id };
}

export const assistantsScreens: ScreenSet = {
  fill,
  screens: [
    { name: 'list', as: 'teacher', path: '/assistants' },
    { name: 'new', as: 'teacher', path: '/assistants/new' },
    { name: 'create-classic', as: 'teacher', path: '/assistants/create' },
    { name: 'create', as: 'teacher', path: '/multi-tool-assistants/create' },
    { name: 'classic', as: 'teacher', path: ({ classic }) => `/assistants/${String(classic)}` },
    { name: 'multi-tool', as: 'teacher', path: ({ code }) => `/multi-tool-assistants/${String(code)}` },
    { name: 'template', as: 'teacher', path: '/multi-tool-assistants/create?template=essay-evaluator' },
    { name: 'shared', as: 'teacher', path: ({ theirs }) => `/multi-tool-assistants/${String(theirs)}` },
    {
      name: 'publish',
      as: 'teacher',
      path: ({ code }) => `/multi-tool-assistants/${String(code)}`,
      prepare: async (page) => {
        await page.getByTestId('publish-open').click();
        await page.getByTestId('publish-dialog').waitFor();
      },
    },
    { name: 'view-classic', as: 'teacher', path: ({ classic }) => `/assistants/${String(classic)}/view` },
    { name: 'view', as: 'teacher', path: ({ theirs }) => `/multi-tool-assistants/${String(theirs)}/view` },
    {
      name: 'convert',
      as: 'teacher',
      path: ({ classic }) => `/assistants/${String(classic)}/view`,
      prepare: async (page) => {
        await page.getByTestId('assistant-menu').click();
        await page.getByTestId('action-convert').click();
        await page.getByTestId('convert-tool').first().waitFor();
      },
    },
    {
      name: 'import',
      as: 'teacher',
      path: '/assistants?import',
      prepare: (page) => page.getByTestId('import-dialog').waitFor(),
    },
  ],
};
