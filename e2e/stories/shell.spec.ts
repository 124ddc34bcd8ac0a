import type { Page } from '@playwright/test';
import { expectAccessible } from '../world/expect-accessible.ts';
import { expectFitting } from '../world/expect-fitting.ts';
import { expect, test } from '../world/test.ts';

const areas = ['Assistants', 'Chats', 'Gallery', 'Knowledge bases', 'Rubrics', 'Files'];

/** The navigation, which a phone shows on request. */
async function openNavigation(page: Page, isMobile: boolean) {
  if (isMobile) await page.getByTestId('open-menu').click();
  return page.getByRole('navigation', { name: 'Main' }).filter({ visible: true });
}

test('each role sees its own areas', async ({ teacherPage, studentPage, adminPage, isMobile }) => {
  for (const [page, expected] of [
    [teacherPage, areas],
    [studentPage, ['Chats', 'Gallery']],
    [adminPage, [...areas, 'Organisation']],
  ] as const) {
    await page.goto('/');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const navigation = await openNavigation(page, isMobile);
    await expect(navigation.getByRole('link')).toHaveText([...expected]);
  }
});

test(
  'with the keyboard alone: skip link, navigation, palette',
  { tag: '@ci' },
  async ({ teacherPage: page, isMobile }) => {
    test.skip(isMobile, 'phones have no keyboard');
    await page.goto('/assistants');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.locator('#main')).toBeFocused();

    const rubrics = page.getByRole('link', { name: 'Rubrics' });
    await rubrics.focus();
    await expect(rubrics).toHaveCSS('outline-style', 'solid');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/rubrics$/);
    await expect(page).toHaveTitle('Rubrics · LAMB');
    await expect(rubrics).toHaveAttribute('aria-current', 'page');
    await expect(page.locator('#main')).toBeFocused();

    await page.keyboard.press('Control+k');
    await expect(page.getByTestId('palette')).toBeVisible();
    await page.keyboard.type('files');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/files$/);
    await expect(page.getByTestId('palette')).toBeHidden();
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('palette')).toBeHidden();
  },
);

test('the palette finds assistants and is accessible', async ({ teacherPage: page, organization }) => {
  await organization.call(organization.teacher, 'POST', '/lamb/v1/assistants', { name: 'Course tutor' });
  await page.goto('/rubrics');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByTestId('palette')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.type('tutor');
  await expect(page.getByRole('option', { name: 'Course tutor' })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/assistants\/\d+$/);
});

test('the palette leads to a chat with what one may use but not change', async ({
  teacherPage,
  studentPage,
  organization,
}) => {
  const colleague = await organization.addPerson('Iker Otxoa', 'member');
  const { id } = (await organization.call(colleague, 'POST', '/lamb/v1/assistants', { name: 'Music tutor' })) as {
    id: number;
  };
  await organization.call(colleague, 'PUT', `/lamb/v1/assistants/${String(id)}/publication`);
  for (const page of [teacherPage, studentPage]) {
    await page.goto('/gallery');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('combobox')).toBeFocused();
    await page.keyboard.type('music');
    await page.getByRole('option', { name: 'Music tutor' }).click();
    await expect(page).toHaveURL(new RegExp(`/chats/new\\?assistant=${String(id)}$`));
    await expect(page.getByRole('main')).toContainText('Music tutor');
  }
});

test('a search that was begun does not lead back to its list', async ({ teacherPage: page }) => {
  await page.clock.install();
  for (const list of ['assistants', 'rubrics', 'knowledge-bases']) {
    await page.goto(`/${list}`);
    const field = page.getByTestId('search-input');
    // A pause after a space, as between two words.
    await field.pressSequentially('bio ');
    await page.clock.runFor(1000);
    await expect(page).toHaveURL(new RegExp(`/${list}\\?search=bio$`));
    await field.pressSequentially('logy');
    await expect(field).toHaveValue('bio logy');
    await page.getByTestId('create-btn').click();
    await expect(page).toHaveURL(new RegExp(`/${list}/new$`));
    await page.clock.runFor(1000);
    await expect(page.getByTestId('search-input')).toHaveCount(0);
    await expect(page).toHaveURL(new RegExp(`/${list}/new$`));
  }
});

test('light, dark and as the system, kept over a reload', async ({ teacherPage: page, isMobile }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/assistants');
  const html = page.locator('html');
  await expect(html).not.toHaveClass(/dark/);
  const choose = async (name: string) => {
    if (isMobile) await page.getByTestId('open-menu').click();
    await page.getByRole('radio', { name }).filter({ visible: true }).click();
    if (isMobile) await page.keyboard.press('Escape');
  };
  await choose('Dark');
  await expect(html).toHaveClass(/dark/);
  await page.reload();
  await expect(html).toHaveClass(/dark/);
  await choose('As the system');
  await expect(html).not.toHaveClass(/dark/);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(html).toHaveClass(/dark/);
});

test('four languages, chosen once and kept', async ({ teacherPage: page, isMobile }) => {
  await page.goto('/knowledge-bases');
  await expect(page.getByRole('heading', { level: 1, name: 'Knowledge bases' })).toBeVisible();
  for (const [language, title, lang] of [
    ['Español', 'Bases de conocimiento', 'es'],
    ['Català', 'Bases de coneixement', 'ca'],
    ['Euskara', 'Ezagutza-baseak', 'eu'],
    ['English', 'Knowledge bases', 'en'],
  ] as const) {
    if (isMobile) await page.getByTestId('open-menu').click();
    await page.getByTestId('language-select').filter({ visible: true }).click();
    await page.getByRole('option', { name: language }).click();
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('lang', lang);
    await expectFitting(page);
  }
});

test.describe('with a browser in Basque', () => {
  test.use({ locale: 'eu-ES' });
  test('the first page is in Basque', async ({ page }) => {
    await page.goto('/sign-in');
    await expect(page.getByRole('heading', { level: 1, name: 'Hasi saioa' })).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('lang', 'eu');
    await expectFitting(page);
  });
});

test('somebody of two organisations changes between them', async ({ world, organization, openAs, isMobile }) => {
  const other = await world.addOrganization({ name: 'South College' });
  await world.join(organization.teacher, other, 'member');
  const page = await openAs(organization.teacher);
  await page.goto('/assistants');
  const open = async () => {
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    if (isMobile) await page.getByTestId('open-menu').click();
    return page.getByTestId('organization-switcher').filter({ visible: true });
  };
  await (await open()).click();
  const target = page.getByRole('menuitem', { disabled: false });
  const name = (await target.innerText()).trim();
  await target.click();
  await expect(async () => {
    await expect(await open()).toContainText(name, { timeout: 2000 });
  }).toPass();
});

test('names are text, whatever is written in them', async ({ world, openAs, isMobile }) => {
  const evil = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>`;
  const organization = await world.addOrganization({
    name: evil,
    people: { teacher: `"><svg onload=window.pwned=1> ${evil}` },
  });
  await organization.call(organization.teacher, 'POST', '/lamb/v1/assistants', { name: `tutor ${evil}`.slice(0, 90) });
  const page = await openAs(organization.teacher);
  await page.goto('/assistants');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  if (isMobile) await page.getByTestId('open-menu').click();
  await expect(page.getByTestId('organization-name').filter({ visible: true })).toHaveText(evil);
  await expect(page.getByTestId('user-name').filter({ visible: true })).toContainText('<svg onload=');
  if (isMobile) await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox')).toBeFocused();
  await page.keyboard.type('tutor');
  await expect(page.getByRole('option', { name: /tutor/ }).first()).toContainText('<img');
  expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
});

test('the page runs no script that was put into it', async ({ page }) => {
  const refused: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text());
  });
  await page.goto('/sign-in');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(refused, 'our own pages keep the policy').toEqual([]);
});

test('an address that does not exist, and one of somebody else’s role', async ({ teacherPage: page }) => {
  await page.goto('/no-such-page');
  await expect(page.getByRole('heading', { level: 1, name: 'There is no such page' })).toBeVisible();
  await expectAccessible(page);
  await expectFitting(page);
  await page.getByRole('link', { name: 'Go to the start' }).click();
  await expect(page).toHaveURL(/\/assistants$/);
});

test('every area is accessible and fits', { tag: '@ci' }, async ({ adminPage: page }) => {
  test.slow();
  for (const path of ['/assistants', '/chats', '/gallery', '/knowledge-bases', '/rubrics', '/files', '/organization']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
    await expectAccessible(page);
    await expectFitting(page);
  }
});

test('when the server cannot be reached, the page says so and tries again', async ({ teacherPage: page }) => {
  await page.goto('/no-such-page');
  await page.route('**/lamb/v1/me', (route) => route.abort());
  await page.goto('/rubrics');
  await expect(page.getByTestId('error-panel')).toContainText('The server cannot be reached.');
  await expectAccessible(page);
  await page.unroute('**/lamb/v1/me');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Rubrics' })).toBeVisible();
});
