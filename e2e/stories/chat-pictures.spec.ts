import { makePng } from '@lamb/testing';
import type { Page } from '@playwright/test';
import { ask, lastAnswer, multiTool, publish } from '../world/chatting.ts';
import { expectAccessible } from '../world/expect-accessible.ts';
import { expectFitting } from '../world/expect-fitting.ts';
import { expect, test } from '../world/test.ts';

const seeing = { metadata: { connector: 'openai', llm: 'gpt-4o', capabilities: { vision: true } } };
const small = { name: 'cell.png', mimeType: 'image/png', buffer: makePng(1) };

interface Sent {
  readonly messages: { role: string; content: string | { type: string; image_url?: { url: string } }[] }[];
}
/** The pictures of every question that the model was sent last. */
const sentPictures = (body: unknown) =>
  (body as Sent).messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) =>
      typeof content === 'string' ? [] : content.flatMap(({ image_url: image }) => (image ? [image.url] : [])),
    );

/** A photo that is larger than models look at. */
async function takePhoto(page: Page): Promise<Buffer> {
  const url = await page.evaluate(() => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [3136, 1000];
    const context = canvas.getContext('2d');
    if (!context) throw new Error('nothing to draw with');
    context.fillStyle = 'teal';
    context.fillRect(0, 0, 3136, 1000);
    return canvas.toDataURL('image/jpeg');
  });
  return Buffer.from(url.split(',')[1] ?? '', 'base64');
}

/** Gives files as the clipboard or the mouse does. */
async function hand(page: Page, type: 'paste' | 'drop'): Promise<void> {
  await page.getByTestId(type === 'paste' ? 'question-input' : 'conversation').evaluate(
    (element, [event, data]) => {
      const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], `${event}.png`, { type: 'image/png' }));
      const options = { bubbles: true, cancelable: true };
      element.dispatchEvent(
        event === 'paste'
          ? new ClipboardEvent('paste', { ...options, clipboardData: transfer })
          : new DragEvent('drop', { ...options, dataTransfer: transfer }),
      );
    },
    [type, makePng(2).toString('base64')] as const,
  );
}

test('a student sends pictures, sees them in the chat and opens one', async ({
  world,
  organization,
  studentPage: page,
}) => {
  const id = await publish(organization, { name: 'Seeing tutor', ...seeing });
  world.llm.script({ text: 'A cell.' }, { text: 'Still a cell.' }, { text: 'A wide photo.' });
  await page.goto(`/chats/new?assistant=${String(id)}`);
  await page.getByTestId('picture-input').setInputFiles(small);
  await expect(page.getByTestId('picture')).toHaveCount(1);
  await hand(page, 'paste');
  await expect(page.getByTestId('picture')).toHaveCount(2);
  await hand(page, 'drop');
  await expect(page.getByTestId('picture')).toHaveCount(3);
  await expectAccessible(page);
  await expectFitting(page);
  await page.getByRole('button', { name: 'Remove drop.png' }).click();
  await expect(page.getByTestId('picture')).toHaveCount(2);

  // What cannot be sent is said, and what can stays.
  await page.getByTestId('picture-input').setInputFiles({ ...small, name: 'notes.pdf', mimeType: 'application/pdf' });
  await expect(page.getByTestId('picture-problem')).toContainText('notes.pdf');
  await page.getByTestId('picture-input').setInputFiles({ ...small, name: 'broken.png', buffer: Buffer.from('no') });
  await expect(page.getByTestId('picture-problem')).toContainText('broken.png');
  await page.getByTestId('picture-input').setInputFiles(Array.from({ length: 4 }, () => small));
  await expect(page.getByTestId('picture-problem')).toContainText('At most 5');
  await expect(page.getByTestId('picture')).toHaveCount(5);
  await expectAccessible(page);
  for (let count = 5; count > 1; count -= 1) {
    await page.getByTestId('picture-remove').last().click();
    await expect(page.getByTestId('picture')).toHaveCount(count - 1);
  }

  await ask(page, 'What is this?');
  await expect(lastAnswer(page)).toContainText('A cell.');
  const url = `data:image/png;base64,${makePng(1).toString('base64')}`;
  expect(sentPictures(world.llm.requests.at(-1)?.body)).toEqual([[url]]);
  await expect(page.getByTestId('picture')).toHaveCount(0);
  // Also when one comes back later.
  await page.reload();
  await page.getByTestId('question-picture').click();
  await expect(page.getByTestId('picture-dialog').getByRole('img', { name: 'Picture 1' })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('question-picture')).toBeFocused();

  // Asked differently, it keeps its picture.
  await page.getByTestId('question').hover();
  await page.getByTestId('edit-btn').click();
  await page.getByTestId('edit-input').fill('And this?');
  await page.getByTestId('resend-btn').click();
  await expect(lastAnswer(page)).toContainText('Still a cell.');
  expect(sentPictures(world.llm.requests.at(-1)?.body)).toEqual([[url]]);

  // A large photo is made as large as models look at it.
  const photo = { name: 'photo.jpg', mimeType: 'image/jpeg', buffer: await takePhoto(page) };
  await page.getByTestId('picture-input').setInputFiles(photo);
  await ask(page, 'And the photo?');
  await expect(lastAnswer(page)).toContainText('A wide photo.');
  const [first, second] = sentPictures(world.llm.requests.at(-1)?.body);
  expect(first).toEqual([url]);
  const size = await page.evaluate(async (address) => {
    const image = new Image();
    image.src = address;
    await image.decode();
    return [image.naturalWidth, image.naturalHeight];
  }, second?.[0] ?? '');
  expect(size).toEqual([1568, 500]);
  await expectAccessible(page);
  await expectFitting(page);
});

test('whose assistant cannot see is not offered to send pictures; in the trial the switch decides', async ({
  world,
  organization,
  studentPage,
  teacherPage: page,
  isMobile,
}) => {
  const id = await publish(organization, { name: 'Blind tutor', ...multiTool([]) });
  await studentPage.goto(`/chats/new?assistant=${String(id)}`);
  await expect(studentPage.getByTestId('welcome')).toContainText('Blind tutor');
  await expect(studentPage.getByTestId('picture-btn')).toHaveCount(0);

  world.llm.script({ text: 'I see.' });
  const parts = page.getByTestId('editor-parts').getByRole('radio');
  await page.goto(`/multi-tool-assistants/${String(id)}`);
  await page.getByTestId('capability-vision').click();
  if (isMobile) await parts.last().click();
  await page.getByTestId('picture-input').setInputFiles(small);
  await expect(page.getByTestId('picture')).toHaveCount(1);
  await ask(page, 'Do you see?');
  await expect(lastAnswer(page)).toContainText('I see.');
  expect(sentPictures(world.llm.requests.at(-1)?.body)).toHaveLength(1);
  await page.getByTestId('question-picture').click();
  await expect(page.getByTestId('picture-dialog')).toBeVisible();
});

test('a picture that an assistant made is shown, and says what it is', async ({ world, openAs }) => {
  const banana = { base_url: world.llm.url, api_key: 'g', models: ['gemini-image'], enabled: true };
  const openai = { base_url: `${world.llm.url}/v1`, api_key: 'k', models: [], enabled: true };
  const organization = await world.addOrganization({
    config: { setups: { default: { is_default: true, providers: { openai, banana_img: banana } } } },
  });
  const id = await publish(organization, {
    name: 'Drawing tutor',
    ...multiTool([{ type: 'image_gen', mode: 'function', config: {} }]),
  });
  world.llm.script(
    { toolCalls: [{ name: 'generate_image', arguments: { prompt: 'A lamb.', alt: 'A lamb on a hill.' } }] },
    { images: 1 },
    { text: 'Here it is.' },
  );
  const page = await openAs(organization.student);
  await page.goto(`/chats/new?assistant=${String(id)}`);
  await ask(page, 'Draw a lamb');
  const image = lastAnswer(page).getByRole('img', { name: 'A lamb on a hill.' });
  await expect(image).toBeVisible();
  await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(8);
  await expect(lastAnswer(page)).toContainText('Here it is.');
  await expectAccessible(page);
  await page.reload();
  await expect(image).toBeVisible();
});
