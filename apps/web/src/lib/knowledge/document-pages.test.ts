import type { DocumentResource } from '@lamb/contract';
import { expect, test } from 'vitest';
import { dropDocument, putDocument } from './document-pages.ts';

const documentOf = (id: string, status: DocumentResource['status'] = 'queued'): DocumentResource => ({
  id,
  collection_id: 1,
  filename: `${id}.pdf`,
  title: null,
  media_type: 'application/pdf',
  size: 1,
  source_url: null,
  status,
  progress: null,
  problem: null,
  problem_code: null,
  pages: null,
  chunks: 0,
  created_at: 0,
  updated_at: 0,
});
const pagesOf = (...pages: DocumentResource[][]) => ({
  pages: pages.map((items) => ({ items, next_cursor: null })),
  pageParams: pages.map(() => undefined),
});
const list = pagesOf([documentOf('a')], [documentOf('b')]);

test('a document that is listed stays where it is, as it is now', () => {
  expect(putDocument(list, documentOf('b', 'ready'))).toEqual(pagesOf([documentOf('a')], [documentOf('b', 'ready')]));
});

test('a document that is new comes first, once', () => {
  const next = putDocument(list, documentOf('c'));
  expect(next).toEqual(pagesOf([documentOf('c'), documentOf('a')], [documentOf('b')]));
  expect(putDocument(next, documentOf('c', 'ready')).pages[0]?.items).toEqual([
    documentOf('c', 'ready'),
    documentOf('a'),
  ]);
});

test('a document that is gone is in no page', () => {
  expect(dropDocument(list, 'b')).toEqual(pagesOf([documentOf('a')], []));
});
