import type { Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectAccessible } from '../world/expect-accessible.ts';
import { expectFitting } from '../world/expect-fitting.ts';
import type { Organization, Person } from '../world/start-world.ts';
import { expect, test } from '../world/test.ts';

const folder = join(import.meta.dirname, '../../packages/knowledge/src/extract/__fixtures__/documents');

interface Made {
  readonly id: number;
}

async function makeCollection(organization: Organization, name: string, owner?: Person): Promise<Made> {
  const body = { name, language: 'english' };
  return (await organization.call(owner ?? organization.teacher, 'POST', '/lamb/v1/collections', body)) as Made;
}

async function upload(organization: Organization, id: number, name: string, text: string): Promise<string> {
  const form = new FormData();
  form.append('file', new File([text], name));
  const path = `/lamb/v1/collections/${String(id)}/documents`;
  const { items } = (await organization.call(organization.teacher, 'POST', path, form)) as {
    items: { document: { id: string } }[];
  };
  return items[0]?.document.id ?? '';
}

const row = (page: Page, name: string) =>
  page.locator('main tr, main li:not([data-testid=upload])').filter({ hasText: name, visible: true });

const READ_IN = { timeout: 45_000 };

test('a teacher makes a knowledge base, adds a PDF, tests a search and opens the passage', async ({
  teacherPage: page,
}) => {
  test.setTimeout(120_000);
  await page.goto('/knowledge-bases');
  await expect(page.getByRole('heading', { name: 'No knowledge bases yet' })).toBeVisible();
  await expectAccessible(page);
  await page.getByTestId('create-btn').click();

  await page.getByTestId('save-btn').click();
  await expect(page.getByText('Give it a name.')).toBeVisible();
  await page.getByTestId('advanced-toggle').click();
  await expectAccessible(page);
  await expectFitting(page);
  await page.getByTestId('name-input').fill('Water and soil');
  await page.getByTestId('description-input').fill('The handout of the spring course');
  await page.getByTestId('save-btn').click();

  await expect(page.getByRole('heading', { level: 1, name: 'Water and soil' })).toBeVisible();
  await expect(page.getByTestId('collection-facts')).toContainText('English');
  await page
    .getByTestId('document-upload')
    .setInputFiles([join(folder, 'libreoffice.pdf'), join(folder, 'handout.md')]);
  await expect(row(page, 'libreoffice.pdf').getByTestId('document-status')).toHaveText('Ready', READ_IN);
  await expect(row(page, 'handout.md').getByTestId('document-status')).toHaveText('Ready', READ_IN);
  await expect(page.getByTestId('collection-facts')).toContainText('Documents 2');
  await page.getByTestId('document-upload').setInputFiles(join(folder, 'handout.md'));
  await expect(page.getByText('“handout.md” is there already.')).toBeVisible();
  await expectAccessible(page);
  await expectFitting(page);

  await row(page, 'libreoffice.pdf').getByTestId('document-link').click();
  await expect(page.getByTestId('document-facts')).toContainText(/Pages \d/);
  await expect(page.getByTestId('chunk').first()).toContainText('p. 1');
  await expect(page.getByTestId('chunk-list')).toContainText('Water and soil › How water sinks in');
  await expectAccessible(page);
  await expectFitting(page);
  const saved = page.waitForEvent('download');
  await page.getByTestId('download').click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe('libreoffice.pdf');
  expect(await readFile(await file.path())).toEqual(await readFile(join(folder, 'libreoffice.pdf')));

  await page.getByRole('link', { name: 'Water and soil', exact: true }).click();
  await page.getByTestId('tab-search').click();
  await expect(page.getByRole('heading', { name: 'See what an assistant would find' })).toBeVisible();
  await page.getByTestId('query-input').fill('How deep do the vines of the terrace reach?');
  await page.getByTestId('query-run').click();
  const first = page.getByTestId('hit').first();
  await expect(first.getByTestId('hit-text')).toContainText('eleven metres');
  await expect(first.getByTestId('hit-words')).toContainText('rank 1');
  await expect(first.getByTestId('hit-meaning')).toContainText('rank');
  await expect(first.getByTestId('hit-similarity')).toHaveText(/0\.\d\d/);
  await expectAccessible(page);
  await expectFitting(page);

  // A slider asks again, without a click.
  await expect(page.getByTestId('hit')).toHaveCount(5);
  await page.getByTestId('top-k').fill('2');
  await expect(page.getByTestId('hit')).toHaveCount(2);
  await page.getByTestId('threshold').fill('1');
  await expect(page.getByRole('heading', { name: 'Nothing was found' })).toBeVisible();
  await page.getByTestId('threshold').fill('0');
  await page.getByRole('radio', { name: 'Words' }).click();
  await expect(page.getByTestId('hit').first().getByTestId('hit-meaning')).toHaveText('not found');

  await page.getByTestId('hit-open').first().click();
  await expect(page.getByTestId('passage').locator('mark')).toContainText('eleven metres');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('passage')).toBeHidden();
});

test('documents are followed as they are read in, stopped, tried again and deleted', async ({
  teacherPage: page,
  organization,
  world,
}) => {
  test.setTimeout(120_000);
  const { id } = await makeCollection(organization, 'Slow');
  world.llm.script({ when: { path: '/v1/embeddings' }, faults: { hangBeforeHeaders: true } });
  await page.goto(`/knowledge-bases/${String(id)}`);
  await expect(page.getByRole('heading', { name: 'No documents yet' })).toBeVisible();
  await page.getByTestId('document-upload').setInputFiles(join(folder, 'handout.md'));
  const handout = row(page, 'handout.md');
  await expect(handout.getByTestId('document-progress')).toContainText(/Making vectors: 0 of \d+ passages/, READ_IN);
  await handout.getByTestId('document-menu').click();
  await page.getByTestId('document-cancel').click();
  await expect(handout.getByTestId('document-status')).toHaveText('Stopped');
  await handout.getByTestId('document-menu').click();
  await page.getByTestId('document-retry').click();
  await expect(handout.getByTestId('document-status')).toHaveText('Ready', READ_IN);

  await page.getByTestId('document-upload').setInputFiles(join(folder, 'encrypted.pdf'));
  await expect(row(page, 'encrypted.pdf').getByTestId('document-status')).toHaveText('Failed', READ_IN);
  await expect(row(page, 'encrypted.pdf').getByTestId('document-problem')).toContainText('password');
  await expectAccessible(page);

  // What somebody else adds comes up by itself.
  await upload(organization, id, 'added elsewhere.md', '# Other\n\nSomething else altogether.');
  await expect(row(page, 'added elsewhere.md').getByTestId('document-status')).toHaveText('Ready', READ_IN);

  await row(page, 'encrypted.pdf').getByTestId('document-menu').click();
  await page.getByTestId('document-delete').click();
  await page.getByTestId('confirm-btn').click();
  await expect(row(page, 'encrypted.pdf')).toHaveCount(0);

  await page.getByTestId('url-input').fill('not an address');
  await page.getByTestId('url-add').click();
  await expect(page.getByText('Enter an address that begins with https://')).toBeVisible();
  await page.getByTestId('url-input').fill('http://127.0.0.1:1/secret');
  await page.getByTestId('url-add').click();
  await expect(page.getByTestId('url-input')).toHaveAttribute('aria-invalid', 'true');
});

test('uploads go on in other tabs, and leaving asks while they are on their way', async ({
  teacherPage: page,
  organization,
}) => {
  const { id } = await makeCollection(organization, 'Course notes');
  const other = await makeCollection(organization, 'Other');
  const path = `**/lamb/v1/collections/${String(id)}/documents`;
  let send: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (send = resolve));
  await page.route(path, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await held;
    return route.abort();
  });
  await page.goto(`/knowledge-bases/${String(id)}`);
  await page.getByTestId('document-upload').setInputFiles(join(folder, 'handout.md'));
  await expect(page.getByTestId('upload')).toContainText('handout.md');
  await page.getByTestId('tab-search').click();
  await expect(page.getByTestId('query-input')).toBeVisible();
  await expect(page.getByTestId('upload')).toContainText('handout.md');
  await page.getByRole('main').getByRole('link', { name: 'Knowledge bases' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('Leave while files are being uploaded?');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Cancel' }).click();

  // What fails meanwhile is said wherever one is.
  send();
  await expect(page.getByTestId('upload').getByRole('alert')).toBeVisible();
  await expectFitting(page);
  await page.unroute(path);
  await page.getByRole('button', { name: 'Upload handout.md again' }).click();
  await expect(page.getByTestId('upload')).toHaveCount(0);
  await page.getByTestId('tab-documents').click();
  await expect(row(page, 'handout.md').getByTestId('document-status')).toHaveText('Ready', READ_IN);
  await page.goto(`/knowledge-bases/${String(other.id)}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Other' })).toBeVisible();
});

test('a knowledge base is cut anew, shared and deleted', async ({ teacherPage: page, organization, openAs }) => {
  test.setTimeout(120_000);
  const colleague = await organization.addPerson('Iker Otxoa', 'member');
  const { id } = await makeCollection(organization, 'Course notes');
  await upload(organization, id, 'notes.md', `# Cells\n\n${'Cells divide. They grow, and they rest. '.repeat(60)}`);
  await page.goto(`/knowledge-bases/${String(id)}`);
  await expect(row(page, 'notes.md').getByTestId('document-status')).toHaveText('Ready', READ_IN);
  await page.getByTestId('tab-settings').click();
  await expect(page.getByTestId('reindex-cost')).toHaveText('Change something first.');
  await page.getByTestId('chunk-length').fill('60');
  await expect(page.getByTestId('reindex-cost')).toContainText('Costs new vectors');
  await expectAccessible(page);
  await expectFitting(page);
  await page.getByTestId('reindex-btn').click();
  await page.getByTestId('confirm-btn').click();
  await expect(page.getByTestId('reindex-progress')).toBeHidden(READ_IN);
  await expect(page.getByTestId('reindex-cost')).toHaveText('Change something first.', READ_IN);
  await expect(page.getByTestId('chunk-length')).toHaveValue('60');

  await page.getByTestId('name-input').fill('Course notes, spring');
  await page.getByTestId('save-about').click();
  await expect(page.getByRole('heading', { level: 1, name: 'Course notes, spring' })).toBeVisible();

  await page.getByTestId('share-open').click();
  await page.getByTestId('share-email').fill('nobody@example.org');
  await page.getByTestId('share-add').click();
  await expect(page.getByText('Nobody in your organisation has this address: nobody@example.org')).toBeVisible();
  await page.getByTestId('share-email').fill(colleague.email);
  await page.getByTestId('share-add').click();
  await expect(page.getByTestId('share-person')).toHaveText(colleague.email);
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  const theirs = await openAs(colleague);
  await theirs.goto('/knowledge-bases?scope=shared');
  await theirs.getByTestId('collection-link').filter({ visible: true }).click();
  await expect(theirs.getByTestId('document-upload')).toHaveCount(0);
  await expect(theirs.getByTestId('tab-settings')).toHaveCount(0);
  await theirs.getByTestId('tab-search').click();
  await theirs.getByTestId('query-input').fill('divide');
  await theirs.getByTestId('query-run').click();
  await expect(theirs.getByTestId('hit').first()).toContainText('Cells divide');

  await page.getByTestId('collection-delete').click();
  await page.getByTestId('confirm-btn').click();
  await expect(page.getByRole('heading', { name: 'No knowledge bases yet' })).toBeVisible();
});

test('a provider elsewhere is warned of before anything leaves', async ({ world, openAs }) => {
  const providers = { openai: { api_key: 'sk-x', base_url: 'https://api.example.com/v1', enabled: true } };
  const organization = await world.addOrganization({
    config: { setups: { default: { is_default: true, providers } } },
  });
  const page = await openAs(organization.teacher);
  await page.goto('/knowledge-bases/new');
  await expect(page.getByTestId('embedding-warning')).toContainText('api.example.com');
  await expectAccessible(page);
});

const EVIL = '<img src=x onerror="document.title=\'owned\'">';

test('what documents and files are called and contain is text', async ({ teacherPage: page, organization }) => {
  test.setTimeout(90_000);
  const { id } = await makeCollection(organization, EVIL);
  await upload(organization, id, '<svg onload=alert(1)>.txt', `${EVIL} [x](javascript:alert(1))`);
  await page.goto('/knowledge-bases');
  await page.getByTestId('collection-link').filter({ visible: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(EVIL);
  await expect(page.getByTestId('document-status').filter({ visible: true })).toHaveText('Ready', READ_IN);
  await page.getByTestId('document-link').filter({ visible: true }).click();
  await expect(page.getByTestId('chunk').first()).toContainText(EVIL);
  await page.goto(`/knowledge-bases/${String(id)}?tab=search`);
  await page.getByTestId('query-input').fill('img src');
  await page.getByTestId('query-run').click();
  await page.getByTestId('hit-open').first().click();
  await expect(page.getByTestId('passage').locator('mark')).toContainText('javascript:alert(1)');
  await expect(page.locator('img[src="x"], svg[onload]')).toHaveCount(0);
  expect(await page.title()).not.toBe('owned');
});

test('files are uploaded, copied, downloaded and deleted', async ({ teacherPage: page, isMobile }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/files');
  await expect(page.getByRole('heading', { name: 'No files yet' })).toBeVisible();
  await expectAccessible(page);
  const syllabus = { name: 'syllabus & plan.md', mimeType: 'text/markdown', buffer: Buffer.from('# Week 1') };
  await page.getByTestId('file-upload').setInputFiles([syllabus, { ...syllabus, name: 'data.csv' }]);
  await expect(row(page, 'syllabus & plan.md')).toBeVisible();
  await expect(row(page, 'data.csv')).toContainText('CSV');
  // The same name again is refused, with what to do, and the list of uploads is cleared by hand.
  await page.getByTestId('file-upload').setInputFiles(syllabus);
  await expect(page.getByTestId('upload').getByRole('alert')).toBeVisible();
  await expectAccessible(page);
  await expectFitting(page);
  await page.getByRole('button', { name: 'Take syllabus & plan.md off the list' }).click();
  await expect(page.getByTestId('upload')).toHaveCount(0);

  await row(page, 'syllabus & plan.md').getByTestId('file-menu').click();
  await page.getByTestId('file-copy').click();
  if (!isMobile) expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('syllabus & plan.md');
  await row(page, 'syllabus & plan.md').getByTestId('file-menu').click();
  const saved = page.waitForEvent('download');
  await page.getByTestId('file-download').click();
  expect(await readFile(await (await saved).path(), 'utf8')).toBe('# Week 1');
  await row(page, 'syllabus & plan.md').getByTestId('file-menu').click();
  await page.getByTestId('file-delete').click();
  await page.getByTestId('confirm-btn').click();
  await expect(row(page, 'syllabus & plan.md')).toHaveCount(0);
});
