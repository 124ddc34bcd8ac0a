import { lastAnswer, plain, publish } from '../world/chatting.ts';
import { expect, test } from '../world/test.ts';

test('in a frame of another page one chats, and goes on in a tab of its own', async ({
  world,
  organization,
  studentPage: page,
}) => {
  const id = await publish(organization, { name: 'Framed tutor', ...plain });
  world.llm.script({ text: 'Hello from the frame.' });
  await page.goto(world.site.frame(`${world.url}/embed/${String(id)}`));
  const frame = page.frameLocator('iframe');
  await expect(frame.getByTestId('welcome')).toContainText('Framed tutor');
  const ownTab = frame.getByTestId('embed-own-tab');
  await expect(ownTab).toHaveAttribute('href', `/chats/new?assistant=${String(id)}`);
  await frame.getByTestId('question-input').fill('Hello');
  await frame.getByTestId('send-btn').click();
  await expect(frame.getByTestId('answer')).toContainText('Hello from the frame.');
  await expect(ownTab).toHaveAttribute('href', /^\/chats\/[\w-]{36}$/);
  const opened = page.context().waitForEvent('page');
  await ownTab.click();
  const tab = await opened;
  await expect(tab).toHaveURL(/\/chats\/[\w-]{36}$/);
  await expect(lastAnswer(tab)).toContainText('Hello from the frame.');
  await frame.getByTestId('embed-new').click();
  await expect(ownTab).toHaveAttribute('href', `/chats/new?assistant=${String(id)}`);
});
