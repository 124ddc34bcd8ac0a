import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from '../world/expect-accessible.ts';
import { expectFitting } from '../world/expect-fitting.ts';
import type { Organization, World } from '../world/start-world.ts';
import { expect, test } from '../world/test.ts';

// Each looks at several pages and dialogs with axe, twice.
test.describe.configure({ timeout: 120_000 });

/** An assistant whose every answer takes a thousand tokens, and what asks it as a program does. */
async function prepareTutor({ teacher, call }: Organization, { llm }: World) {
  llm.script({ text: 'Water moves.', usage: { promptTokens: 900, completionTokens: 100 }, times: 10 });
  const { id } = (await call(teacher, 'POST', '/lamb/v1/assistants', { name: 'Biology tutor' })) as { id: number };
  return { id, ask: () => call(teacher, 'POST', `/lamb/v1/completions?assistant=${String(id)}`, question) };
}

/** Asks in a new chat and waits for the end of it. */
async function askInChat(page: Page, assistant: number): Promise<Locator> {
  await page.goto(`/chats/new?assistant=${String(assistant)}`);
  await page.getByTestId('question-input').fill('What is osmosis?');
  await page.getByTestId('send-btn').click();
  const answer = page.getByTestId('answer').last();
  await expect(answer).toHaveAttribute('data-status', /finished|failed/);
  return answer;
}

const question = { messages: [{ role: 'user', content: 'What is osmosis?' }] };

test(
  'an administrator sets a cap and sees it refuse',
  { tag: '@ci' },
  async ({ adminPage: page, teacherPage, organization, world }) => {
    const { teacher } = organization;
    const { id, ask } = await prepareTutor(organization, world);
    await ask();

    await page.goto('/organization/budgets');
    await expect(async () => {
      await page.reload();
      await expect(page.getByTestId('used-tokens')).toHaveText('1,000', { timeout: 1000 });
    }).toPass();
    await expectAccessible(page);
    await expectFitting(page);
    await page.getByTestId('all-tokens').fill('a lot');
    await page.getByTestId('save-caps').click();
    await expect(page.getByText('Enter a whole number, or nothing.')).toBeVisible();
    await page.getByTestId('all-tokens').fill('1,000');
    await expect(page.getByText('1,000 a month')).toBeVisible();
    await page.getByTestId('save-caps').click();
    await expect(page.getByText('The caps hold from now on.')).toBeVisible();
    await expect(page.getByText('The cap of 1,000 is reached.')).toBeVisible();
    await expectAccessible(page);

    // Who asks is told which cap it is, until when it holds and what to do; nothing is asked of the model.
    const asked = world.llm.requests.length;
    const refusal = (await askInChat(teacherPage, id)).getByTestId('answer-error');
    await expect(refusal).toContainText('The organisation’s tokens for this month do not suffice');
    await expect(refusal).toContainText(/the next month begins on 1 \w{3,4} \d{4}/);
    await expect(refusal).toContainText('ask an administrator to raise the cap');
    await expectAccessible(teacherPage);
    await teacherPage.reload();
    await expect(refusal).toContainText(/the next month begins on 1 \w{3,4} \d{4}/);
    expect(world.llm.requests.length).toBe(asked);
    await page.goto('/organization');
    await expect(page.getByTestId('tasks')).toContainText('The cap of this month is reached');
    await expectAccessible(page);
    await expectFitting(page);

    // With more room it answers again; one person can have less.
    await page.goto('/organization/budgets');
    await page.getByTestId('all-tokens').fill('');
    await page.getByTestId('save-caps').click();
    await expect(page.getByText('The caps hold from now on.')).toBeVisible();
    await expect(await askInChat(teacherPage, id)).toContainText('Water moves.');
    expect(world.llm.requests.length).toBeGreaterThan(asked);
    await page.getByTestId(`caps-${teacher.id}`).filter({ visible: true }).click();
    await page.getByTestId('choose-own').click();
    await page.getByTestId('user-tokens').fill('100');
    await expectAccessible(page);
    await page.getByTestId('save-user-caps').click();
    await expect(page.getByText('Cap reached').filter({ visible: true })).toBeVisible();
    await expect((await askInChat(teacherPage, id)).getByTestId('answer-error')).toContainText(
      'Your tokens for this month',
    );
    // A program is told the same by a code.
    await expect(ask()).rejects.toThrow(/budget_exceeded/);
  },
);

test('an administrator prices a model and sees what was used, as chart, table and CSV', async ({
  adminPage: page,
  organization,
  world,
}) => {
  const { teacher, admin, call } = organization;
  const { ask } = await prepareTutor(organization, world);
  await ask();
  await page.goto('/organization/budgets');
  await expect(async () => {
    await page.reload();
    await expect(page.getByText('Used this month without a price')).toBeVisible({ timeout: 1000 });
  }).toPass();
  await page.getByRole('button', { name: 'Set a price' }).click();
  await expect(page.getByTestId('price-model')).toHaveValue('gpt-4o-mini');
  await page.getByTestId('price-prompt').fill('1000');
  await page.getByTestId('price-completion').fill('2000,5');
  await expectAccessible(page);
  await page.getByTestId('save-price').click();
  await expect(page.getByText('The price of gpt-4o-mini was saved.')).toBeVisible();
  await ask();

  await page.goto('/organization/usage');
  await expect(async () => {
    await page.reload();
    await expect(page.getByTestId('sum-calls')).toHaveText('2', { timeout: 1000 });
  }).toPass();
  await expect(page.getByTestId('sum-cost')).toHaveText('€1.10');
  await expect(page.getByTestId('usage-chart').locator('svg').first()).toBeVisible();
  await expectAccessible(page);
  await expectFitting(page);
  await page.getByTestId('usage-by').getByText('Assistant').click();
  await expect(page.getByText('Biology tutor').filter({ visible: true }).first()).toBeVisible();
  await page.getByTestId('usage-by').getByText('Person').click();
  await expect(
    page.getByText('Maite Arana').or(page.getByText(teacher.email)).filter({ visible: true }).first(),
  ).toBeVisible();
  await page.getByTestId('usage-measure').getByText('Cost').click();
  await page.getByTestId('usage-by-day').click();
  await expectAccessible(page);

  const download = page.waitForEvent('download');
  await page.getByTestId('export-csv').click();
  expect((await download).suggestedFilename()).toMatch(/^usage-.*\.csv$/);
  const audit = (await call(admin, 'GET', '/lamb/v1/organizations/current/audit?action=organization')) as {
    items: { action: string }[];
  };
  expect(audit.items.map(({ action }) => action)).toContain('organization.prices_changed');

  await page.goto('/organization/audit');
  await expect(page.getByText('Prices changed').filter({ visible: true })).toBeVisible();
  await expectAccessible(page);
  await expectFitting(page);
  await page.getByTestId('audit-action').click();
  await page.getByRole('option', { name: 'Assistants', exact: true }).click();
  await expect(page.getByText('Assistant created').filter({ visible: true })).toBeVisible();
  await expect(page.getByText('Prices changed').filter({ visible: true })).toHaveCount(0);
  await page.getByTestId('audit-actor').click();
  await page.getByRole('option', { name: 'Joan Puig' }).click();
  await expect(page.getByText('Nothing matches. Widen the filter.')).toBeVisible();
});
