import { expect, test } from 'vitest';
import { fromKbReply } from './from-kb-reply.ts';

const base = 'http://kb.internal:9090/api/';
const read = (metadata: unknown, data = 'text') =>
  fromKbReply({ results: [{ similarity: 0.5, data, metadata }] }, '7', base)[0];

test('hits come in the order of the reply, under either name', () => {
  const hits = [
    { similarity: 0.1, data: 'b', metadata: { filename: 'b.pdf' } },
    { similarity: 0.9, data: 'a', metadata: { filename: 'a.pdf', page: 3, file_url: '/static/a.pdf', chunk_index: 7 } },
  ];
  const expected = [
    { collection: '7', text: 'b', similarity: 0.1, title: 'b.pdf' },
    { collection: '7', text: 'a', similarity: 0.9, title: 'a.pdf', url: '/static/a.pdf', page: 3 },
  ];
  expect(fromKbReply({ results: hits, count: 2, timing: {} }, '7', base)).toEqual(expected);
  expect(fromKbReply({ documents: hits }, '7', base)).toEqual(expected);
});

test.each<[what: string, metadata: Record<string, unknown>, url: string | undefined]>([
  ['a page elsewhere stays', { source_url: 'https://uni.example/a?b=c#d' }, 'https://uni.example/a?b=c#d'],
  ['a page on the server loses its origin', { source_url: 'http://kb.internal:9090/a?token=x' }, '/a'],
  ['a file on the server loses its origin', { file_url: 'http://kb.internal:9090/static/1.pdf' }, '/static/1.pdf'],
  ['a file loses any other name of the server', { file_url: 'http://10.0.0.7:80/static/1.pdf' }, '/static/1.pdf'],
  ['a file keeps what is asked of it', { file_url: 'http://10.0.0.7/a?start=1&signature=x' }, '/a?start=1&signature=x'],
  ['the original of a file comes first', { file_url: '/a.md', original_file_url: '/a.pdf' }, '/a.pdf'],
  ['the converted file comes last', { markdown_file_url: '/a.md', file_url: '' }, '/a.md'],
  ['a page comes before its file', { source_url: 'https://uni.example/', file_url: '/a' }, 'https://uni.example/'],
  ['a script is no address', { source_url: 'javascript:alert(1)' }, undefined],
  ['an address with a password is none', { source_url: 'https://a:b@uni.example/' }, undefined],
  ['what is not text is no address', { source_url: 3, file_url: null }, undefined],
])('%s', (_, metadata, url) => {
  const hit = read(metadata);
  expect(hit?.url).toBe(url);
  expect(JSON.stringify(hit)).not.toMatch(/kb\.internal|10\.0\.0\.7/);
});

test('a hit without a file name is named after its address', () => {
  expect(read({ source_url: 'https://uni.example/course/week-1/' })?.title).toBe('week-1');
  expect(read({})?.title).toBe('Untitled');
  expect(read(null)?.title).toBe('Untitled');
});

test('a page number may be written as text, and is left out when it is none', () => {
  expect(read({ page: '12' })?.page).toBe(12);
  expect(read({ page: 'xii' })).not.toHaveProperty('page');
  expect(read({ page: 1.5 })).not.toHaveProperty('page');
  expect(read({ page: '' })).not.toHaveProperty('page');
  expect(read({ page: null })).not.toHaveProperty('page');
});

test.each([
  null,
  [],
  {},
  { results: 'none' },
  { results: [{ data: 'x' }] },
  { results: [{ similarity: '1', data: 'x' }] },
])('%j is no reply', (reply) => {
  expect(() => fromKbReply(reply, '7', base)).toThrow();
});
