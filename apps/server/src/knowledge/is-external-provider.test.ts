import { expect, test } from 'vitest';
import { isExternalProvider } from './is-external-provider.ts';

const config = { outboundAllow: ['ollama:11434', '8.8.4.4:443', 'vectors.example.edu:443'] };

test.each([
  ['https://api.openai.com/v1', true],
  ['https://vectors.example.edu/v1', false],
  ['https://vectors.example.edu:8443/v1', true],
  ['http://ollama:11434', false],
  ['http://ollama:11435', true],
  ['http://127.0.0.1:11434', false],
  ['http://localhost:11434', false],
  ['http://10.1.2.3/v1', false],
  ['http://[::1]:11434', false],
  ['http://[fd00::1]/v1', false],
  ['https://8.8.8.8/v1', true],
  ['https://8.8.4.4/v1', false],
  ['http://127.0.0.1.example.org/v1', true],
  ['http://localhost.example.org/v1', true],
  ['nonsense', true],
])('%s: %s', (baseUrl, isExternal) => {
  expect(isExternalProvider(baseUrl, config)).toBe(isExternal);
});
