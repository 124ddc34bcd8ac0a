import type { Route } from '@playwright/test';
import { ask, lastAnswer, multiTool, plain, publish } from '../world/chatting.ts';
import { expectAccessible } from '../world/expect-accessible.ts';
import { makeKnowledgeBase } from '../world/make-knowledge-base.ts';
import { expect, test } from '../world/test.ts';

test('what is drawn and being written stays when the chat cannot be loaded again', async ({
  world,
  organization,
  studentPage: page,
}) => {
  const id = await publish(organization, { name: 'Tutor', ...plain });
  world.llm.script({ text: 'The first answer.' }, { text: 'The second answer.' });
  await page.goto(`/chats/new?assistant=${String(id)}`);
  await ask(page, 'First');
  await expect(lastAnswer(page)).toContainText('The first answer.');
  await page.getByTestId('question').hover();
  await expect(page.getByTestId('edit-btn')).toBeVisible();

  const chat = /\/lamb\/v1\/chats\/[\w-]{36}$/;
  await page.route(chat, (route) => route.abort());
  await ask(page, 'Second');
  await page.getByTestId('question-input').fill('Half a thou');
  await expect(page.getByTestId('chat-problem')).toBeVisible();
  await expect(lastAnswer(page)).toContainText('The second answer.');
  await expect(page.getByTestId('question')).toHaveCount(2);
  await expect(page.getByTestId('question-input')).toHaveValue('Half a thou');
  await expectAccessible(page);

  await page.unroute(chat);
  await page.getByTestId('chat-problem').getByRole('button').click();
  await expect(page.getByTestId('chat-problem')).toHaveCount(0);
  await expect(page.getByTestId('question-input')).toHaveValue('Half a thou');
});

test('the sources of an earlier answer come when the network is back', async ({
  world,
  organization,
  studentPage: page,
}) => {
  const collection = await makeKnowledgeBase(organization, 'Notes', { 'cells.md': '# Cells\n\nFour phases.\n' });
  const id = await publish(organization, {
    name: 'Citing tutor',
    prompt_template: '{context}{user_input}',
    ...multiTool([
      { type: 'simple_rag', config: { collections: [String(collection)], citations: true, threshold: 0 } },
    ]),
  });
  world.llm.script({ text: 'Four phases [1].' });
  await page.goto(`/chats/new?assistant=${String(id)}`);
  await ask(page, 'How many phases?');
  await expect(page.getByTestId('citation-1')).toBeVisible();
  let refused = 0;
  await page.route(/\/runs\/[\w-]+\/answer$/, async (route) => {
    refused += 1;
    await route.abort();
  });
  await page.reload();
  await expect(lastAnswer(page)).toContainText('Four phases');
  await expect.poll(() => refused).toBeGreaterThan(0);
  await expect(page.getByTestId('error-panel')).toHaveCount(0);
  await page.unroute(/\/runs\/[\w-]+\/answer$/);
  await expect(page.getByTestId('citation-1')).toBeVisible();
  await expect(page.getByTestId('sources')).toContainText('cells.md');
});

test('a first question that is refused stays in the field, and leaves no chat behind', async ({
  world,
  organization,
  studentPage: page,
}) => {
  const { call, teacher } = organization;
  const id = await publish(organization, { name: 'Tutor', ...plain });
  world.llm.script({ text: 'Now I answer.' }, { text: 'Better.' });
  await page.goto(`/chats/new?assistant=${String(id)}`);
  await expect(page.getByTestId('welcome')).toContainText('Tutor');
  const turns = /\/chats\/[\w-]{36}\/turns$/;
  const refuse = (route: Route) =>
    route.fulfill({
      status: 429,
      contentType: 'application/problem+json',
      json: { type: 'about:blank', title: 'Too many requests', status: 429, code: 'rate_limited' },
    });
  await page.route(turns, refuse);
  await ask(page, 'Too soon');
  await expect(page.getByTestId('chat-problem')).toContainText('The question could not be sent.');
  await expect(page.getByTestId('question-input')).toHaveValue('Too soon');
  const list = async () =>
    ((await call(organization.student, 'GET', '/lamb/v1/chats')) as { items: { title: string }[] }).items;
  expect(await list()).toEqual([]);
  await page.unroute(turns);
  await ask(page, 'And now?');
  await expect(lastAnswer(page)).toContainText('Now I answer.');
  await expect(page.getByTestId('chat-problem')).toHaveCount(0);
  await expect.poll(async () => (await list()).map(({ title }) => title)).toEqual(['And now?']);
  await expect(page).toHaveURL(/\/chats\/[\w-]{36}$/);

  // What is asked differently stays as well.
  await page.getByTestId('question').hover();
  await page.getByTestId('edit-btn').click();
  await page.getByTestId('edit-input').fill('And now, better?');
  await page.route(turns, refuse);
  await page.getByTestId('resend-btn').click();
  await expect(page.getByTestId('chat-problem')).toContainText('The question could not be sent.');
  await expect(page.getByTestId('edit-input')).toHaveValue('And now, better?');
  await expect(page.getByTestId('edit-input')).toBeFocused();
  await expectAccessible(page);
  await page.unroute(turns);
  await page.getByTestId('resend-btn').click();
  await expect(lastAnswer(page)).toContainText('Better.');
  await expect(page.getByTestId('edit-input')).toHaveCount(0);
  await expect(page.getByTestId('question')).toHaveText(/And now, better\?/);

  // An assistant that was taken back can no longer be asked, and what was said stays.
  await call(teacher, 'DELETE', `/lamb/v1/assistants/${String(id)}/publication`);
  await page.reload();
  await expect(lastAnswer(page)).toContainText('Better.');
  await expect(page.getByTestId('question-input')).toBeDisabled();
});

test('a teacher who may only use an assistant is not offered to look into its prompts', async ({
  world,
  organization,
  openAs,
  teacherPage,
}) => {
  const id = await publish(organization, { name: 'Tutor', ...plain });
  world.llm.script({ text: 'Hello.', times: 'always' });
  const colleague = await openAs(await organization.addPerson('Jon Agirre', 'member'));
  for (const [page, count] of [
    [teacherPage, 1],
    [colleague, 0],
  ] as const) {
    await page.goto(`/chats/new?assistant=${String(id)}`);
    await ask(page, 'Hello');
    await expect(lastAnswer(page)).toHaveAttribute('data-status', 'finished');
    await expect(page.getByTestId('regenerate-btn')).toBeVisible();
    await expect(page.getByTestId('xray-btn')).toHaveCount(count);
  }
  await teacherPage.getByTestId('xray-btn').click();
  await expect(teacherPage.getByTestId('xray-message')).not.toHaveCount(0);
});
