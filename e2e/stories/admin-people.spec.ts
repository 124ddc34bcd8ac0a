import { expectAccessible } from '../world/expect-accessible.ts';
import { expectFitting } from '../world/expect-fitting.ts';
import { expect, test } from '../world/test.ts';

// Each looks at several pages and dialogs with axe, twice.
test.describe.configure({ timeout: 120_000 });

test('an administrator invites somebody, who makes an account and comes in', async ({
  adminPage,
  page,
  organization,
}) => {
  const email = `nerea@${organization.slug}.test`;
  await adminPage.goto('/organization/invitations');
  await expect(adminPage.getByRole('heading', { name: 'No open invitations' })).toBeVisible();
  await expectAccessible(adminPage);
  await expectFitting(adminPage);

  await adminPage.getByTestId('new-invitation').click();
  await adminPage.getByTestId('invite-email').fill('not an address');
  await adminPage.getByTestId('invite-btn').click();
  await expect(adminPage.getByText('Enter an e-mail address.')).toBeVisible();
  await adminPage.getByTestId('invite-email').fill(email);
  await adminPage.getByTestId('choose-member').click();
  await expectAccessible(adminPage);
  await adminPage.getByTestId('invite-btn').click();
  await expect(adminPage.getByText('Shown only now')).toBeVisible();
  const link = await adminPage.getByTestId('shown-once').inputValue();
  expect(link).toMatch(/\/invitation#[\w-]+$/);
  await expectAccessible(adminPage);
  await adminPage.getByTestId('invite-done').click();
  await expect(adminPage.getByText(email).filter({ visible: true })).toBeVisible();
  await expectAccessible(adminPage);

  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1, name: 'Invitation to North University' })).toBeVisible();
  await expect(page.getByLabel('E-mail address')).toHaveValue(email);
  await expectAccessible(page);
  await expectFitting(page);
  await page.getByTestId('accept-btn').click();
  await expect(page.getByText('Enter your name.')).toBeVisible();
  await page.getByTestId('name-input').fill('Nerea Etxeberria');
  await page.getByTestId('password-input').fill('a long enough password');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/assistants$/);
  const token = link.split('#')[1] ?? '';
  expect(
    asked.filter((url) => url.includes(token)),
    'the secret is in no address that was asked for',
  ).toEqual([]);

  // It works once.
  await page.goto('about:blank');
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'This invitation is not valid' })).toBeVisible();

  await adminPage.reload();
  await expect(adminPage.getByRole('heading', { name: 'No open invitations' })).toBeVisible();
  await adminPage.goto('/organization/members');
  await adminPage.getByTestId('member-search').fill('nerea');
  await expect(adminPage.getByText('Nerea Etxeberria').filter({ visible: true })).toBeVisible();
  await expect(adminPage.getByText('Joan Puig').filter({ visible: true })).toBeHidden();
});

test('somebody with an account signs in to an invitation and joins', async ({ page, organization, world }) => {
  const other = await world.addOrganization({ name: 'South University' });
  const { link } = (await other.call(other.admin, 'POST', '/lamb/v1/organizations/current/invitations', {
    email: organization.teacher.email,
    role: 'admin',
  })) as { link: string };
  await page.goto(link);
  await page.getByTestId('invitation-sign-in').click();
  await expect(page).toHaveURL(/\/sign-in\?return_to=%2Finvitation$/);
  await page.getByLabel('E-mail address').fill(organization.teacher.email);
  await page.getByLabel('Password', { exact: true }).fill(organization.teacher.password);
  await page.getByTestId('sign-in-btn').click();
  await expect(page.getByText(`You are signed in as ${organization.teacher.email}.`)).toBeVisible();
  await expectAccessible(page);
  await page.getByTestId('accept-btn').click();
  await expect(page).toHaveURL(/\/assistants$/);
  await page.goto('/organization');
  await expect(page.getByRole('heading', { level: 1, name: 'South University' })).toBeVisible();
});

test('an invitation for another address is not taken by who happens to be signed in', async ({
  studentPage: page,
  organization,
}) => {
  const { link } = (await organization.call(organization.admin, 'POST', '/lamb/v1/organizations/current/invitations', {
    email: `other@${organization.slug}.test`,
    role: 'owner',
  })) as { link: string };
  await page.goto(link);
  await expect(page.getByText('but the invitation is for')).toBeVisible();
  await expect(page.getByTestId('accept-btn')).toHaveCount(0);
  await page.getByTestId('change-account').click();
  await expect(page).toHaveURL(/\/sign-in/);
});

test('an administrator changes a role with the keyboard, takes it back, and disables somebody', async ({
  adminPage: page,
  organization,
}) => {
  const { teacher, student } = organization;
  await page.goto('/organization/members');
  const menu = page.getByTestId(`member-menu-${teacher.id}`).filter({ visible: true });
  await expect(menu).toBeVisible();
  await expectAccessible(page);
  await expectFitting(page);

  await menu.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('change-role')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('role-dialog')).toBeVisible();
  await expectAccessible(page);
  await page.getByTestId('choose-member').focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByTestId('choose-admin')).toHaveAttribute('data-state', 'checked');
  await page.getByTestId('save-role').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Maite Arana: now Administrator')).toBeVisible();
  const members = '/lamb/v1/organizations/current/members';
  const readRole = async () =>
    ((await organization.call(organization.admin, 'GET', `${members}/${teacher.id}`)) as { role: string }).role;
  expect(await readRole()).toBe('admin');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(readRole).toBe('member');

  await page.getByTestId(`member-menu-${student.id}`).filter({ visible: true }).click();
  await page.getByTestId('toggle-member').click();
  await expect(page.getByText('Joan Puig may not come in any more.')).toBeVisible();
  await expect(page.getByText('Disabled').filter({ visible: true })).toBeVisible();
  await expect(organization.call(student, 'GET', '/lamb/v1/me')).rejects.toThrow(/40[13]/);
});

test('an administrator confirms the address of somebody who only says that it is theirs', async ({
  adminPage: page,
  organization,
}) => {
  const { student, admin, call } = organization;
  const path = `/lamb/v1/organizations/current/members/${student.id}`;
  await call(admin, 'PATCH', path, { email_confirmed: false });
  await page.goto('/organization/members');
  const badge = page.getByText('Address not confirmed').filter({ visible: true });
  await expect(badge).toBeVisible();
  await page.getByTestId(`member-menu-${student.id}`).filter({ visible: true }).click();
  await page.getByTestId('confirm-email').click();
  await expect(page.getByText(/^Joan Puig: the address .* is confirmed\.$/)).toBeVisible();
  await expect(badge).toHaveCount(0);
  expect(await call(admin, 'GET', path)).toMatchObject({ email_confirmed: true });
});

test('who is removed hands over what they own', async ({ adminPage: page, organization }) => {
  const { teacher, admin, call } = organization;
  const made = (await call(teacher, 'POST', '/lamb/v1/assistants', { name: 'Orphan' })) as { id: number };
  await page.goto('/organization/members');
  await page.getByTestId(`member-menu-${teacher.id}`).filter({ visible: true }).click();
  await page.getByTestId('remove-member').click();
  await expect(page.getByTestId('belongings')).toContainText('1 assistant');
  await page.getByTestId('remove-btn').click();
  await expect(page.getByText('Choose who shall have it.')).toBeVisible();
  await expectAccessible(page);
  await page.getByTestId('heir-input').click();
  await expect(page.getByRole('option', { name: 'Joan Puig' })).toHaveCount(0);
  await page.getByRole('option', { name: 'Ana Ruiz' }).click();
  await page.getByTestId('remove-btn').click();
  await expect(page.getByText('Maite Arana was removed.')).toBeVisible();
  const kept = (await call(admin, 'GET', `/lamb/v1/assistants/${String(made.id)}`)) as { name: string };
  expect(kept.name).toBe('Orphan');
});

test('the last owner stays one', async ({ adminPage: page, organization }) => {
  await page.goto('/organization/members');
  await page.getByTestId(`member-menu-${organization.admin.id}`).filter({ visible: true }).click();
  await page.getByTestId('change-role').click();
  await page.getByTestId('choose-member').click();
  await expect(page.getByText('This is you')).toBeVisible();
  await page.getByTestId('save-role').click();
  await expect(page.getByText('The organisation would have no owner left.')).toBeVisible();
});

test('only administrators see the organisation’s pages', async ({ teacherPage, studentPage }) => {
  for (const page of [teacherPage, studentPage]) {
    for (const path of ['/organization', '/organization/members', '/organization/keys']) {
      await page.goto(path);
      await expect(page.getByRole('heading', { name: 'For administrators' })).toBeVisible();
    }
    await expectAccessible(page);
  }
});
