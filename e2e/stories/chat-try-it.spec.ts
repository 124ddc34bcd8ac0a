import { expectAccessible } from '../world/expect-accessible.ts';
import { expectFitting } from '../world/expect-fitting.ts';
import { expect, test } from '../world/test.ts';

test('a teacher tries an assistant that is not saved, looks into the prompt and replays it', async ({
  world,
  organization,
  teacherPage: page,
  isMobile,
}) => {
  const { call, teacher } = organization;
  const form = new FormData();
  form.append('file', new Blob(['Cells divide by mitosis.'], { type: 'text/markdown' }), 'notes.md');
  await call(teacher, 'POST', '/lamb/v1/files', form);
  const { id } = (await call(teacher, 'POST', '/lamb/v1/assistants', {
    name: 'Tutor',
    system_prompt: 'You are a tutor.',
    prompt_template: 'Notes:{file}Question:{user_input}',
    metadata: {
      connector: 'openai',
      llm: 'gpt-4o-mini',
      assistant_type: 'multi_tool',
      tools: [{ type: 'single_file_rag', mode: 'context', config: { file_path: 'notes.md' } }],
    },
  })) as { id: number };
  world.llm.script(
    { text: 'By **mitosis**.', times: 1 },
    { text: 'I do not know.', times: 1 },
    { text: 'Another model speaks.', times: 1 },
  );
  await page.goto(`/multi-tool-assistants/${String(id)}`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.getByTestId('name-input').fill('Tutor, changed and not saved');
  if (isMobile) await page.getByTestId('editor-parts').getByRole('radio').last().click();
  const panel = page.getByTestId('try-it-panel');
  await panel.getByTestId('question-input').fill('How do cells divide?');
  await panel.getByTestId('send-btn').click();
  await expect(panel.getByTestId('answer')).toContainText('By mitosis.');
  await expect(panel.getByTestId('tool-steps')).toContainText('Used 1 tool');
  await panel.getByTestId('tool-steps').getByRole('button').first().click();
  await expect(panel.getByTestId('tool-step')).toContainText('ms');
  await expectAccessible(page);

  // Nothing was saved, and a reload goes on with the trial.
  await panel.getByTestId('xray-btn').click();
  const xray = page.getByTestId('xray');
  await expect(xray.getByTestId('xray-message')).toHaveCount(2);
  const span = xray.locator('[data-testid=xray-span][data-tool=single_file_rag]');
  await expect(span).toContainText('Cells divide by mitosis.');
  const sent = world.llm.requests.at(-1)?.body as { messages: { content: string }[] };
  const shown = await xray.getByTestId('xray-message').last().getByTestId('xray-span').allTextContents();
  expect(shown.join(''), 'exactly what was sent').toBe(sent.messages.at(-1)?.content);
  await expect(xray.getByTestId('xray-legend').getByRole('button')).toHaveCount(4);
  await expectAccessible(page);

  await page.getByTestId('replay-without-file').click();
  await expect(page.getByTestId('replay').first()).toContainText('I do not know.');
  await expect(page.getByTestId('first-answer')).toContainText('By mitosis.');
  const again = world.llm.requests.at(-1)?.body as { messages: { content: string }[] };
  expect(again.messages.at(-1)?.content).not.toContain('Cells divide');
  await page.getByTestId('replay-model').click();
  await page.getByRole('option', { name: /llama3\.2/ }).click();
  await expect(page.getByTestId('replay').first()).toContainText('Another model speaks.');
  expect(world.llm.requests.at(-1)?.body).toMatchObject({ model: 'llama3.2:latest' });
  await expect(page.getByTestId('replay')).toHaveCount(2);
  await expectAccessible(page);
});

test('the form’s trial survives a reload in mid-answer', async ({
  world,
  organization,
  teacherPage: page,
  isMobile,
}) => {
  const { id } = (await organization.call(organization.teacher, 'POST', '/lamb/v1/assistants', {
    name: 'Tutor',
    metadata: { connector: 'openai', llm: 'gpt-4o-mini', assistant_type: 'multi_tool', tools: [] },
  })) as { id: number };
  world.llm.script({ tokens: 250, intervalMs: 20 });
  const show = async () => {
    if (isMobile) await page.getByTestId('editor-parts').getByRole('radio').last().click();
  };
  await page.goto(`/multi-tool-assistants/${String(id)}`);
  await show();
  await page.getByTestId('question-input').fill('Count');
  await page.getByTestId('send-btn').click();
  await expect(page.getByTestId('answer')).toContainText('t3');
  await page.reload();
  await show();
  await expect(page.getByTestId('answer')).toHaveAttribute('data-status', 'finished', { timeout: 30_000 });
  await expect(page.getByTestId('answer-text')).toHaveText(
    Array.from({ length: 250 }, (_, index) => `t${String(index + 1)}`).join(' '),
  );
  await page.getByTestId('try-clear').click();
  await expect(page.getByTestId('answer')).toHaveCount(0);
});

test('the trial goes with what is saved, and the next new assistant begins without one', async ({
  world,
  teacherPage: page,
  isMobile,
}) => {
  const show = async (part: 'form' | 'try') => {
    const parts = page.getByTestId('editor-parts').getByRole('radio');
    if (isMobile) await (part === 'form' ? parts.first() : parts.last()).click();
  };
  world.llm.script({ text: 'Hello, I am new.' });
  await page.goto('/multi-tool-assistants/create');
  await page.getByTestId('name-input').fill('Tried before it was saved');
  await show('try');
  await page.getByTestId('question-input').fill('Who are you?');
  await page.getByTestId('send-btn').click();
  await expect(page.getByTestId('answer')).toContainText('Hello, I am new.');
  await show('form');
  await page.getByTestId('save-btn').click();
  await expect(page).toHaveURL(/\/multi-tool-assistants\/\d+$/);
  await show('try');
  await expect(page.getByTestId('answer')).toContainText('Hello, I am new.');
  await page.reload();
  await show('try');
  await expect(page.getByTestId('answer')).toContainText('Hello, I am new.');
  await page.goto('/multi-tool-assistants/create');
  await show('try');
  await expect(page.getByTestId('try-it-panel')).toBeVisible();
  await expect(page.getByTestId('question')).toHaveCount(0);
});

test('a trial has files to work on: what would be changed is shown, approved and done', async ({
  world,
  teacherPage: page,
  isMobile,
  organization,
}) => {
  const show = async (part: 'form' | 'try') => {
    const parts = page.getByTestId('editor-parts').getByRole('radio');
    if (isMobile) await (part === 'form' ? parts.first() : parts.last()).click();
  };
  const change = { line_start: 1, line_end: 1, old_content: 'print(1)', new_content: 'print(2)' };
  world.llm.script(
    { toolCalls: [{ name: 'patch_file', arguments: { file_path: 'a.py', changes: [change] } }] },
    { text: 'Done.' },
  );
  const { call, teacher } = organization;
  const { id } = (await call(teacher, 'POST', '/lamb/v1/assistants', {
    name: 'Code tutor',
    metadata: {
      connector: 'openai',
      llm: 'gpt-4o-mini',
      assistant_type: 'multi_tool',
      tools: [{ type: 'patch_file', mode: 'function', config: {} }],
    },
  })) as { id: number };
  await page.goto(`/multi-tool-assistants/${String(id)}`);
  await show('try');
  await page.getByTestId('files-btn').click();
  await page.getByTestId('workspace-upload').setInputFiles({
    name: 'a.py',
    mimeType: 'text/x-python',
    buffer: Buffer.from('print(1)\n'),
  });
  await expect(page.getByTestId('workspace-file')).toContainText('a.py');
  await page.keyboard.press('Escape');
  await page.getByTestId('question-input').fill('Fix it');
  await page.getByTestId('send-btn').click();
  await expect(page.getByTestId('approval')).toContainText('+print(2)');
  await expectAccessible(page);
  await page.getByTestId('approve-btn').click();
  await expect(page.getByTestId('answer')).toContainText('Done.');
  await expect(page.getByTestId('diff')).toContainText('-print(1)');
  await page.getByTestId('files-btn').click();
  await page.getByTestId('workspace-file').click();
  await expect(page.getByTestId('workspace')).toContainText('print(2)');

  // Files belong to an assistant: one that is not saved yet has none, and says so.
  const unsaved = await page.context().newPage();
  await unsaved.goto('/multi-tool-assistants/create');
  await unsaved.getByTestId('add-tool-btn').click();
  await unsaved.getByTestId('tool-option-patch_file').click();
  if (isMobile) await unsaved.getByTestId('editor-parts').getByRole('radio').last().click();
  await expect(unsaved.getByTestId('files-later')).toBeVisible();
  await expect(unsaved.getByTestId('files-btn')).toHaveCount(0);
  await expectFitting(unsaved);
});

test('the prompt of an answer has a page of its own', async ({ world, organization, teacherPage: page }) => {
  const { call, teacher } = organization;
  world.llm.script({ text: 'Hello.' });
  const run = (await call(teacher, 'POST', '/lamb/v1/assistants/drafts/turns', {
    system_prompt: 'You are a tutor.',
    prompt_template: 'Asked: {user_input}',
    metadata: { connector: 'openai', llm: 'gpt-4o-mini', assistant_type: 'multi_tool', tools: [] },
    messages: [{ role: 'user', content: 'Who are you?' }],
  })) as { id: string };
  await expect
    .poll(async () => ((await call(teacher, 'GET', `/lamb/v1/runs/${run.id}`)) as { status: string }).status)
    .toBe('finished');
  await page.goto(`/runs/${run.id}/xray`);
  await expect(page.getByTestId('xray-message')).toHaveCount(2);
  await page
    .getByTestId('xray-legend')
    .getByRole('button', { name: /The question/ })
    .click();
  await expect(page.locator('[data-testid=xray-span][data-origin=user_input]')).toHaveClass(/chosen/);
  await expectAccessible(page);
  await expectFitting(page);
});

test('what another assistant did stands under the call, with arguments and result', async ({
  world,
  organization,
  teacherPage: page,
}) => {
  const { call, teacher } = organization;
  const form = new FormData();
  form.append('file', new Blob(['There are four phases.'], { type: 'text/markdown' }), 'phases.md');
  await call(teacher, 'POST', '/lamb/v1/files', form);
  const { id: expert } = (await call(teacher, 'POST', '/lamb/v1/assistants', {
    name: 'Expert',
    prompt_template: '{file}{user_input}',
    metadata: {
      connector: 'openai',
      llm: 'gpt-4o-mini',
      assistant_type: 'multi_tool',
      tools: [{ type: 'single_file_rag', mode: 'context', config: { file_path: 'phases.md' } }],
    },
  })) as { id: number };
  const { id } = (await call(teacher, 'POST', '/lamb/v1/assistants', {
    name: 'Orchestrator',
    metadata: {
      connector: 'openai',
      llm: 'gpt-4o-mini',
      assistant_type: 'multi_tool',
      tools: [{ type: 'assistant', mode: 'function', config: { assistant_id: expert, name: 'expert' } }],
    },
  })) as { id: number };
  let name = '';
  world.llm.script((request) => {
    const { tools = [], messages } = request.body as {
      tools?: { function: { name: string } }[];
      messages: { role: string }[];
    };
    name = tools[0]?.function.name ?? name;
    if (tools.length === 0) return { text: 'The expert says four.' };
    if (messages.at(-1)?.role === 'tool') return { text: 'So it is four.' };
    return { toolCalls: [{ name, arguments: { question: 'How many?', message: 'How many?', query: 'How many?' } }] };
  });
  await page.goto(`/chats/new?assistant=${String(id)}`);
  await page.getByTestId('question-input').fill('How many phases?');
  await page.getByTestId('send-btn').click();
  await expect(page.getByTestId('answer')).toHaveAttribute('data-status', 'finished');
  await expect(page.getByTestId('answer-text')).toContainText('So it is four.');
  // Also when one comes back to it later.
  await page.reload();
  await page.getByTestId('tool-steps').getByRole('button').first().click();
  await expect(page.getByTestId('child-answer')).toContainText('{file}');
  await page.getByTestId('call-step').locator('summary').click();
  await expect(page.getByTestId('call-details')).toContainText('How many?');
  await expect(page.getByTestId('call-details')).toContainText('The expert says four.');
  await expectAccessible(page);
  await page.getByTestId('xray-btn').click();
  await expect(page.locator('[data-testid=xray-span][data-origin=call]')).toContainText('The expert says four.');
  // Without the expert, the model has nobody to call.
  await page.getByTestId(`replay-without-${name}`).click();
  await expect(page.getByTestId('replay')).toContainText('The expert says four.');
  expect(world.llm.requests.at(-1)?.body).not.toHaveProperty('tools');
  await expectAccessible(page);
});
