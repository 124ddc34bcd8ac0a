import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { isPassageSignature, linkCitedPassage, linkPassage } from './link-passage.ts';

const config = { authSecret: 'only-for-tests-only-for-tests-only-for-tests' };
const place = { organizationId: randomUUID(), collectionId: 7, documentId: randomUUID(), start: 10, end: 20 };

function signatureOf(link: string): string {
  return new URL(link, 'http://lamb').searchParams.get('signature') ?? '';
}

test('a signature is for exactly one stretch of one document of one organisation', () => {
  const signature = signatureOf(linkCitedPassage(config, place));
  expect(signature).toMatch(/^[\w-]{32}$/);
  expect(isPassageSignature(config, place, signature)).toBe(true);
  for (const other of [
    { start: 9 },
    { end: 21 },
    { start: 1, end: 20 },
    { documentId: randomUUID() },
    { organizationId: randomUUID() },
  ]) {
    expect(isPassageSignature(config, { ...place, ...other }, signature), JSON.stringify(other)).toBe(false);
  }
});

test('with another secret it is worth nothing, and nothing is no signature', () => {
  const signature = signatureOf(linkCitedPassage({ authSecret: 'another-secret' }, place));
  expect(isPassageSignature(config, place, signature)).toBe(false);
  for (const none of [undefined, '', ' ', 'x'.repeat(32)]) expect(isPassageSignature(config, place, none)).toBe(false);
});

test('who may read the collection gets an address without one', () => {
  expect(signatureOf(linkPassage(place))).toBe('');
  expect(linkCitedPassage(config, place).startsWith(linkPassage(place))).toBe(true);
});
