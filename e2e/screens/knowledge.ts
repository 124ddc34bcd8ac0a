import { expect } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Organization } from '../world/start-world.ts';
import type { ScreenSet } from './screen.ts';

const documents = join(import.meta.dirname, '../../packages/knowledge/src/extract/__fixtures__/documents');

async function fill(organization: Organization): Promise<Record<string, unknown>> {
  const { teacher } = organization;
  const collection = (await organization.call(teacher, 'POST', '/lamb/v1/collections', {
    name: 'Water and soil',
    description: 'Handouts and slides of the spring course, first year',
    language: 'english',
    visibility: 'organization',
  })) as { id: number };
  await organization.call(teacher, 'POST', '/lamb/v1/collections', {
    name: 'Academic writing',
    description: 'Style guide and examples',
    language: 'english',
  });
  const path = `/lamb/v1/collections/${String(collection.id)}`;
  const form = new FormData();
  for (const name of ['chromium.pdf', 'slides.pptx', 'workbook.xlsx', 'encrypted.pdf', 'handout.docx']) {
    form.append('file', new File([await readFile(join(documents, name))], name));
  }
  const { items } = (await organization.call(teacher, 'POST', `${path}/documents`, form)) as {
    items: { document: { id: string } }[];
  };
  const isDone = async () => {
    const page = (await organization.call(teacher, 'GET', `${path}/documents`)) as { items: { status: string }[] };
    return page.items.every(({ status }) => status === 'ready' || status === 'failed');
  };
  await expect.poll(isDone, { timeout: 60_000 }).toBe(true);

  const levels = (texts: readonly string[]) =>
    ['Excellent', 'Good', 'Sufficient', 'Insufficient'].map((label, order) => ({
      id: `l${String(order)}`,
      label,
      score: 4 - order,
      description: texts[order] ?? '',
      order,
    }));
  const criteria = [
    {
      name: 'Thesis',
      description: 'A claim that can be argued for and against',
      weight: 30,
      texts: [
        'A precise claim that goes beyond the obvious and guides the whole text',
        'A clear claim that guides most of the text',
        'A claim, but vague or not kept to',
        'No claim, or only a topic',
      ],
    },
    {
      name: 'Evidence',
      description: 'At least three sources, read critically',
      weight: 40,
      texts: [
        'Sources are weighed against each other and support every step',
        'Sources support the main steps',
        'Sources are named but hardly used',
        'No sources, or none that bear on the claim',
      ],
    },
    {
      name: 'Language',
      description: '',
      weight: 30,
      texts: ['Reads effortlessly', 'Clear, with few slips', 'Understandable with effort', 'Hard to understand'],
    },
  ].map(({ texts, ...criterion }, order) => ({ ...criterion, id: `c${String(order)}`, order, levels: levels(texts) }));
  const rubric = (await organization.call(teacher, 'POST', '/lamb/v1/rubrics', {
    rubric: {
      title: 'Argumentative essay',
      description: 'Two pages, second year',
      metadata: { subject: 'History', gradeLevel: 'Second year' },
      criteria,
    },
    is_public: true,
  })) as { rubric_id: string };
  await organization.call(teacher, 'POST', '/lamb/v1/rubrics', {
    rubric: { title: 'Lab report', description: 'For the practical course', criteria },
  });
  for (const [name, text] of [
    ['syllabus.md', '# Syllabus\n'.repeat(80)],
    ['grading.csv', 'a,b\n'.repeat(4000)],
  ] as const) {
    const file = new FormData();
    file.append('file', new File([text], name));
    await organization.call(teacher, 'POST', '/lamb/v1/files', file);
  }
  return { collection: collection.id, document: items[0]?.document.id, rubric: rubric.rubric_id };
}

export const knowledgeScreens: ScreenSet = {
  fill,
  screens: [
    { name: 'list', as: 'teacher', path: '/knowledge-bases' },
    {
      name: 'new',
      as: 'teacher',
      path: '/knowledge-bases/new',
      prepare: (page) => page.getByTestId('advanced-toggle').click(),
    },
    { name: 'documents', as: 'teacher', path: ({ collection }) => `/knowledge-bases/${String(collection)}` },
    {
      name: 'document',
      as: 'teacher',
      path: ({ collection, document }) => `/knowledge-bases/${String(collection)}/documents/${String(document)}`,
    },
    {
      name: 'search',
      as: 'teacher',
      path: ({ collection }) => `/knowledge-bases/${String(collection)}?tab=search`,
      prepare: async (page) => {
        await page.getByTestId('query-input').fill('How much soil did the village lose?');
        await page.getByTestId('query-run').click();
        await page.getByTestId('hit').first().waitFor();
      },
    },
    {
      name: 'passage',
      as: 'teacher',
      path: ({ collection }) => `/knowledge-bases/${String(collection)}?tab=search`,
      prepare: async (page) => {
        await page.getByTestId('query-input').fill('How much soil did the village lose?');
        await page.getByTestId('query-run').click();
        await page.getByTestId('hit-open').first().click();
        await page.getByTestId('passage-text').waitFor();
      },
    },
    {
      name: 'passage-page',
      as: 'teacher',
      path: ({ collection, document }) => `/passages/${String(collection)}/${String(document)}?start=200&end=600`,
      prepare: (page) => page.getByTestId('passage').waitFor(),
    },
    {
      name: 'settings',
      as: 'teacher',
      path: ({ collection }) => `/knowledge-bases/${String(collection)}?tab=settings`,
    },
    {
      name: 'share',
      as: 'teacher',
      path: ({ collection }) => `/knowledge-bases/${String(collection)}`,
      prepare: async (page) => {
        await page.getByTestId('share-open').click();
        await page.getByTestId('share-dialog').waitFor();
      },
    },
    { name: 'rubrics', as: 'teacher', path: '/rubrics' },
    { name: 'rubric-new', as: 'teacher', path: '/rubrics/new' },
    { name: 'rubric', as: 'teacher', path: ({ rubric }) => `/rubrics/${String(rubric)}` },
    {
      name: 'rubric-preview',
      as: 'teacher',
      path: ({ rubric }) => `/rubrics/${String(rubric)}`,
      prepare: async (page) => {
        await page.getByTestId('view').getByRole('radio').last().click();
        await page.getByTestId('preview-people').getByRole('table').waitFor();
      },
    },
    {
      name: 'rubric-draft',
      as: 'teacher',
      path: '/rubrics?draft=1',
      prepare: (page) => page.getByTestId('draft-dialog').waitFor(),
    },
    { name: 'files', as: 'teacher', path: '/files' },
  ],
};
