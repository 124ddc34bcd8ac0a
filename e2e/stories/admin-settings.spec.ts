import { expectAccessible } from '../world/expect-accessible.ts';
import { expectFitting } from '../world/expect-fitting.ts';
import { expect, test } from '../world/test.ts';

// Each looks at several pages and dialogs with axe, twice.
test.describe.configure({ timeout: 120_000 });

const config = '/lamb/v1/organizations/current/config';

test('an administrator tests a provider before saving it, and moves it without taking the key along', async ({
  adminPage: page,
  organization,
  world,
}) => {
  await page.goto('/organization/models');
  await expect(page.getByTestId('provider-openai')).toContainText('In use');
  await expect(page.getByTestId('provider-anthropic')).toContainText('Not set up');
  await expectAccessible(page);
  await expectFitting(page);

  await page.getByTestId('edit-openai').click();
  await page.getByTestId('test-connection').click();
  await expect(page.getByTestId('test-result')).toHaveAttribute('data-outcome', 'ok');
  await expect(page.getByTestId('test-result')).toContainText('It works');
  await expectAccessible(page);
  await expectFitting(page);

  await page.getByTestId('provider-url').fill(`${world.llm.url}/v7`);
  await page.getByTestId('provider-key').fill('sk-another');
  await page.getByTestId('test-connection').click();
  await expect(page.getByTestId('test-result')).toHaveAttribute('data-outcome', 'not_found');
  await expect(page.getByTestId('test-result')).toContainText('such as /v1');

  await page.getByTestId('provider-url').fill('http://10.0.0.1/v1');
  await page.getByTestId('test-connection').click();
  await expect(page.getByTestId('test-result')).toHaveAttribute('data-outcome', 'address_refused');
  await expectAccessible(page);

  // Elsewhere, the saved key is not sent: the form wants it anew.
  await page.getByTestId('provider-key').fill('');
  await page.getByTestId('provider-url').fill('https://models.example.org/v1');
  await expect(page.getByText('The saved one is not sent to another server: enter it again.')).toBeVisible();
  await page.getByTestId('save-provider').click();
  await expect(page.getByText('Enter the key of this provider.')).toBeVisible();

  await page.getByTestId('provider-url').fill(`${world.llm.url}/v1`);
  await page.getByTestId('test-connection').click();
  await expect(page.getByTestId('test-result')).toHaveAttribute('data-outcome', 'ok');
  await page.getByTestId('add-model').click();
  await page.getByRole('option', { name: 'gpt-4o', exact: true }).click();
  await expect(page.getByTestId('provider-models')).toHaveValue('gpt-4o');
  await page.getByTestId('save-provider').click();
  await expect(page.getByText('OpenAI-compatible was saved.')).toBeVisible();
  await expect(page.getByTestId('provider-openai')).toContainText('1 model');

  await page.getByTestId('default-model').fill('gpt-4o');
  await page.getByTestId('embedding-provider').click();
  await page.getByRole('option', { name: 'Ollama' }).click();
  await page.getByTestId('save-models').click();
  await expect(page.getByText('Enter the model.')).toBeVisible();
  await page.getByTestId('embedding-model').fill('nomic-embed-text');
  await page.getByTestId('save-models').click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  const saved = (await organization.call(organization.admin, 'GET', config)) as {
    config: { setups: { default: Record<string, unknown> } };
    secrets: string[];
  };
  expect(saved.secrets).toContain('/setups/default/providers/openai/api_key');
  expect(saved.config.setups.default).toMatchObject({
    global_default_model: { provider: 'openai', model: 'gpt-4o' },
    knowledge_base: { embedding: { provider: 'ollama', model: 'nomic-embed-text' } },
  });
});

test('an administrator tests the knowledge-base server and Moodle, and goes back to the built-in one', async ({
  adminPage: page,
  organization,
  world,
}) => {
  await page.goto('/organization/connections');
  await expect(page.getByTestId('knowledge-url')).toHaveValue(/^http/);
  await expectAccessible(page);
  await expectFitting(page);
  await page.getByTestId('knowledge-test').click();
  await expect(page.getByTestId('test-result')).toHaveAttribute('data-outcome', 'ok');
  await page.getByTestId('knowledge-secret').fill('wrong');
  await page.getByTestId('knowledge-test').click();
  await expect(page.getByTestId('test-result')).toContainText('The key was not accepted');

  await page.getByTestId('moodle-url').fill('campus.example.edu');
  await page.getByTestId('moodle-save').click();
  await expect(page.getByText('Enter an address that begins with https:// or http://.')).toBeVisible();
  await expectAccessible(page);
  const moodle = page.getByTestId('moodle-card');
  await moodle.getByTestId('moodle-url').fill(world.moodle.url);
  await moodle.getByTestId('moodle-secret').fill('not the token');
  await moodle.getByTestId('moodle-test').click();
  await expect(moodle.getByTestId('test-result')).toHaveAttribute('data-outcome', 'credentials_rejected');
  await moodle.getByTestId('moodle-secret').fill(world.moodle.token);
  await moodle.getByTestId('moodle-test').click();
  await expect(moodle.getByTestId('test-result')).toHaveAttribute('data-outcome', 'ok');
  // It was asked for what the tool needs, as somebody who is not there.
  expect(new Set(world.moodle.calls.map((call) => call.function))).toEqual(
    new Set(['core_user_get_users_by_field', 'core_enrol_get_users_courses']),
  );
  await moodle.getByTestId('moodle-save').click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await expectAccessible(page);

  await page.getByTestId('choose-own').click();
  await expect(page.getByText('No embedding model is chosen yet')).toBeVisible();
  await page.getByTestId('use-own-knowledge').click();
  await expect(page.getByText('Assistants search here from now on.')).toBeVisible();
  const { config: now } = (await organization.call(organization.admin, 'GET', config)) as {
    config: Record<string, unknown>;
  };
  expect(now).not.toHaveProperty('kb_server');
  expect(now).toMatchObject({ moodle: { url: world.moodle.url } });
});

test('an administrator opens sign-up, and has classic assistants converted', async ({
  adminPage,
  page,
  organization,
}) => {
  await adminPage.goto('/organization/policies');
  await adminPage.getByTestId('signup-enabled').click();
  await adminPage.getByTestId('save-signup').click();
  await expect(adminPage.getByText('Enter a key, or have one proposed.')).toBeVisible();
  await adminPage.getByTestId('propose-key').click();
  const key = await adminPage.getByTestId('signup-key').inputValue();
  expect(key).toMatch(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/);
  await adminPage.getByTestId('signup-role').click();
  await adminPage.getByRole('option', { name: 'Student' }).click();
  await expectAccessible(adminPage);
  await expectFitting(adminPage);
  await adminPage.getByTestId('save-signup').click();
  await expect(adminPage.getByText('Saved', { exact: true })).toBeVisible();

  await adminPage.getByTestId('convert-on-access').click();
  await expect(adminPage.getByRole('alertdialog')).toBeVisible();
  await expectAccessible(adminPage);
  await adminPage.getByRole('button', { name: 'Cancel' }).click();
  await expect(adminPage.getByTestId('convert-on-access')).not.toBeChecked();
  await adminPage.getByTestId('convert-on-access').click();
  await adminPage.getByTestId('confirm-btn').click();
  await expect(adminPage.getByText('Classic assistants are converted when they are opened.')).toBeVisible();
  await expect(adminPage.getByTestId('convert-on-access')).toBeChecked();
  const { config: now } = (await organization.call(organization.admin, 'GET', config)) as {
    config: { features: unknown };
  };
  expect(now.features).toEqual({ signup_enabled: true, signup_role: 'end_user', convert_on_access: true });

  await page.goto(`/sign-up?organization=${organization.slug}`);
  await page.getByTestId('key-input').fill(key);
  await page.getByTestId('name-input').fill('Iker');
  await page.getByTestId('email-input').fill(`iker@${organization.slug}.test`);
  await page.getByTestId('password-input').fill('long enough for this');
  await page.getByTestId('sign-up-btn').click();
  await expect(page).toHaveURL(/\/gallery$/);
});

test('what two administrators change at once is not lost', async ({ adminPage: page, organization }) => {
  await page.goto('/organization/policies');
  await expect(page.getByTestId('rate-user')).toBeVisible();
  await organization.call(organization.admin, 'PATCH', config, { features: { convert_on_access: true } });
  await page.getByTestId('rate-user').fill('12');
  await page.getByTestId('save-rate').click();
  await expect(page.getByText('Somebody else has changed it meanwhile.')).toBeVisible();
  // What the other one did is there now, and what was typed is not lost.
  await expect(page.getByTestId('convert-on-access')).toBeChecked();
  await expect(page.getByTestId('rate-user')).toHaveValue('12');
  await page.getByTestId('save-rate').click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  const { config: now } = (await organization.call(organization.admin, 'GET', config)) as {
    config: { features: unknown; limits: unknown };
  };
  expect(now).toMatchObject({ features: { convert_on_access: true }, limits: { requests_per_minute: { user: 12 } } });
});
