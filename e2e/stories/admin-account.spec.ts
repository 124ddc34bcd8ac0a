import { expectAccessible } from '../world/expect-accessible.ts';
import { expectFitting } from '../world/expect-fitting.ts';
import { expect, test } from '../world/test.ts';

// Each looks at several pages and dialogs with axe, twice.
test.describe.configure({ timeout: 120_000 });

test('a teacher makes a key for one assistant, uses it and revokes it', async ({
  teacherPage: page,
  organization,
  world,
}) => {
  const { teacher, call } = organization;
  const [one, two] = (await Promise.all(
    ['One', 'Two'].map((name) => call(teacher, 'POST', '/lamb/v1/assistants', { name })),
  )) as { id: number }[];
  await page.goto('/account/keys');
  await page.getByTestId('new-key').click();
  await expect(page.getByTestId('key-gateway')).toHaveCount(0);
  await page.getByTestId('create-key').click();
  await expect(page.getByText('Give it a name.')).toBeVisible();
  await page.getByTestId('key-name').fill('Moodle plug-in');
  await page.getByTestId('choose-some').click();
  await page.getByTestId(`key-assistant-${String(one?.id)}`).click();
  await expectAccessible(page);
  await page.getByTestId('create-key').click();
  const key = await page.getByTestId('shown-once').inputValue();
  await expectAccessible(page);
  await page.getByTestId('key-done').click();
  await expect(page.getByText('1 assistant').filter({ visible: true }).first()).toBeVisible();
  await expect(page.getByText(key)).toHaveCount(0);
  await expectAccessible(page);
  await expectFitting(page);

  world.llm.script({ text: 'Hello.', times: 5 });
  const ask = (id: number | undefined) =>
    call({ ...teacher, key }, 'POST', `/lamb/v1/completions?assistant=${String(id)}`, {
      messages: [{ role: 'user', content: 'Hello' }],
    });
  await ask(one?.id);
  await expect(ask(two?.id)).rejects.toThrow(/40[34]/);
  const row = page.getByRole('button', { name: 'Revoke the key Moodle plug-in' }).filter({ visible: true });
  await row.click();
  await page.getByTestId('confirm-btn').click();
  await expect(page.getByText('The key was revoked.')).toBeVisible();
  await expect(row).toHaveCount(0);
  await expect(ask(one?.id)).rejects.toThrow(/401/);
});

test('an administrator makes a key for a trusted gateway', async ({ adminPage: page }) => {
  await page.goto('/organization/keys');
  await page.getByTestId('new-key').click();
  await page.getByTestId('key-name').fill('Chat front end');
  await page.getByTestId('key-gateway').click();
  await expect(page.getByText('Whoever has this key can speak for anybody.')).toBeVisible();
  await expectAccessible(page);
  await page.getByTestId('create-key').click();
  await page.getByTestId('key-done').click();
  await expect(page.getByText('Trusted gateway').filter({ visible: true })).toBeVisible();
  await expectFitting(page);
});

test("an administrator finds a colleague's key and revokes it", async ({ adminPage: page, organization }) => {
  const { teacher, call } = organization;
  await call(teacher, 'GET', '/lamb/v1/me');
  await page.goto('/organization/keys');
  await expect(page.getByText(teacher.email).filter({ visible: true }).first()).toBeVisible();
  await expectAccessible(page);
  await expectFitting(page);
  const row = page.locator('tr, li').filter({ hasText: teacher.email, visible: true });
  await row.getByTestId('revoke-key').click();
  await page.getByTestId('confirm-btn').click();
  await expect(page.getByText('The key was revoked.')).toBeVisible();
  await expect(row).toHaveCount(0);
  await expect(call(teacher, 'GET', '/lamb/v1/me')).rejects.toThrow(/401/);
});

test('a student changes name, password and language', async ({ studentPage: page, organization, isMobile }) => {
  const { student } = organization;
  if (isMobile) {
    await page.goto('/gallery');
    await page.getByTestId('open-menu').click();
  } else await page.goto('/gallery');
  await page.getByTestId('user-menu').filter({ visible: true }).click();
  await page.getByTestId('my-account').click();
  await expect(page.getByTestId('my-budget')).toBeVisible();
  await expectAccessible(page);
  await expectFitting(page);
  await page.getByTestId('profile-name').fill('Joan Puig i Serra');
  await page.getByTestId('save-profile').click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  if (!isMobile) await expect(page.getByTestId('user-name')).toHaveText('Joan Puig i Serra');

  await page.getByTestId('current-password').fill('not this one');
  await page.getByTestId('new-password').fill('another long password');
  await page.getByTestId('change-password').click();
  await expect(page.getByText('The password was not changed: check the current one.')).toBeVisible();
  await page.getByTestId('current-password').fill(student.password);
  await page.getByTestId('change-password').click();
  await expect(page.getByText('The password was changed.')).toBeVisible();

  await page.getByTestId('profile-language').click();
  await page.getByRole('option', { name: 'Euskara' }).click();
  await page.getByTestId('save-profile').click();
  await expect(page.getByRole('heading', { level: 1, name: 'Nire kontua' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'eu');
  await expectFitting(page);
});

test('the language of an account comes along to another browser', async ({ organization, openAs }) => {
  const { student } = organization;
  const first = await openAs(student);
  await first.goto('/account');
  await first.getByTestId('profile-language').click();
  await first.getByRole('option', { name: 'Català' }).click();
  await first.getByTestId('save-profile').click();
  await expect(first.getByRole('heading', { level: 1, name: 'El meu compte' })).toBeVisible();
  const second = await openAs(student);
  await second.goto('/account');
  await expect(second.getByRole('heading', { level: 1, name: 'El meu compte' })).toBeVisible();
});
