import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitAt } from './__fixtures__/split-at.ts';
import { createUtf8Decoder } from './create-utf8-decoder.ts';

test('text cut anywhere is the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.nat(200)), (text, cuts) => {
      const decode = createUtf8Decoder();
      expect(splitAt(Buffer.from(text), cuts).map(decode).join('')).toBe(text);
    }),
  );
});

test('a broken character does not spoil what follows', () => {
  const decode = createUtf8Decoder();
  const pieces = [Buffer.from([0xe6, 0xbc]), Buffer.from('a'), Buffer.from('é')];
  expect(pieces.map(decode).join('')).toBe('\ufffdaé');
});
