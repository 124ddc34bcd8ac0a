import { expect, test } from 'vitest';
import { isExternal, isWebAddress, movesOrigin } from './addresses.ts';

test.each([
  [undefined, '', false],
  [null, 'https://a.test/v1', true],
  ['https://a.test/v1', 'https://A.test:443/v2', false],
  ['https://a.test/v1', 'http://a.test/v1', true],
  ['https://a.test', 'https://a.test.evil.test', true],
  ['https://a.test', '', true],
])('from %s to %s moves the origin: %s', (before, after, expected) => {
  expect(movesOrigin(before, after)).toBe(expected);
});

test.each([
  [null, true],
  ['https://api.openai.com/v1', true],
  ['https://10.example.com', true],
  ['https://fc.example.com', true],
  ['https://172.32.0.1', true],
  ['no address', true],
  ['http://ollama:11434', false],
  ['http://localhost:11434', false],
  ['http://10.1.2.3', false],
  ['http://172.16.0.9:8000/v1', false],
  ['http://192.168.1.7', false],
  ['http://gpu.uni.internal', false],
  ['http://[::1]:11434', false],
  ['http://[fd00::1]', false],
])('%s is outside one’s own network: %s', (address, expected) => {
  expect(isExternal(address)).toBe(expected);
});

test.each([
  ['https://a.test', true],
  [' http://a:1/x ', true],
  ['a.test', false],
  ['ftp://a.test', false],
  ['javascript:alert(1)', false],
  ['', false],
])('%s can be called: %s', (text, expected) => {
  expect(isWebAddress(text)).toBe(expected);
});
