import type { ScreenSet } from './screen.ts';

const current = '/lamb/v1/organizations/current';

export const adminScreens: ScreenSet = {
  fill: async ({ call, admin, teacher, student, addPerson, slug }, { llm }) => {
    for (const name of ['Nerea Etxeberria', 'Pau Ferrer', 'Lucía Gómez']) await addPerson(name, 'member');
    const assistants = [];
    for (const name of ['Biology tutor', 'Essay evaluator', 'Statistics tutor']) {
      const made = (await call(teacher, 'POST', '/lamb/v1/assistants', { name })) as { id: number };
      await call(teacher, 'PUT', `/lamb/v1/assistants/${String(made.id)}/publication`);
      assistants.push(made.id);
    }
    await call(admin, 'PUT', `${current}/prices`, {
      prices: [{ connector: 'openai', model: 'gpt-4o-mini', prompt_micros: 150_000, completion_micros: 600_000 }],
    });
    await call(admin, 'PUT', `${current}/budgets`, {
      currency: 'EUR',
      organization: { tokens: 60_000, cost_micros: 25_000_000 },
      user_default: { tokens: 50_000, cost_micros: null },
      users: [{ user_id: teacher.id, tokens: 200_000, cost_micros: null }],
    });
    for (const [index, id] of assistants.entries()) {
      llm.script({
        text: 'Hello.',
        usage: { promptTokens: 9000 * (index + 1), completionTokens: 1200 },
      });
      await call(index === 1 ? student : teacher, 'POST', `/lamb/v1/completions?assistant=${String(id)}`, {
        messages: [{ role: 'user', content: 'Hello' }],
      });
    }
    await call(admin, 'POST', `${current}/invitations`, { email: `iker@${slug}.test`, role: 'end_user' });
    const { link } = (await call(admin, 'POST', `${current}/invitations`, { email: `jone@${slug}.test` })) as {
      link: string;
    };
    return { token: new URL(link).hash.slice(1) };
  },
  screens: [
    { name: 'overview', as: 'admin', path: '/organization' },
    { name: 'members', as: 'admin', path: '/organization/members' },
    { name: 'invitations', as: 'admin', path: '/organization/invitations' },
    {
      name: 'invite',
      as: 'admin',
      path: '/organization/invitations?invite',
      prepare: (page) => page.getByTestId('invite-dialog').waitFor(),
    },
    { name: 'invitation', as: 'nobody', path: ({ token }) => `/invitation#${String(token)}` },
    { name: 'models', as: 'admin', path: '/organization/models' },
    {
      name: 'provider',
      as: 'admin',
      path: '/organization/models',
      prepare: async (page) => {
        await page.getByTestId('edit-openai').click();
        await page.getByTestId('test-connection').click();
        await page.getByTestId('test-result').waitFor();
      },
    },
    { name: 'connections', as: 'admin', path: '/organization/connections' },
    {
      name: 'usage',
      as: 'admin',
      path: '/organization/usage',
      prepare: async (page) => {
        await page.getByTestId('usage-by').getByRole('radio').nth(1).click();
        await page.getByTestId('usage-chart').locator('rect').first().waitFor({ state: 'attached' });
      },
    },
    { name: 'budgets', as: 'admin', path: '/organization/budgets' },
    { name: 'keys', as: 'admin', path: '/organization/keys' },
    { name: 'policies', as: 'admin', path: '/organization/policies' },
    { name: 'audit', as: 'admin', path: '/organization/audit' },
    { name: 'account', as: 'student', path: '/account' },
    { name: 'account-keys', as: 'teacher', path: '/account/keys' },
  ],
};
