import { ask, lastAnswer, multiTool, plain, publish } from '../world/chatting.ts';
import { expectAccessible } from '../world/expect-accessible.ts';
import { expectFitting } from '../world/expect-fitting.ts';
import { makeKnowledgeBase } from '../world/make-knowledge-base.ts';
import { expect, test } from '../world/test.ts';

test('a student finds an assistant, chats, and reloads in mid-answer', async ({ world, organization, page }) => {
  await publish(organization, { name: 'Biology tutor', description: 'Helps with cells.', ...plain });
  const words = Array.from({ length: 300 }, (_, index) => `word${String(index)}`).join(' ');
  world.llm.script({ text: words, intervalMs: 15 }, { text: 'A short second answer.' });

  await page.goto('/sign-in');
  await page.getByLabel('E-mail address').fill(organization.student.email);
  await page.getByLabel('Password', { exact: true }).fill(organization.student.password);
  await page.getByTestId('sign-in-btn').click();
  await expect(page).toHaveURL(/\/gallery$/);
  await expect(page.getByTestId('gallery-card')).toHaveCount(1);
  await expectAccessible(page);
  await expectFitting(page);
  await page.getByTestId('gallery-search').fill('nothing like it');
  await expect(page.getByText('No assistant matches')).toBeVisible();
  await page.getByTestId('gallery-search').fill('biology');
  await page.getByRole('link', { name: 'Biology tutor' }).click();
  await expect(page.getByTestId('welcome')).toContainText('Helps with cells.');
  await expectAccessible(page);
  await expectFitting(page);

  await ask(page, 'Tell me about cells');
  await expect(page).toHaveURL(/\/chats\/[\w-]{36}$/);
  await expect(lastAnswer(page)).toContainText('word5');
  await page.reload();
  await expect(lastAnswer(page)).toHaveAttribute('data-status', 'running');
  await expect(lastAnswer(page)).toHaveAttribute('data-status', 'finished', { timeout: 30_000 });
  // Nothing is lost, and nothing is there twice.
  await expect(page.getByTestId('answer-text')).toHaveText(words);
  await expect(page.getByTestId('announcement')).toContainText('Answer complete');

  await ask(page, 'And now?');
  await expect(lastAnswer(page)).toContainText('A short second answer.');
  await expect(page.getByTestId('question')).toHaveCount(2);
  await expectAccessible(page);
  await expectFitting(page);
  await page.getByRole('link', { name: 'Chats' }).filter({ visible: true }).first().click();
  await expect(page.getByTestId('chat-row').filter({ visible: true })).toContainText('Tell me about cells');
});

test('chats are searched, renamed, shared, taken back and deleted', async ({
  world,
  organization,
  studentPage: page,
  browser,
}) => {
  const id = await publish(organization, { name: 'Tutor', ...plain });
  world.llm.script({ text: 'Mitosis has **four** phases.' }, { text: 'Later words.' });
  await page.goto(`/chats/new?assistant=${String(id)}`);
  await ask(page, 'What is mitosis?');
  await expect(lastAnswer(page)).toContainText('four phases');

  await page.goto('/chats');
  await expect(page.getByTestId('chat-row')).toHaveCount(1);
  await page.getByTestId('chat-search').fill('zebra');
  await expect(page.getByText('Nothing was said like that')).toBeVisible();
  await page.getByTestId('chat-search').fill('phases');
  await expect(page.getByTestId('chat-row')).toHaveCount(1);
  await expectAccessible(page);
  await expectFitting(page);

  await page.getByTestId('chat-menu').click();
  await page.getByTestId('chat-rename').click();
  await page.getByTestId('title-input').fill('Cell division');
  await page.getByTestId('rename-btn').click();
  await expect(page.getByTestId('chat-row')).toContainText('Cell division');

  await page.getByTestId('chat-menu').click();
  await page.getByTestId('chat-share').click();
  await expect(page.getByTestId('share-dialog')).toContainText('This chat is only yours.');
  await expectAccessible(page);
  await page.getByTestId('share-btn').click();
  const link = await page.getByTestId('share-link').inputValue();
  await page.keyboard.press('Escape');

  const context = await browser.newContext();
  const stranger = await context.newPage();
  await stranger.goto(link);
  await expect(stranger.getByRole('heading', { level: 1, name: 'Cell division' })).toBeVisible();
  await expect(stranger.getByTestId('shared-chat')).toContainText('four phases');
  await expectAccessible(stranger);
  await expectFitting(stranger);

  await page.getByTestId('chat-menu').click();
  await page.getByTestId('chat-share').click();
  await page.getByTestId('unshare-btn').click();
  await expect(page.getByTestId('share-dialog')).toContainText('This chat is only yours.');
  await page.keyboard.press('Escape');
  await stranger.reload();
  await expect(stranger.getByText('The link may have been taken back.')).toBeVisible();
  await context.close();

  await page.getByTestId('chat-menu').click();
  await page.getByTestId('chat-delete').click();
  await page.getByTestId('confirm-btn').click();
  await expect(page.getByTestId('chat-row')).toHaveCount(0);
});

test('stop, answer anew, edit and ask again', async ({ world, organization, studentPage: page }) => {
  const id = await publish(organization, { name: 'Tutor', ...plain });
  world.llm.script(
    { tokens: 5000, intervalMs: 20 },
    { text: 'A better answer.' },
    { text: 'An answer to another question.' },
    { faults: { status: 401 } },
  );
  await page.goto(`/chats/new?assistant=${String(id)}`);
  await ask(page, 'First');
  await expect(lastAnswer(page)).toContainText('t3');
  await page.getByTestId('stop-btn').click();
  await expect(page.getByTestId('stopped')).toBeVisible();
  await page.getByTestId('regenerate-btn').click();
  await expect(lastAnswer(page)).toContainText('A better answer.');
  await expect(page.getByTestId('question')).toHaveCount(1);

  await page.getByTestId('question').hover();
  await page.getByTestId('edit-btn').click();
  await page.getByTestId('edit-input').fill('Second');
  await page.getByTestId('resend-btn').click();
  await expect(lastAnswer(page)).toContainText('An answer to another question.');
  await expect(page.getByTestId('question')).toHaveText(/Second/);

  await ask(page, 'Third');
  await expect(page.getByTestId('answer-error')).toContainText('administrator');
  await expectAccessible(page);
});

test(
  'a call waits for approval, shows what it would change, and then changes it',
  { tag: '@ci' },
  async ({ world, organization, studentPage: page }) => {
    const id = await publish(organization, {
      name: 'Code tutor',
      ...multiTool([{ type: 'patch_file', mode: 'function', config: {} }]),
    });
    const change = { line_start: 1, line_end: 1, old_content: 'print(1)', new_content: 'print(2)' };
    const call = { name: 'patch_file', arguments: { file_path: 'a.py', changes: [change] } };
    world.llm.script({ toolCalls: [call] }, { text: 'Done.' }, { toolCalls: [call] }, { text: 'As you wish.' });
    await page.goto(`/chats/new?assistant=${String(id)}`);
    await page.getByTestId('files-btn').click();
    await page.getByTestId('workspace-upload').setInputFiles({
      name: 'a.py',
      mimeType: 'text/x-python',
      buffer: Buffer.from('print(1)\nprint(3)\n'),
    });
    await expect(page.getByTestId('workspace-file')).toContainText('a.py');
    await expectAccessible(page);
    await page.keyboard.press('Escape');

    await ask(page, 'Fix it');
    await expect(page.getByTestId('approval')).toBeVisible();
    await expect(page.getByTestId('approval')).toContainText('+print(2)');
    await expectAccessible(page);
    await expectFitting(page);
    // It waits for as long as one likes, also across a reload.
    await page.reload();
    await page.getByTestId('approve-btn').click();
    await expect(lastAnswer(page)).toContainText('Done.');
    await expect(page.getByTestId('diff')).toContainText('-print(1)');
    await page.getByTestId('files-btn').click();
    await page.getByTestId('workspace-file').click();
    await expect(page.getByTestId('workspace')).toContainText('print(2)');
    await page.getByTestId('workspace-backup').getByRole('button').first().click();
    await expect(page.getByTestId('workspace').locator('pre')).toContainText('print(1)');
    await page.keyboard.press('Escape');

    await ask(page, 'Again');
    await page.getByTestId('reject-btn').click();
    await expect(lastAnswer(page)).toContainText('As you wish.');
  },
);

test('a citation opens the passage, with page and headings', async ({ world, organization, studentPage: page }) => {
  const collection = await makeKnowledgeBase(organization, 'Course notes', {
    'cells.md': '# Cells\n\n## Division\n\nMitosis has four phases, and each of them has a name.\n',
  });
  const id = await publish(organization, {
    name: 'Citing tutor',
    prompt_template: '{context}{user_input}',
    ...multiTool([
      { type: 'simple_rag', config: { collections: [String(collection)], citations: true, threshold: 0 } },
    ]),
  });
  world.llm.script({ text: 'Four phases [1]. Blue [7].' });
  await page.goto(`/chats/new?assistant=${String(id)}`);
  await ask(page, 'How many phases does mitosis have?');
  await expect(lastAnswer(page)).toHaveAttribute('data-status', 'finished');
  await expect(lastAnswer(page)).toContainText('Blue [7].');
  const asked = page.waitForRequest(/\/passage\?/);
  await page.getByTestId('citation-1').click();
  const address = (await asked).url();
  await expect(page.getByTestId('passage')).toContainText('cells.md');
  await expect(page.getByTestId('passage-text')).toContainText('Mitosis has four phases');
  await expect(page.getByTestId('passage-headings')).toContainText('Division');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('citation-1')).toBeFocused();
  // Also after coming back later.
  await page.reload();
  await expect(page.getByTestId('citation-1')).toBeVisible();
  await expect(page.getByTestId('sources')).toContainText('cells.md');
  await expectAccessible(page);
  // The address that programs are given, too, opens as a page.
  await page.goto(address);
  await expect(page.getByRole('heading', { level: 1, name: 'cells' })).toBeVisible();
  await expect(page.getByTestId('passage').locator('mark')).toContainText('Mitosis has four phases');
  await expectAccessible(page);
  await expectFitting(page);
});

test('the page for frames: sign-in is explained, then one chats, and a reload goes on', async ({
  world,
  organization,
  page,
  studentPage,
}) => {
  const id = await publish(organization, { name: 'Framed tutor', ...plain });
  await page.goto(`/embed/${String(id)}`);
  await expect(page.getByTestId('embed-sign-in')).toBeVisible();
  await expectAccessible(page);
  await expectFitting(page);

  world.llm.script({ text: 'Hello from the frame.' });
  await studentPage.goto(`/embed/${String(id)}`);
  await ask(studentPage, 'Hello');
  await expect(lastAnswer(studentPage)).toContainText('Hello from the frame.');
  await studentPage.reload();
  await expect(lastAnswer(studentPage)).toContainText('Hello from the frame.');
  await expectAccessible(studentPage);
  await expectFitting(studentPage);
  await studentPage.getByTestId('embed-new').click();
  await expect(studentPage.getByTestId('welcome')).toBeVisible();
});

test('with the keyboard alone: ask, edit, stop, decide, answer anew, and never lose one’s place', async ({
  world,
  organization,
  studentPage: page,
  isMobile,
}) => {
  test.skip(isMobile, 'phones have no keyboard');
  await publish(organization, {
    name: 'Tutor',
    ...multiTool([{ type: 'patch_file', mode: 'function', config: {} }]),
  });
  const patch = { line_start: 1, line_end: 1, old_content: 'a', new_content: 'b' };
  world.llm.script(
    { text: 'One.' },
    { text: 'Two.' },
    { text: 'Three.' },
    { tokens: 5000, intervalMs: 20 },
    { toolCalls: [{ name: 'patch_file', arguments: { file_path: 'a.txt', changes: [patch] } }] },
    { text: 'As you wish.' },
  );
  await page.goto('/gallery');
  const card = page.getByRole('link', { name: 'Tutor' });
  await card.focus();
  await page.keyboard.press('Enter');
  await page.getByTestId('question-input').focus();
  await page.keyboard.type('First line');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('second line');
  await page.keyboard.press('Enter');
  await expect(lastAnswer(page)).toContainText('One.');
  await expect(page.getByTestId('question')).toContainText('second line');
  await page.getByTestId('edit-btn').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('edit-input')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('edit-btn')).toBeFocused();
  await page.keyboard.press('Enter');
  await page.getByTestId('cancel-edit').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('edit-btn')).toBeFocused();
  await page.keyboard.press('Enter');
  await page.getByTestId('resend-btn').focus();
  await page.keyboard.press('Enter');
  await expect(lastAnswer(page)).toContainText('Two.');
  await expect(page.getByTestId('question-input')).toBeFocused();

  await page.getByTestId('regenerate-btn').focus();
  await page.keyboard.press('Enter');
  await expect(lastAnswer(page)).toContainText('Three.');
  await expect(page.getByTestId('question-input')).toBeFocused();

  await page.keyboard.type('Count');
  await page.keyboard.press('Enter');
  await expect(lastAnswer(page)).toContainText('t3');
  await page.getByTestId('stop-btn').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('stopped')).toBeVisible();
  await expect(page.getByTestId('send-btn')).toBeFocused();

  await page.getByTestId('question-input').focus();
  await page.keyboard.type('Change it');
  await page.keyboard.press('Enter');
  await page.getByTestId('reject-btn').focus();
  await page.keyboard.press('Enter');
  await expect(lastAnswer(page)).toContainText('As you wish.');
  await expect(page.getByTestId('question-input')).toBeFocused();
});
