import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from '../world/expect-accessible.ts';
import { expectFitting } from '../world/expect-fitting.ts';
import type { Organization, World } from '../world/start-world.ts';
import { expect, test } from '../world/test.ts';

interface Made {
  readonly id: number;
}

/** An organisation that searches its own collections, as one does that names no other server. */
const ownKnowledge = (world: World) => world.addOrganization({ config: { kb_server: {} } });

async function makeCollection({ call, teacher }: Organization, name: string): Promise<string> {
  const embedding = { provider: 'openai', model: 'text-embedding-3-small' };
  const made = await call(teacher, 'POST', '/lamb/v1/collections', { name, embedding });
  return String((made as Made).id);
}

async function makeAssistant(organization: Organization, tools: object[], template: string, name = 'Tutor') {
  const metadata = { _format_version: 2, assistant_type: 'multi_tool', connector: 'openai', llm: '', tools };
  const body = { name, prompt_template: template, metadata };
  return (await organization.call(organization.teacher, 'POST', '/lamb/v1/assistants', body)) as Made;
}

async function readTools({ call, teacher }: Organization, page: Page): Promise<Record<string, unknown>[]> {
  const id = /\/(\d+)$/.exec(new URL(page.url()).pathname)?.[1] ?? '';
  const { metadata } = (await call(teacher, 'GET', `/lamb/v1/assistants/${id}`)) as {
    metadata: { tools: Record<string, unknown>[] };
  };
  return metadata.tools;
}

const search = (placeholder: string, query?: string) => ({
  type: 'simple_rag',
  mode: 'context',
  enabled: true,
  placeholder,
  config: { collections: ['1'], ...(query === undefined ? {} : { query }) },
});

const cards = (page: Page) => page.getByTestId('tool-card');
const titles = (page: Page) => cards(page).getByTestId('tool-toggle');
const editor = (page: Page) => page.getByTestId('prompt-template-input');

async function add(page: Page, type: string): Promise<Locator> {
  await page.getByTestId('add-tool-btn').click();
  await page.getByTestId(`tool-option-${type}`).click();
  return cards(page).last();
}

async function save(page: Page): Promise<void> {
  await page.getByTestId('save-btn').click();
  await expect(page.getByTestId('saved')).toBeVisible();
}

/** Until CodeMirror is there, a text area is. */
async function openEditor(page: Page): Promise<Locator> {
  await expect(page.locator('.cm-content')).toBeVisible();
  return editor(page);
}

// Some look at a page with axe and at 200 % text besides; a busy machine needs a while for that.
test.describe.configure({ timeout: 120_000 });

test('a teacher adds tools, sets them up and takes one back', async ({ openAs, world }) => {
  const organization = await ownKnowledge(world);
  const notes = await makeCollection(organization, 'Lecture notes');
  const exercises = await makeCollection(organization, 'Exercises');
  const page = await openAs(organization.teacher);
  await page.goto('/multi-tool-assistants/create');
  await page.getByTestId('name-input').fill('Statistics tutor');
  await expect(page.getByTestId('tools-manager')).toContainText('No tools yet');

  const first = await add(page, 'simple_rag');
  await expect(first.getByTestId('tool-toggle')).toBeFocused();
  await first.getByRole('checkbox', { name: 'Lecture notes' }).click();
  await first.getByLabel('Passages per collection').fill('500');
  await expect(first.getByTestId('tool-settings')).toContainText('At most 100.');
  await first.getByLabel('Passages per collection').fill('5');
  await expect(first.getByTestId('tool-errors')).toBeHidden();

  const second = await add(page, 'simple_rag');
  await expect(second.getByTestId('tool-placeholder')).toHaveValue('context_2');
  await second.getByRole('checkbox', { name: 'Exercises' }).click();
  await second.getByTestId('tool-placeholder').fill('Con text');
  await expect(second.getByTestId('tool-settings')).toContainText('Use lower-case letters');
  await second.getByTestId('tool-placeholder').fill('context');
  await expect(second.getByTestId('tool-settings')).toContainText('{context} is already filled');
  await second.getByTestId('tool-placeholder').fill('exercises');
  await second.getByText('Time limit and failures').click();
  await second.getByTestId('tool-timeout').fill('2.5');
  await second.getByTestId('tool-fallback').fill('No exercises today.');

  const weather = await add(page, 'weather');
  await expect(weather).toContainText('Called by the model');
  await weather.getByTestId('tool-remove').click();
  await expect(cards(page)).toHaveCount(2);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(cards(page)).toHaveCount(3);
  await cards(page).nth(2).getByTestId('tool-enabled').click();

  await save(page);
  expect(await readTools(organization, page)).toEqual([
    {
      type: 'simple_rag',
      mode: 'context',
      enabled: true,
      placeholder: 'context',
      config: { collections: [notes], citations: true, top_k: 5 },
    },
    {
      type: 'simple_rag',
      mode: 'context',
      enabled: true,
      placeholder: 'exercises',
      timeout_ms: 2500,
      fallback: 'No exercises today.',
      config: { collections: [exercises], citations: true },
    },
    { type: 'weather', mode: 'function', enabled: false, config: {} },
  ]);
  await expectAccessible(page);
  await expectFitting(page);
});

test('with the keyboard alone: add, put in order, remove', async ({ teacherPage: page, isMobile }) => {
  test.skip(isMobile, 'there is no keyboard');
  await page.goto('/multi-tool-assistants/create');
  await page.getByTestId('add-tool-btn').focus();
  for (const typed of ['rubric', 'weather', 'moodle']) {
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('tool-search')).toBeFocused();
    await page.keyboard.type(typed);
    await expect(page.getByTestId('tool-picker').getByRole('option').first()).toHaveAttribute('data-selected', '');
    await page.keyboard.press('Enter');
    await expect(cards(page).last().getByTestId('tool-toggle')).toBeFocused();
    await page.getByTestId('add-tool-btn').focus();
  }
  await expect(titles(page)).toHaveText([/Assessment rubric/, /Weather/, /Moodle/]);

  // Space takes, arrows move, the focus goes along, space puts down.
  const grip = cards(page).first().getByTestId('tool-grip');
  await grip.focus();
  await page.keyboard.press('Space');
  await expect(page.getByTestId('tools-announcement')).toHaveText('Assessment rubric taken, position 1 of 3');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(titles(page)).toHaveText([/Weather/, /Moodle/, /Assessment rubric/]);
  await expect(cards(page).last().getByTestId('tool-grip')).toBeFocused();
  await page.keyboard.press('Space');
  await expect(page.getByTestId('tools-announcement')).toHaveText('Assessment rubric put down at position 3 of 3');
  await page.keyboard.press('ArrowUp');
  await expect(titles(page)).toHaveText([/Weather/, /Moodle/, /Assessment rubric/]);

  // Escape puts it back where it was taken.
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowUp');
  await expect(titles(page)).toHaveText([/Weather/, /Assessment rubric/, /Moodle/]);
  await page.keyboard.press('Escape');
  await expect(titles(page)).toHaveText([/Weather/, /Moodle/, /Assessment rubric/]);
  await expect(cards(page).last().getByTestId('tool-grip')).toBeFocused();

  // The buttons keep the focus, too; at the end it goes to the other one.
  await cards(page).nth(1).getByTestId('tool-up').focus();
  await page.keyboard.press('Enter');
  await expect(titles(page)).toHaveText([/Moodle/, /Weather/, /Assessment rubric/]);
  await expect(cards(page).first().getByTestId('tool-down')).toBeFocused();

  await cards(page).first().getByTestId('tool-remove').focus();
  await page.keyboard.press('Enter');
  await expect(titles(page)).toHaveText([/Weather/, /Assessment rubric/]);
  await expect(cards(page).first().getByTestId('tool-toggle')).toBeFocused();
});

test('tools are put in order by dragging', async ({ teacherPage: page, organization, isMobile }) => {
  const tools = ['weather', 'moodle', 'image_gen'].map((type) => ({
    type,
    mode: 'function',
    enabled: true,
    config: {},
  }));
  const { id } = await makeAssistant(organization, tools, '{user_input}');
  await page.goto(`/multi-tool-assistants/${String(id)}`);
  await expect(titles(page)).toHaveText([/Weather/, /Moodle/, /Image/]);
  if (isMobile) {
    await cards(page).first().getByTestId('tool-down').click();
    await cards(page).nth(1).getByTestId('tool-down').click();
  } else {
    const [from, to] = [cards(page).first().getByTestId('tool-grip'), cards(page).last()];
    await from.hover();
    await page.mouse.down();
    const box = await to.boundingBox();
    if (!box) throw new Error('The last card is not on the screen.');
    await page.mouse.move(box.x + 40, box.y + 10, { steps: 8 });
    await page.mouse.move(box.x + 40, box.y + box.height - 10, { steps: 8 });
    // The gap has followed the pointer to the end of the list.
    const rows = page.getByRole('list', { name: 'Tools of the assistant' }).locator('> li');
    await expect(rows.last()).toHaveAttribute('data-is-dnd-shadow-item-internal', 'true');
    await page.mouse.up();
    await expect(cards(page).last().getByTestId('tool-grip')).toBeFocused();
  }
  await expect(titles(page)).toHaveText([/Moodle/, /Image/, /Weather/]);
  await save(page);
  expect((await readTools(organization, page)).map(({ type }) => type)).toEqual(['moodle', 'image_gen', 'weather']);
});

test('the picker finds tools by their words, in groups', async ({ teacherPage: page }) => {
  await page.goto('/multi-tool-assistants/create');
  await page.getByTestId('add-tool-btn').click();
  const picker = page.getByTestId('tool-picker');
  await expect(picker.getByRole('group', { name: 'Assessment' }).getByRole('option')).toHaveCount(2);
  // It does nothing that one would add it for.
  await expect(page.getByTestId('tool-option-no_rag')).toHaveCount(0);
  await expectAccessible(page);
  await page.getByTestId('tool-search').fill('enrolled');
  await expect(picker.getByRole('option')).toHaveText([/Moodle courses/]);
  await page.getByTestId('tool-search').fill('zzz');
  await expect(picker).toContainText('Nothing matches.');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('add-tool-btn')).toBeFocused();
});

test('context or function, and approval where a call changes something', async ({
  teacherPage: page,
  organization,
}) => {
  await page.goto('/multi-tool-assistants/create');
  await page.getByTestId('name-input').fill('Code tutor');
  const card = await add(page, 'patch_file');
  await expect(card.getByTestId('tool-placeholder')).toHaveValue('workspace');
  await expect(card.getByTestId('tool-approval')).toHaveCount(0);
  await card.getByRole('radio', { name: 'When the model calls it' }).click();
  await expect(card.getByTestId('tool-placeholder')).toHaveCount(0);
  await expect(card.getByTestId('tool-approval')).toBeChecked();
  await card.getByTestId('tool-approval').click();
  await save(page);
  expect(await readTools(organization, page)).toEqual([
    { type: 'patch_file', mode: 'function', enabled: true, approval: false, config: {} },
  ]);
});

test('a file is uploaded from the form', async ({ teacherPage: page, organization }) => {
  await page.goto('/multi-tool-assistants/create');
  await page.getByTestId('name-input').fill('Reader');
  const card = await add(page, 'single_file_rag');
  await card
    .getByTestId('file-upload')
    .setInputFiles({ name: 'syllabus.md', mimeType: 'text/markdown', buffer: Buffer.from('# Syllabus') });
  await expect(card.getByTestId('file-picker')).toHaveValue('syllabus.md');
  await save(page);
  expect(await readTools(organization, page)).toMatchObject([{ config: { file_path: 'syllabus.md' } }]);
});

test('an assistant that uses tools cannot be chosen, and says why', async ({ teacherPage: page, organization }) => {
  const weather = { type: 'weather', mode: 'function', enabled: true, config: {} };
  await makeAssistant(organization, [weather], '{user_input}', 'Weather expert');
  const { id } = await makeAssistant(organization, [], '{user_input}', 'Maths expert');
  await page.goto('/multi-tool-assistants/create');
  await page.getByTestId('name-input').fill('Coordinator');
  const card = await add(page, 'assistant');
  await card.getByTestId('assistant-picker').click();
  const refused = page.getByRole('option', { name: /Weather expert/ });
  await expect(refused).toHaveAttribute('aria-disabled', 'true');
  await expect(refused).toContainText('it cannot be asked');
  await page.getByRole('option', { name: /Maths expert/ }).click();
  await expect(card.getByTestId('assistant-picker')).toHaveValue('Maths expert');
  await save(page);
  expect(await readTools(organization, page)).toMatchObject([{ config: { assistant_id: id } }]);
});

test('collections of a knowledge-base server are entered by their ids', async ({ teacherPage: page, organization }) => {
  await page.goto('/multi-tool-assistants/create');
  await page.getByTestId('name-input').fill('Librarian');
  const card = await add(page, 'simple_rag');
  const group = card.getByRole('group', { name: 'Collections' });
  await group.getByRole('button', { name: 'Add a line' }).click();
  await page.keyboard.type('not an id');
  await expect(group).toContainText('not allowed');
  await group.getByRole('textbox').fill('12');
  await expect(card.getByTestId('tool-errors')).toBeHidden();
  await save(page);
  expect(await readTools(organization, page)).toMatchObject([{ config: { collections: ['12'] } }]);
});

test('placeholders are chips in the template', async ({ teacherPage: page, organization, isMobile }) => {
  const tools = [
    search('context'),
    { type: 'moodle', mode: 'context', enabled: true, placeholder: 'moodle_courses', config: {} },
  ];
  const { id } = await makeAssistant(organization, tools, '{context}\n\n{user_input}');
  await page.goto(`/multi-tool-assistants/${String(id)}`);
  const text = await openEditor(page);
  await expect(page.getByRole('textbox', { name: 'Prompt template' })).toBeVisible();
  await expect(text.locator('.placeholder-c1')).toHaveText('{context}');
  await expect(text.locator('.placeholder-plain')).toHaveText('{user_input}');

  // Not used yet: said, and put right with one press.
  const warnings = page.getByTestId('template-warnings');
  await expect(warnings).toContainText('The template does not use {moodle_courses}');
  await warnings.getByRole('button', { name: 'Insert {moodle_courses}' }).click();
  await expect(text.locator('.placeholder-c6')).toHaveText('{moodle_courses}');
  await expect(warnings).not.toContainText('{moodle_courses}');

  // What nothing fills is marked.
  await text.press('ControlOrMeta+a');
  await page.keyboard.insertText('{context} {moodle_courses} {syllabus}');
  await expect(text.locator('.placeholder-unfilled')).toHaveText('{syllabus}');
  await expect(warnings).toContainText('Nothing fills {syllabus}');
  await expect(warnings).toContainText('The template does not use {user_input}');
  // Not half below a bar of the page, which axe takes for a small target.
  await page.getByTestId('placeholders').evaluate((element) => element.scrollIntoView({ block: 'center' }));
  await expectAccessible(page);

  await page.getByTestId('placeholders').getByTestId('placeholder-user_input').click();
  await expect(text).toBeFocused();
  await expect(warnings).not.toContainText('{user_input}');
  if (!isMobile) {
    // One key deletes a whole chip.
    await text.press('Control+End');
    await text.press('Backspace');
    await expect(text.locator('.placeholder-plain')).toHaveCount(0);
    await page.keyboard.type(' {user');
    await expect(page.getByRole('listbox', { name: 'Insert a placeholder' })).toContainText('{user_input}');
    await page.keyboard.press('Enter');
    await expect(text.locator('.placeholder-plain')).toHaveText('{user_input}');
    // Tab is the way out.
    await page.keyboard.press('Tab');
    await expect(text).not.toBeFocused();
  }
  await expectFitting(page);
});

test('what cannot be read is not saved as something else', async ({ teacherPage: page, organization }) => {
  const { id } = await makeAssistant(
    organization,
    [{ ...search('context'), timeout_ms: 2000 }],
    '{context}{user_input}',
  );
  await page.goto(`/multi-tool-assistants/${String(id)}`);
  const card = cards(page).first();
  await card.getByTestId('tool-toggle').click();
  await card.getByText('Time limit and failures').click();
  await page.getByTestId('description-input').fill('With notes');
  await card.getByTestId('tool-timeout').fill('9000');
  await expect(card).toContainText('A number above 0 and up to 600.');
  await expect(page.getByTestId('assistant-form').getByRole('status').last()).toHaveText(
    '1 problem to solve before saving',
  );
  await page.getByTestId('save-btn').click();
  await expect(card.getByTestId('tool-timeout')).toBeFocused();
  await card.getByTestId('tool-timeout').fill('3');
  await save(page);
  expect(await readTools(organization, page)).toMatchObject([{ timeout_ms: 3000 }]);
});

test('what waits for what is drawn, circles too', async ({ teacherPage: page, organization }) => {
  const tools = [search('glossary', 'terms in {context}'), search('context')];
  const { id } = await makeAssistant(organization, tools, '{glossary}{user_input}');
  await page.goto(`/multi-tool-assistants/${String(id)}`);
  const graph = page.getByTestId('dependency-graph');
  await expect(graph).toContainText('{glossary} waits for {context}.');
  await expect(graph.getByRole('img', { name: 'What waits for what' })).toBeVisible();

  const second = cards(page).last();
  await second.getByTestId('tool-toggle').click();
  await second.getByLabel('Search with').fill('more of ');
  await second.getByTestId('placeholder-glossary').click();
  await expect(second.getByLabel('Search with')).toHaveValue('more of {glossary}');
  await expect(graph.getByTestId('dependency-cycle')).toContainText('wait for each other');
  await expect(second.getByTestId('tool-settings')).toContainText('wait for each other. Remove one');
  await expectAccessible(page);
});

test('what is said while one types is what the server finds', async ({ teacherPage: page, organization }) => {
  const tools = [search('glossary', '{nobody}'), search('context'), { ...search('Bad name'), enabled: false }];
  const { id } = await makeAssistant(organization, tools, '{rubric} {glossary}');
  await page.goto(`/multi-tool-assistants/${String(id)}`);
  const body = {
    name: 'Tutor',
    prompt_template: '{rubric} {glossary}',
    metadata: { assistant_type: 'multi_tool', tools },
  };
  const { problems } = (await organization.call(
    organization.teacher,
    'POST',
    '/lamb/v1/assistants/validate',
    body,
  )) as {
    problems: { path: string }[];
  };
  const at = (path: string) => problems.filter((problem) => problem.path === path).length;
  await expect(
    page
      .getByTestId('template-warnings')
      .locator('p')
      .filter({ hasText: /fills|user_input/ }),
  ).toHaveCount(at('prompt_template'));
  expect(at('tools.0.config')).toBe(1);
  await expect(cards(page).first().getByTestId('tool-warnings')).toHaveText('1 warning');
  expect(at('tools.1.placeholder')).toBe(1);
  await expect(cards(page).nth(1).getByTestId('tool-warnings')).toHaveText('1 warning');
  expect(problems.some(({ path }) => path.startsWith('tools.2'))).toBe(false);
  await expect(cards(page).nth(2).getByTestId('tool-errors')).toHaveCount(0);
});
