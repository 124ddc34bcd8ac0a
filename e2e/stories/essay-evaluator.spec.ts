import type { Page } from '@playwright/test';
import { join } from 'node:path';
import { expectAccessible } from '../world/expect-accessible.ts';
import { keyboard, pointer, tabTo, type Hands } from '../world/hands.ts';
import { expect, test } from '../world/test.ts';

const reader = join(import.meta.dirname, '../../packages/knowledge/src/extract/__fixtures__/documents/libreoffice.pdf');

test.describe.configure({ timeout: 180_000 });

for (const [how, hands] of [
  ['', pointer],
  [', without a mouse', keyboard],
] as const) {
  test(
    `a teacher builds an essay evaluator, and a student uses it${how}`,
    { tag: '@ci' },
    async ({ openAs, page, world, isMobile }) => {
      test.skip(isMobile && hands === keyboard, 'phones have no keyboard');
      const organization = await world.addOrganization({ config: { kb_server: {} } });
      const answer = Array.from({ length: 200 }, (_, index) => `word${String(index)}`).join(' ');
      world.llm.script(
        { text: 'The vines reach eleven metres deep [1], so the claim holds.' },
        { text: answer, intervalMs: 20 },
      );

      const teacher = await openAs(organization.teacher);
      await teacher.goto('/assistants');
      await hands.press(teacher.getByTestId('create-btn'));
      await hands.press(teacher.getByTestId('template-essay-evaluator'));
      await hands.write(teacher.getByTestId('name-input'), 'Essays on water');

      const [rubricTool, searchTool] = [0, 1].map((index) => teacher.getByTestId('tool-card').nth(index));
      if (!rubricTool || !searchTool) throw new Error('unreachable');
      await hands.press(rubricTool.getByTestId('tool-toggle'));
      const rubricTab = await openTab(teacher, () => hands.press(rubricTool.getByTestId('new-rubric')));
      await makeRubric(rubricTab, hands, isMobile);
      await chooseRubric(teacher, hands);
      await hands.press(searchTool.getByTestId('tool-toggle'));
      const knowledgeTab = await openTab(teacher, () => hands.press(searchTool.getByTestId('new-collection')));
      await makeKnowledgeBase(knowledgeTab, hands);
      await hands.press(searchTool.getByRole('checkbox', { name: 'Course reader' }));
      await expect(teacher.getByTestId('tool-errors').filter({ visible: true })).toHaveCount(0);

      await showPart(teacher, isMobile, 'last');
      await hands.write(teacher.getByTestId('question-input'), 'My essay: vines on the terrace have deep roots.');
      await hands.press(teacher.getByTestId('send-btn'));
      await expect(teacher.getByTestId('answer')).toHaveAttribute('data-status', 'finished');
      await hands.press(teacher.getByTestId('citation-1'));
      await expect(teacher.getByTestId('passage')).toContainText(/Water and soil.*p. 3/);
      await expect(teacher.getByTestId('passage')).toContainText('eleven metres');
      await teacher.keyboard.press('Escape');

      await hands.press(teacher.getByTestId('xray-btn'));
      const span = (tool: string) => teacher.locator(`[data-testid=xray-span][data-tool=${tool}]`);
      await expect(span('rubric_rag').first()).toContainText('Thesis');
      await expect(span('simple_rag').first()).toContainText('eleven metres');
      await expectAccessible(teacher);
      await teacher.keyboard.press('Escape');

      await showPart(teacher, isMobile, 'first');
      await hands.press(teacher.getByTestId('save-btn'));
      await expect(teacher.getByTestId('saved')).toBeVisible();
      await hands.press(teacher.getByTestId('publish-open'));
      await hands.press(teacher.getByTestId('publish-btn'));
      await expect(teacher.getByTestId('model-name')).toContainText('lamb_assistant.');

      await page.goto('/sign-in');
      await hands.write(page.getByLabel('E-mail address'), organization.student.email);
      await hands.write(page.getByLabel('Password', { exact: true }), organization.student.password);
      await hands.press(page.getByTestId('sign-in-btn'));
      await hands.write(page.getByTestId('gallery-search'), 'water');
      await hands.press(page.getByRole('link', { name: 'Essays on water' }));
      await hands.write(page.getByTestId('question-input'), 'How deep do vines reach?');
      await hands.press(page.getByTestId('send-btn'));
      await expect(page.getByTestId('answer')).toContainText('word5');
      await page.reload();
      await expect(page.getByTestId('answer')).toHaveAttribute('data-status', 'finished', { timeout: 30_000 });
      await expect(page.getByTestId('answer-text')).toHaveText(answer);
      const sent = JSON.stringify(world.llm.requests.at(-1)?.body);
      expect(sent).toContain('Thesis');
      expect(sent).toContain('eleven metres');
    },
  );
}

async function openTab(page: Page, press: () => Promise<void>): Promise<Page> {
  const opened = page.waitForEvent('popup');
  await press();
  return await opened;
}

/** On a phone, the form and the trial are behind each other. */
async function showPart(page: Page, isMobile: boolean, part: 'first' | 'last'): Promise<void> {
  if (isMobile) await page.getByTestId('editor-parts').getByRole('radio')[part]().click();
}

async function makeRubric(page: Page, hands: Hands, isMobile: boolean): Promise<void> {
  await hands.write(page.getByTestId('title-input'), 'Essay');
  const criteria = ['Thesis', 'Evidence', 'Language'];
  for (const [index, name] of criteria.entries()) {
    if (isMobile) {
      await hands.write(page.getByTestId('criterion-name').nth(index), name);
      continue;
    }
    const cell = page.locator(`[data-cell="${String(index + 1)}-0"]`);
    if (hands === pointer) await cell.click();
    else if (index === 0) await tabTo(cell);
    else await page.keyboard.press('ArrowDown');
    // Writing begins with the first letter.
    await page.keyboard.type(name);
    await page.keyboard.press('Enter');
    await expect(cell).toContainText(name);
  }
  await hands.press(page.getByTestId('save-btn'));
  await expect(page).toHaveURL(/\/rubrics\/(?!new)/);
  await page.close();
}

async function chooseRubric(page: Page, hands: Hands): Promise<void> {
  const picker = page.getByTestId('rubric-picker');
  if (hands === pointer) {
    await picker.click();
    await page.getByRole('option', { name: 'Essay' }).click();
  } else {
    await tabTo(picker);
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('option', { name: 'Essay' })).toHaveAttribute('data-highlighted', '');
    await page.keyboard.press('Enter');
  }
  await expect(picker).toHaveValue('Essay');
}

async function makeKnowledgeBase(page: Page, hands: Hands): Promise<void> {
  await hands.write(page.getByTestId('name-input'), 'Course reader');
  await hands.press(page.getByTestId('save-btn'));
  await expect(page.getByRole('heading', { level: 1, name: 'Course reader' })).toBeVisible();
  const chooser = page.waitForEvent('filechooser');
  const upload = page.getByTestId('document-upload');
  // The field itself is for the keyboard; what one sees of it is its label.
  await (hands === pointer ? page.locator('label').filter({ has: upload }).click() : hands.press(upload));
  await (await chooser).setFiles(reader);
  await expect(page.getByTestId('document-status').filter({ visible: true })).toHaveText('Ready', { timeout: 45_000 });
  await page.close();
}
