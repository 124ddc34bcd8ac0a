import { makePng } from '@lamb/testing';
import { expect } from '@playwright/test';
import { makeKnowledgeBase } from '../world/make-knowledge-base.ts';
import type { Organization, Person, World } from '../world/start-world.ts';
import type { ScreenSet } from './screen.ts';

interface Made {
  readonly id: number;
}

const connector = { connector: 'openai', llm: 'gpt-4o-mini' };
const answer = `A **95 % confidence interval** for the mean uses the sample mean, the standard error and the critical value of the *t* distribution [1].

For a sample of size $n$ with mean $\\bar{x}$ and standard deviation $s$:

$$\\bar{x} \\pm t_{n-1,\\,0.975}\\,\\frac{s}{\\sqrt{n}}$$

In R you can check it by hand:

\`\`\`r
x <- c(4.9, 5.1, 5.6, 4.7, 5.3)
n <- length(x)
mean(x) + c(-1, 1) * qt(0.975, n - 1) * sd(x) / sqrt(n)
\`\`\`

| Level | Critical value (n = 5) |
| --- | --- |
| 90 % | 2.132 |
| 95 % | 2.776 |

Interpret the interval, do not only compute it [2].`;

const question = 'How do I compute a confidence interval for the mean?';
const lecture = `# Lecture 7: Estimating a mean

## The confidence interval

A confidence interval for the mean is made of the sample mean, its standard error and a critical value. With an unknown variance, which is the usual case, the critical value comes from the t distribution with n - 1 degrees of freedom.

## What it says

Interpret the interval in repeated sampling: of all the intervals that we would compute from new samples, 95 in 100 contain the mean. It does not say that this one contains it with a probability of 95 %.
`;
const exercises = `# Exercises

## Exercise 3

Draw a histogram of the five weights, and say what you would expect of fifty.
`;

/** Asks in a chat, and waits until the answer is complete or waits for somebody. */
async function ask(
  { call }: Organization,
  person: Person,
  assistantId: number,
  content: unknown,
): Promise<[string, string]> {
  const chat = (await call(person, 'POST', '/lamb/v1/chats', { assistant_id: assistantId })) as { id: string };
  const run = (await call(person, 'POST', `/lamb/v1/chats/${chat.id}/turns`, { content })) as { id: string };
  const isOpen = async () => {
    const { status } = (await call(person, 'GET', `/lamb/v1/runs/${run.id}`)) as { status: string };
    return status === 'running';
  };
  await expect.poll(isOpen, { timeout: 20_000 }).toBe(false);
  return [chat.id, run.id];
}

async function fill(organization: Organization, { llm }: World): Promise<Record<string, unknown>> {
  const { call, teacher, student } = organization;
  const notes = await makeKnowledgeBase(organization, 'Lecture notes', {
    'Lecture 7.md': lecture,
    'Exercises.md': exercises,
  });
  const syllabus = new FormData();
  syllabus.append('file', new File(['EST-201, second year. Six weeks of estimation, then tests.'], 'syllabus.md'));
  await call(teacher, 'POST', '/lamb/v1/files', syllabus);
  const publish = async (body: Record<string, unknown>) => {
    const { id } = (await call(teacher, 'POST', '/lamb/v1/assistants', body)) as Made;
    await call(teacher, 'PUT', `/lamb/v1/assistants/${String(id)}/publication`);
    return id;
  };
  const tutor = await publish({
    name: 'Statistics tutor',
    description: 'Guides you through EST-201 with the lecture notes. It asks back instead of solving.',
    system_prompt: 'You are the statistics tutor of EST-201. You guide, you do not solve.',
    prompt_template:
      'The course: {file}\n\nUse only these passages, and cite them as [n]: {context}\n\nStudent: {user_input}',
    metadata: {
      ...connector,
      assistant_type: 'multi_tool',
      tools: [
        { type: 'simple_rag', config: { collections: [String(notes)], citations: true } },
        { type: 'single_file_rag', config: { file_path: 'syllabus.md' } },
      ],
    },
  });
  const code = await publish({
    name: 'Code tutor',
    description: 'Reads your Python files, explains what is wrong and offers changes.',
    metadata: {
      ...connector,
      assistant_type: 'multi_tool',
      tools: [{ type: 'patch_file', mode: 'function', config: {} }],
    },
  });
  await publish({
    name: 'Essay evaluator',
    description: 'Reads your draft against the rubric of the course.',
    metadata: connector,
  });
  await publish({ name: 'Library guide', description: '', metadata: connector });
  llm.script({ text: answer }, { text: answer });
  const [chat] = await ask(organization, student, tutor, question);
  const [, run] = await ask(organization, teacher, tutor, question);
  await call(student, 'PUT', `/lamb/v1/assistants/${String(code)}/workspace/files?path=mean.py`, {
    text: 'def mean(values):\n    return sum(values) / 5\n',
  });
  const change = {
    line_start: 2,
    line_end: 2,
    old_content: '    return sum(values) / 5',
    new_content: '    return sum(values) / len(values)',
  };
  llm.script({
    text: 'The length is fixed at 5. I would divide by the number of values:',
    toolCalls: [{ name: 'patch_file', arguments: { file_path: 'mean.py', changes: [change] } }],
  });
  const [approval] = await ask(organization, student, code, 'Why is my mean wrong for other lists?');
  const seeing = await publish({
    name: 'Drawing tutor',
    description: 'Looks at your sketches and diagrams.',
    metadata: { ...connector, capabilities: { vision: true } },
  });
  llm.script({ text: 'The axes are not labelled, and the bars begin at 20. Let them begin at 0.' });
  const [pictures] = await ask(organization, student, seeing, [
    { type: 'text', text: 'What is wrong with my chart?' },
    ...[1, 2].map((seed) => ({
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${makePng(seed).toString('base64')}` },
    })),
  ]);
  const { token } = (await call(student, 'PUT', `/lamb/v1/chats/${chat}/share`)) as { token: string };
  llm.script({ text: answer, times: 'always' });
  return { tutor, code, chat, run, approval, token, pictures };
}

export const chatScreens: ScreenSet = {
  fill,
  screens: [
    { name: 'gallery', as: 'student', path: '/gallery' },
    { name: 'chats', as: 'student', path: '/chats' },
    { name: 'new', as: 'student', path: ({ tutor }) => `/chats/new?assistant=${String(tutor)}` },
    {
      name: 'chat',
      as: 'student',
      path: ({ chat }) => `/chats/${String(chat)}`,
      prepare: async (page) => {
        await page.getByTestId('sources').waitFor();
        await page.getByTestId('tool-steps').getByRole('button').first().click();
      },
    },
    {
      name: 'passage',
      as: 'student',
      path: ({ chat }) => `/chats/${String(chat)}`,
      prepare: async (page) => {
        await page.getByTestId('citation-1').click();
        await page.getByTestId('passage').waitFor();
      },
    },
    {
      name: 'pictures',
      as: 'student',
      path: ({ pictures }) => `/chats/${String(pictures)}`,
      prepare: async (page) => {
        await page.getByTestId('question-picture').first().waitFor();
        await page.getByTestId('picture-input').setInputFiles([
          { name: 'chart.png', mimeType: 'image/png', buffer: makePng(3) },
          { name: 'sketch.png', mimeType: 'image/png', buffer: makePng(4) },
          { name: 'notes.pdf', mimeType: 'application/pdf', buffer: Buffer.from('') },
        ]);
        await page.getByTestId('picture-problem').waitFor();
      },
    },
    {
      name: 'approval',
      as: 'student',
      path: ({ approval }) => `/chats/${String(approval)}`,
      prepare: (page) => page.getByTestId('approval').waitFor(),
    },
    {
      name: 'files',
      as: 'student',
      path: ({ approval }) => `/chats/${String(approval)}`,
      prepare: async (page) => {
        await page.getByTestId('files-btn').click();
        await page.getByTestId('workspace-file').waitFor();
      },
    },
    {
      name: 'try-it',
      as: 'teacher',
      path: ({ tutor }) => `/multi-tool-assistants/${String(tutor)}`,
      prepare: async (page) => {
        // Beside the form where there is room; behind it on a phone.
        const parts = page.getByTestId('editor-parts');
        if (await parts.isVisible()) await parts.getByRole('radio').last().click();
        const panel = page.getByTestId('try-it-panel');
        // What was asked before is still there.
        if (await panel.getByTestId('answer').first().isVisible()) await panel.getByTestId('try-clear').click();
        await panel.getByTestId('question-input').fill(question);
        await panel.getByTestId('send-btn').click();
        await panel.getByTestId('sources').waitFor();
        await page.evaluate(() => {
          window.scrollTo(0, 0);
        });
      },
    },
    {
      name: 'try-files',
      as: 'teacher',
      path: ({ code }) => `/multi-tool-assistants/${String(code)}`,
      prepare: async (page) => {
        const parts = page.getByTestId('editor-parts');
        if (await parts.isVisible()) await parts.getByRole('radio').last().click();
        await page.getByTestId('files-btn').waitFor();
      },
    },
    { name: 'xray', as: 'teacher', path: ({ run }) => `/runs/${String(run)}/xray` },
    { name: 'shared', as: 'nobody', path: ({ token }) => `/shared/${String(token)}` },
    { name: 'embed', as: 'student', path: ({ tutor }) => `/embed/${String(tutor)}` },
    { name: 'embed-sign-in', as: 'nobody', path: ({ tutor }) => `/embed/${String(tutor)}` },
  ],
};
