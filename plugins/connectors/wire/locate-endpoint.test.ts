import { expect, test } from 'vitest';
import { locateEndpoint } from './locate-endpoint.ts';

test.each([
  ['https://api.openai.com/v1', 'https://api.openai.com/v1/chat'],
  ['https://api.openai.com/v1///', 'https://api.openai.com/v1/chat'],
  ['http://localhost:11434', 'http://localhost:11434/chat'],
  ['https://x.example/openai?api-version=1#top', 'https://x.example/openai/chat?api-version=1'],
])('an endpoint at %s is %s', (baseUrl, expected) => {
  expect(locateEndpoint(baseUrl, '/chat').href).toBe(expected);
});

test.each(['localhost', 'ftp://host/', 'file:///etc/passwd', 'https://user@host/', 'https://:pass@host/', 'data:,x'])(
  '%s is no address to call',
  (baseUrl) => {
    expect(() => locateEndpoint(baseUrl, '/chat')).toThrow(expect.objectContaining({ code: 'provider_unavailable' }));
  },
);

test.each([undefined, ''])('without an address the provider is not set up', (baseUrl) => {
  expect(() => locateEndpoint(baseUrl, '/chat')).toThrow(expect.objectContaining({ code: 'provider_not_configured' }));
});
