import { expect, test } from 'vitest';
import { hasPlaceFor, insertSecrets, separateSecrets } from './separate-secrets.ts';

const config = {
  version: '1.0',
  setups: {
    default: {
      providers: { openai: { api_key: 'sk-1', models: ['a'] }, 'my/own~one': { api_key: 'sk-2' }, ollama: {} },
      knowledge_base: { server_url: 'http://kb', api_token: 'kb-1' },
    },
  },
  kb_server: { url: 'http://kb', api_key: '' },
  features: { signup_key: 'join', rag_enabled: true },
  limits: { usage: { token: 5 } },
  hooks: [{ name: 'a', secret: 'hush' }],
};

test('secrets are taken out by their place, everything else stays', () => {
  const separated = separateSecrets(config);
  expect(separated.secrets).toEqual(
    new Map([
      ['/setups/default/providers/openai/api_key', 'sk-1'],
      ['/setups/default/providers/my~1own~0one/api_key', 'sk-2'],
      ['/setups/default/knowledge_base/api_token', 'kb-1'],
      ['/kb_server/api_key', null],
      ['/features/signup_key', 'join'],
      ['/hooks/0/secret', 'hush'],
    ]),
  );
  expect(JSON.stringify(separated.config)).not.toMatch(/sk-|kb-1|join|hush/);
  expect(separated.config).toMatchObject({
    version: '1.0',
    limits: { usage: { token: 5 } },
    kb_server: { url: 'http://kb' },
  });
  expect(config.kb_server).toHaveProperty('api_key');
});

test('put back, the configuration is what it was', () => {
  const separated = separateSecrets(config);
  const given = [...separated.secrets].filter((entry): entry is [string, string] => entry[1] !== null);
  const filled = insertSecrets(separated.config, new Map(given));
  expect(filled).toEqual({ ...config, kb_server: { url: 'http://kb' } });
  expect(JSON.stringify(separated.config)).not.toContain('sk-1');
});

test('a secret without its place, or with a place that is none, goes nowhere', () => {
  expect(hasPlaceFor(config, '/setups/default/providers/ollama/api_key')).toBe(true);
  expect(hasPlaceFor(config, '/setups/default/providers/gone/api_key')).toBe(false);
  expect(hasPlaceFor(config, '/version/api_key')).toBe(false);
  expect(hasPlaceFor(config, '/__proto__/token')).toBe(false);
  expect(hasPlaceFor(config, '/constructor/prototype/token')).toBe(false);
  expect(hasPlaceFor(config, '/features/rag_enabled')).toBe(false);
  expect(insertSecrets({}, new Map([['/__proto__/token', 'x']]))).toEqual({});
  expect({}).not.toHaveProperty('token');
});
