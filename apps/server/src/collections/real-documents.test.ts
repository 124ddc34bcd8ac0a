import { CollectionQueryReply, CollectionResource, Passage } from '@lamb/contract';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import { addDocument } from './__fixtures__/add-document.ts';

interface Planted {
  readonly sentence: string;
  readonly page: number | null;
  readonly headingPath: readonly string[];
}

const folder = join(import.meta.dirname, '../../../../packages/knowledge/src/extract/__fixtures__/documents');
const planted = JSON.parse(await readFile(join(folder, 'planted.json'), 'utf8')) as Record<
  'handout' | 'slides' | 'workbook',
  readonly Planted[]
>;

let lamb: TestServer;

vi.setConfig({ testTimeout: 60_000 });
beforeAll(async () => {
  lamb = await startTestServer();
});
afterAll(() => lamb.stop());

describe('what is planted in a real document is found with its page and headings, and its address opens there', () => {
  test.for([
    ['chromium.pdf', 'handout', true],
    ['libreoffice.pdf', 'handout', true],
    ['handout.docx', 'handout', false],
    ['slides.pptx', 'slides', true],
    ['workbook.xlsx', 'workbook', false],
  ] as const)('%s', async ([file, content, hasPages]) => {
    const { teacher } = lamb.north;
    const made = await lamb.call(teacher, 'POST', '/lamb/v1/collections', {
      name: file,
      language: 'english',
      embedding: { provider: 'openai', model: 'text-embedding-3-small', dimensions: 64 },
    });
    const { id } = CollectionResource.parse(made.body);
    await addDocument(lamb, teacher, id, file, await readFile(join(folder, file)));
    for (const { sentence, page, headingPath } of planted[content]) {
      const wanted = hasPages ? page : null;
      const found = await lamb.call(teacher, 'POST', `/lamb/v1/collections/${id}/query`, { query: sentence, top_k: 3 });
      const { hits } = CollectionQueryReply.parse(found.body);
      const hit = hits.find(({ text }) => text.includes(sentence));
      expect(hit, sentence).toMatchObject({ filename: file, page_from: wanted, heading_path: headingPath });
      const passage = await lamb.call(teacher, 'GET', hit?.url ?? '');
      expect(passage.status, passage.text).toBe(200);
      const opened = Passage.parse(passage.body);
      expect(opened.text).toContain(sentence);
      expect(opened).toMatchObject({ page: wanted, heading_path: headingPath, document: { filename: file } });
    }
  });
});
