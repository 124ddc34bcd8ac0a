import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSecretBox } from './secret-box.ts';

const newKey = () => randomBytes(32).toString('base64');
const keys = { k1: newKey(), k2: newKey() };
const box = createSecretBox({ current: 'k1', keys });

test('what is sealed opens in its place and shows nothing of itself', () => {
  for (const plaintext of ['sk-canary', '', 'ünïcödé 🐑']) {
    const sealed = box.seal(plaintext, 'here');
    expect(box.open(sealed, 'here')).toBe(plaintext);
    if (plaintext !== '') expect(sealed.ciphertext.includes(plaintext)).toBe(false);
  }
  expect(box.seal('same', 'here').ciphertext.equals(box.seal('same', 'here').ciphertext)).toBe(false);
});

test('another place, another key or a changed byte does not open it', () => {
  const sealed = box.seal('sk-canary', 'here');
  expect(() => box.open(sealed, 'there')).toThrow('cannot be opened');
  expect(() => box.open({ ...sealed, keyId: 'k2' }, 'here')).toThrow('cannot be opened');
  for (const index of [0, 12, sealed.ciphertext.length - 1]) {
    const ciphertext = Buffer.from(sealed.ciphertext);
    ciphertext.writeUInt8(ciphertext.readUInt8(index) ^ 1, index);
    expect(() => box.open({ ...sealed, ciphertext }, 'here')).toThrow('cannot be opened');
  }
  expect(() => box.open({ ...sealed, ciphertext: sealed.ciphertext.subarray(0, -1) }, 'here')).toThrow();
  expect(() => box.open({ ...sealed, ciphertext: Buffer.alloc(3) }, 'here')).toThrow('cannot be opened');
});

test('after a rotation the new key seals and the old one still opens', () => {
  const old = box.seal('sk-canary', 'here');
  const rotated = createSecretBox({ current: 'k2', keys });
  expect(rotated.open(old, 'here')).toBe('sk-canary');
  expect(rotated.seal('x', 'here').keyId).toBe('k2');
  const withoutOld = createSecretBox({ current: 'k2', keys: { k2: keys.k2 } });
  expect(() => withoutOld.open(old, 'here')).toThrow('cannot be opened with key "k1"');
});

test('a key of the wrong size, or a missing one, says how to make one', () => {
  expect(() => createSecretBox({ current: 'k', keys: { k: 'short' } })).toThrow('openssl rand -base64 32');
  expect(() => createSecretBox({ current: 'k9', keys })).toThrow('known: k1, k2');
});
