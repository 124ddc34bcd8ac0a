import { describe, expect, it } from 'vitest';
import { redactConfig } from './redact-config.ts';

describe('redactConfig', () => {
  it.each([
    'api_key',
    'apiKey',
    'X-API-KEY',
    'token',
    'access_token',
    'client_secret',
    'password',
    'Passwd',
    'pwd',
    'passphrase',
    'credentials',
    'authorization',
    'bearer',
    'cookie',
    'private_key',
  ])('hides %s, whatever it holds', (name) => {
    const redacted = { [name]: '[redacted]' };
    expect(redactConfig({ [name]: 'canary' })).toEqual(redacted);
    expect(redactConfig({ [name]: { value: ['canary'] } })).toEqual(redacted);
    expect(redactConfig({ deep: [{ [name]: 'canary' }] })).toEqual({ deep: [redacted] });
  });

  it('hides the credentials inside an address and keeps the address', () => {
    const redacted = redactConfig({ url: 'see https://ana:canary@kb.test:8080/a?b=c and http://canary@x/' });
    expect(redacted).toEqual({ url: 'see https://[redacted]@kb.test:8080/a?b=c and http://[redacted]@x/' });
  });

  it('keeps everything else as it is', () => {
    const config = {
      collections: ['12'],
      top_k: 5,
      query: 'terms in {rubric}: a@b.test',
      deep: { x: [null, true, 1.5] },
    };
    expect(redactConfig(config)).toEqual(config);
  });

  it('keeps a field called __proto__ a field', () => {
    const redacted = redactConfig(JSON.parse('{"__proto__": {"token": "canary"}}') as Record<string, unknown>);
    expect(JSON.stringify(redacted)).toBe('{"__proto__":{"token":"[redacted]"}}');
  });
});
