import { expectAccessible } from '../world/expect-accessible.ts';
import { expectFitting } from '../world/expect-fitting.ts';
import { expect, test } from '../world/test.ts';

test(
  'a teacher signs in, comes back to the page that was asked for, and signs out',
  { tag: '@ci' },
  async ({ page, organization, isMobile }) => {
    await page.goto('/rubrics');
    await expect(page).toHaveURL(/\/sign-in\?return_to=%2Frubrics$/);
    await expect(page).toHaveTitle('Sign in · LAMB');
    await expectAccessible(page);
    await expectFitting(page);

    await page.getByTestId('sign-in-btn').click();
    await expect(page.getByText('Enter your e-mail address.')).toBeVisible();
    await expect(page.getByTestId('email-input')).toHaveAttribute('aria-invalid', 'true');

    await page.getByLabel('E-mail address').fill(organization.teacher.email);
    await page.getByLabel('Password', { exact: true }).fill('not this one');
    await page.getByTestId('sign-in-btn').click();
    await expect(page.getByText('The e-mail address or the password is not right.')).toBeVisible();
    await expectAccessible(page);

    await page.getByLabel('Password', { exact: true }).fill(organization.teacher.password);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/rubrics$/);
    await expect(page.getByRole('heading', { level: 1, name: 'Rubrics' })).toBeVisible();

    await page.reload();
    await expect(page.getByRole('heading', { level: 1, name: 'Rubrics' })).toBeVisible();

    if (isMobile) await page.getByTestId('open-menu').click();
    await page.getByTestId('user-menu').filter({ visible: true }).click();
    await page.getByTestId('sign-out').click();
    await expect(page).toHaveURL(/\/sign-in$/);
    await page.goto('/rubrics');
    await expect(page).toHaveURL(/\/sign-in/);
  },
);

test('a link to another site is not followed after sign-in', async ({ page, organization }) => {
  await page.goto(`/sign-in?return_to=${encodeURIComponent('//evil.example/')}`);
  await page.getByLabel('E-mail address').fill(organization.student.email);
  await page.getByLabel('Password', { exact: true }).fill(organization.student.password);
  await page.getByTestId('sign-in-btn').click();
  await expect(page).toHaveURL(/\/gallery$/);
});

test('somebody with the key of an organisation makes an account', async ({ page, world }) => {
  const { slug } = await world.addOrganization({
    config: { features: { signup_enabled: true, signup_key: 'open sesame', signup_role: 'end_user' } },
  });
  await page.goto(`/sign-up?organization=${slug}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Create an account' })).toBeVisible();
  await expectAccessible(page);
  await expectFitting(page);
  await page.getByLabel('Organisation key').fill('wrong key');
  await page.getByLabel('Name').fill('Nerea');
  await page.getByLabel('E-mail address').fill(`nerea@${slug}.test`);
  await page.getByTestId('password-input').fill('short');
  await page.getByTestId('sign-up-btn').click();
  await expect(page.getByText('It needs at least 10 characters.')).toBeVisible();
  await page.getByTestId('password-input').fill('long enough for this');
  await page.getByTestId('sign-up-btn').click();
  await expect(page.getByTestId('error-panel')).toContainText('The account could not be created.');
  await page.getByLabel('Organisation key').fill('open sesame');
  await page.getByTestId('sign-up-btn').click();
  await expect(page).toHaveURL(/\/gallery$/);
});

test('a session that ends in the middle leads to sign-in and back', async ({ teacherPage: page, organization }) => {
  await page.goto('/rubrics?x=1');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.context().clearCookies();
  await page.reload();
  await expect(page.getByText('Your session has ended.')).toBeVisible();
  await page.getByLabel('E-mail address').fill(organization.teacher.email);
  await page.getByLabel('Password', { exact: true }).fill(organization.teacher.password);
  await page.getByTestId('sign-in-btn').click();
  await expect(page).toHaveURL(/\/rubrics\?x=1$/);
});

test('somebody signs in with their university, and comes in as a student', async ({ page, world, isMobile }) => {
  world.idp.person = { sub: 'ada-1', email: 'ada@campus.test', email_verified: true, name: 'Ada Lovelace' };
  await page.goto('/sign-in?return_to=%2Fchats');
  await page.getByRole('button', { name: 'Sign in with Campus' }).click();
  await expect(page).toHaveURL(/\/chats$/);
  if (isMobile) await page.getByTestId('open-menu').click();
  await expect(page.getByTestId('user-name').filter({ visible: true })).toContainText('Ada Lovelace');
});
