import type { Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { expectAccessible } from '../world/expect-accessible.ts';
import { expectFitting } from '../world/expect-fitting.ts';
import { keyboard, tabTo } from '../world/hands.ts';
import type { Organization, Person } from '../world/start-world.ts';
import { expect, test } from '../world/test.ts';

interface Made {
  readonly id: number;
  readonly version: number;
}

const MULTI = { _format_version: 2, assistant_type: 'multi_tool', connector: 'openai', llm: '' };

async function make(organization: Organization, body: Record<string, unknown>, owner = organization.teacher) {
  return (await organization.call(owner, 'POST', '/lamb/v1/assistants', body)) as Made;
}

const makeClassic = (organization: Organization, name: string) =>
  make(organization, { name, prompt_template: '{context}\n\n{user_input}', metadata: { rag_processor: 'no_rag' } });

const makeMultiTool = (organization: Organization, name: string, owner?: Person) =>
  make(
    organization,
    {
      name,
      prompt_template: '{user_input}',
      metadata: { ...MULTI, tools: [{ type: 'weather', mode: 'function', enabled: true, config: {} }] },
    },
    owner,
  );

async function makeRubric(organization: Organization, title: string): Promise<string> {
  const levels = [
    { id: 'l1', score: 1, label: 'Missing', description: 'Nothing of it' },
    { id: 'l2', score: 2, label: 'There', description: 'All of it' },
  ];
  const criteria = [{ id: 'c1', name: 'Method', description: 'How it was done', weight: 100, order: 0, levels }];
  const rubric = { title, description: '', criteria };
  const made = await organization.call(organization.teacher, 'POST', '/lamb/v1/rubrics', { rubric });
  return (made as { rubric_id: string }).rubric_id;
}

async function chooseFilter(page: Page, isMobile: boolean, name: string): Promise<void> {
  if (isMobile) {
    await page.getByTestId('filter-select').click();
    await page.getByRole('option', { name, exact: true }).click();
  } else await page.getByRole('radio', { name, exact: true }).click();
}

const names = (page: Page) => page.getByTestId('assistant-link');

async function openMenu(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
}

// The stories of the parallel implementation, with their test ids.

test(
  'can create multi-tool assistant with multiple tools',
  { tag: '@ci' },
  async ({ teacherPage: page, organization }) => {
    const rubric = await makeRubric(organization, 'Essay');
    await page.goto('/multi-tool-assistants/create');
    await page.getByTestId('name-input').fill('Test Multi-Tool');
    await page.getByTestId('add-tool-btn').click();
    await page.getByTestId('tool-option-simple_rag').click();
    await page.getByTestId('add-tool-btn').click();
    await page.getByTestId('tool-option-rubric_rag').click();
    await expect(page.getByTestId('tool-card')).toHaveCount(2);

    // Neither works before its source is chosen, and saving says so.
    await page.getByTestId('save-btn').click();
    await expect(page.getByTestId('problems')).toContainText(/Collections: Choose at least 1\./);
    const [knowledge, rubrics] = [page.locator('[data-tool=simple_rag]'), page.locator('[data-tool=rubric_rag]')];
    for (const card of [knowledge, rubrics]) {
      if (await card.getByTestId('tool-settings').isHidden()) await card.getByTestId('tool-toggle').click();
      if (card === knowledge) {
        await card
          .getByRole('group', { name: /Collections|Knowledge/ })
          .getByRole('button', { name: /^Add/ })
          .click();
        await page.keyboard.type('1');
      } else {
        await card.getByTestId('rubric-picker').click();
        await page.getByRole('option', { name: 'Essay' }).click();
      }
    }
    await expect(page.getByTestId('problems')).toHaveCount(0);
    await page.getByTestId('save-btn').click();
    await expect(page.locator('.success-message')).toBeVisible();
    await expect(page).toHaveURL(/\/multi-tool-assistants\/\d+$/);
    const id = /\d+$/.exec(page.url())?.[0] ?? '';
    expect(await organization.call(organization.teacher, 'GET', `/lamb/v1/assistants/${id}`)).toMatchObject({
      metadata: {
        assistant_type: 'multi_tool',
        tools: [
          { type: 'simple_rag', config: { collections: ['1'], citations: true } },
          { type: 'rubric_rag', config: { rubric_id: rubric } },
        ],
      },
    });
    await page.reload();
    await expect(page.getByTestId('tool-card')).toHaveCount(2);
  },
);

test('classic assistant loads in classic UI', { tag: '@ci' }, async ({ teacherPage: page, organization }) => {
  const { id } = await makeClassic(organization, 'Study helper');
  await page.goto(`/assistants/${String(id)}`);
  await expect(page.getByTestId('rag-processor-select')).toBeVisible();
  await expect(page.getByTestId('tools-manager')).toBeHidden();
  await expectAccessible(page);
  await expectFitting(page);
});

test('multi-tool assistant loads in multi-tool UI', { tag: '@ci' }, async ({ teacherPage: page, organization }) => {
  const { id } = await makeMultiTool(organization, 'Guide');
  await page.goto(`/multi-tool-assistants/${String(id)}`);
  await expect(page.getByTestId('tools-manager')).toBeVisible();
  await expect(page.getByTestId('rag-processor-select')).toBeHidden();
  await expectAccessible(page);
  await expectFitting(page);
  // The other type's address leads to the right one.
  await page.goto(`/assistants/${String(id)}`);
  await expect(page).toHaveURL(new RegExp(`/multi-tool-assistants/${String(id)}$`));
});

test('assistant list shows correct type badges', { tag: '@ci' }, async ({ teacherPage: page, organization }) => {
  await makeClassic(organization, 'Study helper');
  await makeMultiTool(organization, 'Guide');
  await page.goto('/assistants');
  await expect(page.getByTestId('type-badge-classic')).toBeVisible();
  await expect(page.getByTestId('type-badge-multi_tool')).toBeVisible();
  await expectAccessible(page);
  await expectFitting(page);
});

test('the list is filtered, searched and sorted, and the address says how', async ({
  teacherPage: page,
  organization,
  isMobile,
}) => {
  await page.goto('/assistants');
  await expect(page.getByRole('heading', { name: 'No assistants yet' })).toBeVisible();
  await expectAccessible(page);

  await makeClassic(organization, 'Zoology helper');
  const tutor = await makeMultiTool(organization, 'Algebra tutor');
  await organization.call(organization.teacher, 'PUT', `/lamb/v1/assistants/${String(tutor.id)}/publication`);
  const colleague = await organization.addPerson('Iker Otxoa', 'member');
  const shared = await makeMultiTool(organization, 'Music theory', colleague);
  await organization.call(colleague, 'PUT', `/lamb/v1/assistants/${String(shared.id)}/shares`, {
    emails: [organization.teacher.email],
  });
  await page.reload();
  await expect(names(page)).toHaveText(['Music theory', 'Algebra tutor', 'Zoology helper']);

  await chooseFilter(page, isMobile, 'Classic');
  await expect(names(page)).toHaveText(['Zoology helper']);
  await chooseFilter(page, isMobile, 'Multi-tool');
  await expect(names(page)).toHaveText(['Music theory', 'Algebra tutor']);
  await chooseFilter(page, isMobile, 'Shared with me');
  await expect(names(page)).toHaveText(['Music theory']);
  await expect(page.getByTestId('assistant-row')).toContainText('by Iker Otxoa');
  await chooseFilter(page, isMobile, 'Published');
  await expect(names(page)).toHaveText(['Algebra tutor']);
  await chooseFilter(page, isMobile, 'All');

  await page.getByTestId('sort-select').click();
  await page.getByRole('option', { name: 'By name' }).click();
  await expect(names(page)).toHaveText(['Algebra tutor', 'Music theory', 'Zoology helper']);
  await page.getByTestId('search-input').fill('zoo');
  await expect(names(page)).toHaveText(['Zoology helper']);
  await expect(page).toHaveURL(/search=zoo/);
  await page.reload();
  await expect(names(page)).toHaveText(['Zoology helper']);
  await page.getByTestId('search-input').fill('nothing of the kind');
  await expect(page.getByRole('heading', { name: 'No assistant matches' })).toBeVisible();
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect(names(page)).toHaveCount(3);
  await page.goto('/multi-tool-assistants');
  await expect(page).toHaveURL(/\/assistants\?filter=multi_tool$/);
});

test('a classic assistant is made, saved, changed and kept', async ({ teacherPage: page, organization }) => {
  const rubric = await makeRubric(organization, 'Lab report');
  await page.goto('/assistants');
  await page.getByTestId('create-btn').click();
  await expect(page.getByRole('heading', { level: 1, name: 'New assistant' })).toBeVisible();
  await expectAccessible(page);
  await expectFitting(page);
  await page.getByTestId('type-card-classic').click();
  await expect(page).toHaveURL(/\/assistants\/create$/);
  // The end of a navigation takes the focus once more, and nobody but a story saves in that moment.
  await expect(async () => {
    await page.getByTestId('save-btn').click();
    await expect(page.getByText('Give the assistant a name.')).toBeVisible();
    await expect(page.getByTestId('name-input')).toBeFocused({ timeout: 2000 });
  }).toPass();

  await page.getByTestId('name-input').fill('Lab helper');
  await page.getByTestId('system-prompt-input').fill('You help with lab reports.');
  await page.getByTestId('rag-processor-select').click();
  await page.getByRole('option', { name: 'Rubric' }).click();
  await page.getByTestId('rubric-picker').click();
  await page.getByRole('option', { name: 'Lab report' }).click();
  await page.getByTestId('save-btn').click();
  await expect(page.locator('.success-message')).toBeVisible();
  await expect(page).toHaveURL(/\/assistants\/\d+$/);
  const id = Number(/\d+$/.exec(page.url())?.[0]);

  const saved = (await organization.call(organization.teacher, 'GET', `/lamb/v1/assistants/${String(id)}`)) as {
    metadata: { assistant_type: string; tools: { type: string; config: Record<string, unknown> }[] };
  };
  expect(saved.metadata.assistant_type).toBe('classic');
  expect(saved.metadata.tools).toMatchObject([
    { type: 'rubric_rag', config: { rubric_id: rubric, format: 'markdown' } },
  ]);

  await page.reload();
  await expect(page.getByTestId('name-input')).toHaveValue('Lab helper');
  await expect(page.getByTestId('rubric-picker')).toHaveValue('Lab report');
  await page.getByTestId('description-input').fill('For the first year');
  await expect(page.getByText('Unsaved changes')).toBeVisible();
  await page.keyboard.press('Control+s');
  await expect(page.locator('.success-message')).toBeVisible();
});

test('what was not saved is not lost by leaving', async ({ teacherPage: page, organization }) => {
  const { id } = await makeClassic(organization, 'Study helper');
  await page.goto(`/assistants/${String(id)}`);
  await page.getByTestId('description-input').fill('half a thought');
  await page.getByRole('main').getByRole('link', { name: 'Assistants' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('Leave without saving?');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByTestId('description-input')).toHaveValue('half a thought');
  await page.getByRole('main').getByRole('link', { name: 'Assistants' }).click();
  await page.getByTestId('confirm-btn').click();
  await expect(page).toHaveURL(/\/assistants$/);
});

test('two people change the same assistant', async ({ teacherPage: page, organization }) => {
  const { id } = await makeClassic(organization, 'Study helper');
  const path = `/lamb/v1/assistants/${String(id)}`;
  await page.goto(`/assistants/${String(id)}`);
  await page.getByTestId('description-input').fill('mine');
  await organization.call(organization.teacher, 'PATCH', path, { system_prompt: 'theirs' });
  await page.getByTestId('save-btn').click();
  const dialog = page.getByTestId('conflict-dialog');
  await expect(dialog).toContainText('Somebody else has changed it');
  await expect(dialog).toContainText('System prompt');
  await expectAccessible(page);
  await page.getByTestId('conflict-theirs').click();
  await expect(page.getByTestId('system-prompt-input')).toHaveValue('theirs');
  await expect(page.getByTestId('description-input')).toHaveValue('');

  await page.getByTestId('description-input').fill('mine again');
  await organization.call(organization.teacher, 'PATCH', path, { system_prompt: 'theirs again' });
  await page.getByTestId('save-btn').click();
  await page.getByTestId('conflict-mine').click();
  await expect(page.locator('.success-message')).toBeVisible();
  expect(await organization.call(organization.teacher, 'GET', path)).toMatchObject({
    description: 'mine again',
    system_prompt: 'theirs',
  });
});

test('a name that is taken and a limit out of range are said where they are', async ({
  teacherPage: page,
  organization,
}) => {
  await makeClassic(organization, 'Study helper');
  await page.goto('/multi-tool-assistants/create');
  await page.getByTestId('name-input').fill('Study helper');
  await page.getByTestId('limit-max_iterations').fill('99');
  await expect(page.getByText('A whole number from 1 to 50.')).toBeVisible();
  await page.getByTestId('save-btn').click();
  await expect(page.getByTestId('limit-max_iterations')).toBeFocused();
  await page.getByTestId('limit-max_iterations').fill('4');
  await page.getByTestId('save-btn').click();
  await expect(page.getByText('You already have an assistant with this name.')).toBeVisible();
  await expect(page.getByTestId('name-input')).toBeFocused();
  await page.getByTestId('name-input').fill('Another helper');
  await page.getByTestId('save-btn').click();
  await expect(page.locator('.success-message')).toBeVisible();
});

test('every template opens with its tools and its prompts', async ({ teacherPage: page, organization }) => {
  await page.goto('/assistants/new');
  for (const [id, template, tools] of [
    ['course-tutor', /\{context\}/, ['simple_rag']],
    ['essay-evaluator', /\{rubric\}[\s\S]*\{context\}/, ['rubric_rag', 'simple_rag']],
    ['code-tutor', /\{workspace\}/, ['patch_file', 'patch_file']],
    ['orchestrator', /\{user_input\}/, ['assistant']],
    ['moodle-adviser', /\{moodle_courses\}/, ['moodle']],
  ] as const) {
    await page.getByTestId(`template-${id}`).click();
    await expect(page.getByTestId('tool-card')).toHaveCount(tools.length);
    await expect(page.getByTestId('system-prompt-input')).not.toBeEmpty();
    const checked = page.waitForRequest('**/lamb/v1/assistants/validate');
    await page.getByTestId('name-input').fill(`My ${id}`);
    const body = (await checked).postDataJSON() as {
      prompt_template: string;
      metadata: { tools: { type: string; config: Record<string, unknown> }[] };
    };
    expect(body.prompt_template).toMatch(template);
    expect(body.metadata.tools.map(({ type }) => type)).toEqual(tools);
    for (const { type, config } of body.metadata.tools) {
      if (type === 'simple_rag') expect(config['citations']).toBe(true);
    }
    await page.goto('/assistants/new');
  }
  // One that needs nothing chosen can be saved as it is.
  await page.getByTestId('template-code-tutor').click();
  await page.getByTestId('save-btn').click();
  await expect(page.locator('.success-message')).toBeVisible();
  const { items } = (await organization.call(organization.teacher, 'GET', '/lamb/v1/assistants')) as {
    items: { name: string; assistant_type: string; tools: string[] }[];
  };
  expect(items).toMatchObject([{ name: 'Code tutor', assistant_type: 'multi_tool', tools: ['patch_file'] }]);
});

test('an assistant is shared, and the other one may look but not change', async ({
  teacherPage: page,
  organization,
  openAs,
}) => {
  const { id } = await makeMultiTool(organization, 'Guide');
  const colleague = await organization.addPerson('Iker Otxoa', 'member');
  await page.goto('/assistants');
  await openMenu(page, 'Guide');
  await page.getByTestId('action-share').click();
  await expect(page.getByText('Nobody yet.')).toBeVisible();
  await expectAccessible(page);
  await page.getByTestId('share-email').fill('nobody@nowhere.test');
  await page.getByTestId('share-add').click();
  await expect(page.getByText('Nobody in your organisation has this address: nobody@nowhere.test')).toBeVisible();
  await page.getByTestId('share-email').fill(colleague.email);
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('share-person')).toHaveText([colleague.email]);
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByTestId('assistant-row')).toContainText('Shared');

  const other = await openAs(colleague);
  await other.goto('/assistants?filter=shared');
  await other.getByRole('link', { name: 'Guide' }).click();
  await expect(other).toHaveURL(new RegExp(`/multi-tool-assistants/${String(id)}$`));
  await expect(other.getByTestId('read-only-note')).toContainText('Maite Arana shares this assistant with you.');
  await expect(other.getByTestId('save-btn')).toBeHidden();
  await expectAccessible(other);
  await expectFitting(other);
  await other.getByTestId('duplicate-btn').click();
  await expect(other.getByTestId('name-input')).toHaveValue(/Guide/);
  await expect(other).not.toHaveURL(new RegExp(`/${String(id)}$`));
});

test('an administrator finds people by name to share with', async ({ adminPage: page, organization }) => {
  await makeMultiTool(organization, 'Guide');
  await page.goto('/assistants?filter=organization');
  await openMenu(page, 'Guide');
  await page.getByTestId('action-share').click();
  await page.getByTestId('share-search').fill('Joan');
  await page.getByRole('option', { name: /Joan Puig/ }).click();
  await expect(page.getByTestId('share-person')).toHaveText([organization.student.email]);
});

test('an assistant is published, with what a program needs', async ({ teacherPage: page, organization, world }) => {
  const { id } = await makeMultiTool(organization, 'Guide');
  await page.goto(`/multi-tool-assistants/${String(id)}`);
  await page.getByTestId('publish-open').click();
  await expectAccessible(page);
  await page.getByTestId('publish-btn').click();
  await expect(page.getByTestId('model-name')).toHaveText(`lamb_assistant.${String(id)}`);
  await expect(page.getByTestId('snippet')).toContainText(`curl ${world.url}/v1/chat/completions`);
  await page.getByTestId('tab-javascript').click();
  await expect(page.getByTestId('snippet')).toContainText("import OpenAI from 'openai'");
  await page.getByTestId('tab-python').click();
  await expect(page.getByTestId('snippet')).toContainText('from openai import OpenAI');
  await page.getByTestId('create-key').click();
  await expect(page.getByTestId('new-key')).toContainText('export LAMB_API_KEY=');
  await expectAccessible(page);
  await expectFitting(page);

  // The key opens it, as the snippet says.
  world.llm.script({ text: 'Hello from the guide.' });
  const key = (await page.getByTestId('new-key').innerText()).replace(/^.*=/, '').trim();
  const reply = await fetch(new URL('/v1/chat/completions', world.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: `lamb_assistant.${String(id)}`, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect(await reply.text()).toContain('Hello from the guide.');

  await page.getByTestId('unpublish-btn').click();
  await expect(page.getByText('“Guide” is no longer published.')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByTestId('publish-open')).toHaveText('Publication');
});

test('an assistant is exported and imported again', async ({ teacherPage: page, organization }) => {
  await makeMultiTool(organization, 'Guide');
  await page.goto('/assistants');
  await openMenu(page, 'Guide');
  const download = page.waitForEvent('download');
  await page.getByTestId('action-export').click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('Guide.json');
  const text = await readFile(await file.path(), 'utf8');

  await page.getByTestId('import-btn').click();
  await page.getByTestId('import-file').setInputFiles({
    name: 'notes.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('not json'),
  });
  await expect(page.getByText('“notes.txt” is not an exported assistant.')).toBeVisible();
  await expectAccessible(page);
  await page.getByTestId('import-file').setInputFiles({
    name: 'Guide.json',
    mimeType: 'application/json',
    buffer: Buffer.from(text),
  });
  await expect(page.getByTestId('import-dropped')).toContainText('owner');
  await expectAccessible(page);
  await expectFitting(page);
  await page.getByTestId('import-open').click();
  await expect(page.getByTestId('name-input')).toHaveValue(/^Guide/);
});

test('an assistant is deleted and brought back', async ({ teacherPage: page, organization }) => {
  await makeClassic(organization, 'Study helper');
  const { id } = await makeMultiTool(organization, 'Guide');
  await organization.call(organization.teacher, 'PUT', `/lamb/v1/assistants/${String(id)}/publication`);
  await page.goto('/assistants');
  await openMenu(page, 'Study helper');
  await page.getByTestId('action-delete').click();
  await expect(names(page)).toHaveText(['Guide']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(names(page)).toHaveText(['Guide', 'Study helper']);
  // What others use asks first.
  await openMenu(page, 'Guide');
  await page.getByTestId('action-delete').click();
  await expect(page.getByRole('alertdialog')).toContainText('Other people use it');
  await page.getByTestId('confirm-btn').click();
  await expect(names(page)).toHaveText(['Study helper']);
});

test(
  'a classic assistant is converted, and that is undone',
  { tag: '@ci' },
  async ({ teacherPage: page, organization }) => {
    const { id } = await make(organization, {
      name: 'Study helper',
      prompt_template: '{context}\n\n{user_input}',
      metadata: { rag_processor: 'simple_rag' },
      RAG_collections: '1',
    });
    await page.goto(`/assistants/${String(id)}`);
    await openMenu(page, 'Study helper');
    await page.getByTestId('action-convert').click();
    await expect(page.getByTestId('convert-tool')).toContainText('{context}');
    await expectAccessible(page);
    await expectFitting(page);
    await page.getByTestId('convert-btn').click();
    await expect(page).toHaveURL(new RegExp(`/multi-tool-assistants/${String(id)}$`));
    await expect(page.getByTestId('tools-manager')).toBeVisible();
    await page.getByTestId('undo-conversion').click();
    await expect(page).toHaveURL(new RegExp(`/assistants/${String(id)}$`));
    await expect(page.getByTestId('rag-processor-select')).toContainText('Knowledge base');

    // Changed since: it asks, because the changes are lost.
    await organization.call(organization.teacher, 'POST', `/lamb/v1/assistants/${String(id)}/convert`);
    await organization.call(organization.teacher, 'PATCH', `/lamb/v1/assistants/${String(id)}`, {
      system_prompt: 'new',
    });
    await page.goto(`/multi-tool-assistants/${String(id)}`);
    await page.getByTestId('undo-conversion').click();
    await page.getByTestId('confirm-btn').click();
    await expect(page.getByTestId('rag-processor-select')).toBeVisible();
    await expect(page.getByTestId('system-prompt-input')).toHaveValue('');
  },
);

test('converting and undoing it ask before unsaved changes are lost', async ({ teacherPage: page, organization }) => {
  const { id } = await makeClassic(organization, 'Study helper');
  await page.goto(`/assistants/${String(id)}`);
  await page.getByTestId('description-input').fill('half a thought');
  await openMenu(page, 'Study helper');
  await page.getByTestId('action-convert').click();
  await expect(page.getByRole('alertdialog')).toContainText('Save your changes first?');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByTestId('description-input')).toHaveValue('half a thought');
  await openMenu(page, 'Study helper');
  await page.getByTestId('action-convert').click();
  await page.getByTestId('confirm-btn').click();
  await page.getByTestId('convert-btn').click();
  await expect(page).toHaveURL(new RegExp(`/multi-tool-assistants/${String(id)}$`));
  await expect(page.getByTestId('description-input')).toHaveValue('half a thought');

  await page.getByTestId('description-input').fill('a whole thought');
  await page.getByTestId('undo-conversion').click();
  await expect(page.getByRole('alertdialog')).toContainText('saved or not, are lost');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByTestId('description-input')).toHaveValue('a whole thought');
  await page.getByTestId('undo-conversion').click();
  await page.getByTestId('confirm-btn').click();
  await expect(page).toHaveURL(new RegExp(`/assistants/${String(id)}$`));
  await expect(page.getByTestId('description-input')).toHaveValue('half a thought');
});

test('a prompt processor is chosen, and what it fills is offered', async ({ teacherPage: page, organization }) => {
  const { id } = await makeMultiTool(organization, 'Guide');
  await page.goto(`/multi-tool-assistants/${String(id)}`);
  await expect(page.getByTestId('prompt-processor-select')).toHaveText(/For several tools/);
  await page.getByTestId('prompt-processor-select').click();
  await expect(page.getByRole('option', { name: 'Simple', exact: true })).toHaveCount(0);
  await page.getByRole('option', { name: /With the Moodle user/ }).click();
  await page.getByTestId('placeholders').getByTestId('placeholder-moodle_user').click();
  await page.getByTestId('save-btn').click();
  await expect(page.locator('.success-message')).toBeVisible();
  await expect(page.getByTestId('warnings')).toHaveCount(0);
  expect(await organization.call(organization.teacher, 'GET', `/lamb/v1/assistants/${String(id)}`)).toMatchObject({
    prompt_template: expect.stringContaining('{moodle_user}'),
    metadata: { prompt_processor: 'moodle_augment' },
  });
  await expectAccessible(page);
  await expectFitting(page);
});

for (const locale of ['es-ES', 'ca-ES', 'eu-ES']) {
  test.describe(locale, () => {
    test.use({ locale });

    test(`no problem of an assistant is said in English in ${locale}`, async ({ teacherPage: page, organization }) => {
      const off = { type: 'weather', mode: 'function', enabled: true, config: {} };
      const { id } = await make(organization, {
        name: 'Warned',
        prompt_template: 'Only {nothing}',
        metadata: { ...MULTI, tools: [{ type: 'moodle', mode: 'context', enabled: true, config: {} }, off] },
      });
      const read = async () => {
        const path = `/lamb/v1/assistants/${String(id)}`;
        return (await organization.call(organization.teacher, 'GET', path)) as { problems: { message: string }[] };
      };
      const expectNoneOf = async (problems: readonly { message: string }[]) => {
        expect(problems.length).toBeGreaterThan(1);
        for (const { message } of problems) await expect(page.getByText(message)).toHaveCount(0);
        await expect(page.getByText('Weather', { exact: true })).toHaveCount(0);
      };
      const { problems: warnings } = await read();
      await page.goto(`/multi-tool-assistants/${String(id)}/view`);
      await expect(page.getByTestId('warnings').getByRole('listitem')).toHaveCount(warnings.length);
      await expectNoneOf(warnings);
      await page.goto(`/multi-tool-assistants/${String(id)}`);
      await page.getByTestId('add-tool-btn').click();
      await page.getByTestId('tool-option-simple_rag').click();
      const answer = page.waitForResponse((reply) => reply.request().method() === 'PATCH');
      await page.getByTestId('save-btn').click();
      const { details } = (await (await answer).json()) as { details: { problems: { message: string }[] } };
      await expect(page.getByTestId('problems')).toBeVisible();
      await expectNoneOf(details.problems);

      const classic = await makeClassic(organization, 'Study helper');
      const path = `/lamb/v1/assistants/${String(classic.id)}/convert/preview`;
      const preview = (await organization.call(organization.teacher, 'POST', path)) as {
        differences: { message: string }[];
      };
      await page.goto('/assistants');
      await page.getByTestId('assistant-row').filter({ hasText: 'Study helper' }).getByTestId('assistant-menu').click();
      await page.getByTestId('action-convert').click();
      await expect(page.getByTestId('convert-dialog').getByRole('listitem').first()).toBeVisible();
      for (const { message } of preview.differences) await expect(page.getByText(message)).toHaveCount(0);
    });
  });
}

test('an assistant is looked at', async ({ teacherPage: page, organization }) => {
  const { id } = await makeMultiTool(organization, 'Guide');
  await page.goto(`/multi-tool-assistants/${String(id)}/view`);
  await expect(page.getByTestId('view-tool')).toHaveCount(1);
  await expect(page.getByText('{user_input}')).toBeVisible();
  await expectAccessible(page);
  await expectFitting(page);
  await page.getByTestId('edit-btn').click();
  await expect(page.getByTestId('save-btn')).toBeVisible();
  await page.goto('/assistants/987654321');
  await expect(page.getByTestId('error-panel')).toBeVisible();
  await expectAccessible(page);
});

test('an assistant is made with the keyboard alone', async ({ teacherPage: page, isMobile }) => {
  test.skip(isMobile, 'phones have no keyboard');
  await page.goto('/assistants');
  await expect(page.getByRole('heading', { name: 'No assistants yet' })).toBeVisible();
  const press = (testId: string) => keyboard.press(page.getByTestId(testId));
  await press('create-btn');
  await expect(page).toHaveURL(/\/assistants\/new$/);
  await press('type-card-classic');
  await expect(page).toHaveURL(/\/assistants\/create$/);
  await tabTo(page.getByTestId('name-input'));
  await page.keyboard.type('Keyboard helper');
  await tabTo(page.getByTestId('rag-processor-select'));
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('rag-processor-select')).toContainText('Knowledge base');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('rag-processor-select')).toContainText('No source');
  await tabTo(page.getByTestId('system-prompt-input'));
  await page.keyboard.type('You answer briefly.');
  await press('save-btn');
  await expect(page.locator('.success-message')).toBeVisible();
  await expect(page).toHaveURL(/\/assistants\/\d+$/);

  await page.goto('/assistants');
  await expect(names(page)).toHaveText(['Keyboard helper']);
  await press('assistant-menu');
  await expect(page.getByTestId('action-edit')).toBeFocused();
  await page.keyboard.press('End');
  await expect(page.getByTestId('action-delete')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('assistant-menu')).toBeFocused();
});
