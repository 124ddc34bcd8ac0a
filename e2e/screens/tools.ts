import type { Organization } from '../world/start-world.ts';
import type { ScreenSet } from './screen.ts';

async function fill(organization: Organization): Promise<Record<string, unknown>> {
  const entry = (type: string, placeholder: string, config: object = {}) => ({
    type,
    mode: 'context',
    enabled: true,
    placeholder,
    config,
  });
  const tools = [
    entry('simple_rag', 'context', { collections: ['12', '15'], top_k: 5, citations: true }),
    entry('simple_rag', 'glossary', { collections: ['31'], query: 'The terms that occur in {context}' }),
    entry('moodle', 'moodle_courses'),
    { type: 'patch_file', mode: 'function', enabled: true, config: {} },
    { type: 'weather', mode: 'function', enabled: false, config: {} },
  ];
  const made = (await organization.call(organization.teacher, 'POST', '/lamb/v1/assistants', {
    name: 'Statistics tutor',
    description: 'Explains inference with the notes of the course.',
    system_prompt: 'You are a patient tutor of statistics.',
    prompt_template:
      'Use only these passages and cite them as [n]:\n{context}\n\nTerms of the course:\n{glossary}\n\nThe student is working on {exercise}.\n\n{user_input}',
    metadata: { _format_version: 2, assistant_type: 'multi_tool', connector: 'openai', llm: 'gpt-4o-mini', tools },
  })) as { id: number };
  return { id: made.id };
}

const path = ({ id }: Readonly<Record<string, unknown>>) => `/multi-tool-assistants/${String(id)}`;

export const toolsScreens: ScreenSet = {
  fill,
  screens: [
    {
      name: 'manager',
      as: 'teacher',
      path,
      prepare: async (page) => {
        await page.getByTestId('tools-manager').scrollIntoViewIfNeeded();
        await page.getByTestId('tool-card').first().waitFor();
        await page.getByTestId('tools-manager').evaluate((element) => element.scrollIntoView({ block: 'start' }));
      },
    },
    {
      name: 'settings',
      as: 'teacher',
      path,
      prepare: async (page) => {
        const card = page.getByTestId('tool-card').nth(1);
        await card.getByTestId('tool-toggle').click();
        await card.evaluate((element) => element.scrollIntoView({ block: 'start' }));
      },
    },
    {
      name: 'picker',
      as: 'teacher',
      path,
      prepare: async (page) => {
        await page.getByTestId('add-tool-btn').click();
        await page.getByTestId('tool-option-simple_rag').waitFor();
      },
    },
    {
      name: 'template',
      as: 'teacher',
      path,
      prepare: async (page) => {
        await page.locator('.cm-content').waitFor();
        await page.getByTestId('dependency-graph').evaluate((element) => element.scrollIntoView({ block: 'start' }));
      },
    },
  ],
};
