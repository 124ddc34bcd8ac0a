import { expect, test } from 'vitest';
import { toProviderError } from './to-provider-error.ts';

const refuse = (status: number, body: unknown, headers: Record<string, string | string[]> = {}) =>
  toProviderError({
    status,
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    apiKey: 'sk-secret',
  });

test.each([
  [{ error: { message: 'No such model.' } }],
  [[{ error: { message: 'No such model.' } }]],
  [{ error: 'No such model.' }],
  [{ message: 'No such model.' }],
  [{ detail: 'No such model.' }],
  ['No such model.'],
  ['"No such model."'],
])('what the provider said is found in %j', (body) => {
  expect(refuse(404, body)).toMatchObject({
    code: 'provider_rejected',
    message: 'The model provider rejected the request: No such model.',
    details: { provider_status: 404, provider_message: 'No such model.' },
  });
});

test.each([['<html><body>Bad gateway'], [''], [{ error: { code: 1 } }], ['null'], ['7'], [[]]])(
  'without words the catalogue speaks, as for %j',
  (body) => {
    expect(refuse(400, body)).toMatchObject({
      message: 'The model provider rejected the request.',
      details: { provider_status: 400 },
    });
  },
);

test('the key is cut out before the message is shortened', () => {
  const { message } = refuse(400, `${'x'.repeat(295)} sk-secret sk-secret`);
  expect(message).not.toContain('sk-');
});

test('nothing of what is said about a key is passed on', () => {
  expect(refuse(401, { error: { message: 'Incorrect API key provided: sk-s****et' } })).toMatchObject({
    code: 'provider_credentials_rejected',
    details: { provider_status: 401 },
  });
});

test.each([
  ['30', 30],
  ['0', 0],
  ['1.5', 2],
  [new Date(Date.now() + 60_000).toUTCString(), expect.toBeOneOf([59, 60])],
  [new Date(Date.now() - 60_000).toUTCString(), undefined],
  ['soon', undefined],
  ['-1', undefined],
  ['', undefined],
])('retry-after %s is %s', (header, seconds) => {
  expect(refuse(429, '', { 'retry-after': header }).details['retry_after']).toEqual(seconds);
});
