import { describe, expect, it } from 'vitest';
import { readOrganizationSetup } from './read-organization-setup.ts';

const read = (document: unknown) => readOrganizationSetup('00000000-0000-4000-8000-000000000001', document);

/** As an existing installation keeps it. */
const existing = {
  version: '1.0',
  metadata: { description: 'A school', system_managed: false, created_at: '2025-01-01' },
  setups: {
    default: {
      name: 'Default',
      is_default: true,
      global_default_model: { provider: 'openai', model: 'gpt-4o-mini' },
      small_fast_model: { provider: 'ollama', model: 'llama3.2' },
      providers: {
        openai: {
          api_key: 'sk-1',
          base_url: 'https://api.example/v1',
          models: ['gpt-4o-mini', 'gpt-4o'],
          default_model: 'gpt-4o',
          enabled: true,
        },
        ollama: { base_url: 'http://localhost:11434', models: ['llama3.2'] },
      },
      knowledge_base: { server_url: 'http://kb.example', api_token: 'old-token', embedding_model: 'x' },
    },
  },
  features: { rag_enabled: true, signup_enabled: false },
  limits: { usage: { tokens_per_month: 1_000_000 } },
  assistant_defaults: {},
};

describe('an organisation’s setup', () => {
  it('is read as an existing installation keeps it', () => {
    expect(read(existing)).toMatchObject({
      defaultModel: { provider: 'openai', model: 'gpt-4o-mini' },
      smallFastModel: { provider: 'ollama', model: 'llama3.2' },
      providers: {
        openai: { api_key: 'sk-1', default_model: 'gpt-4o', enabled: true },
        ollama: { models: ['llama3.2'], enabled: true },
      },
      knowledgeServer: { url: 'http://kb.example', apiKey: 'old-token' },
    });
  });

  it('takes the newer knowledge-base server over the older, unless it has no address', () => {
    const server = { url: 'http://new.example', api_key: 'new' };
    expect(read({ ...existing, kb_server: server }).knowledgeServer).toEqual({ url: server.url, apiKey: 'new' });
    expect(read({ ...existing, kb_server: { url: '' } }).knowledgeServer?.url).toBe('http://kb.example');
    expect(read({ kb_server: { url: 'http://new.example' } }).knowledgeServer).toEqual({
      url: 'http://new.example',
      apiKey: '',
    });
  });

  it('calls the small fast model by its older name too', () => {
    const fast_model = { provider: 'openai', model: 'old-fast' };
    const small_fast_model = { provider: 'openai', model: 'new-fast' };
    expect(read({ setups: { default: { fast_model } } }).smallFastModel).toEqual(fast_model);
    expect(read({ setups: { default: { fast_model, small_fast_model } } }).smallFastModel).toEqual(small_fast_model);
  });

  it('is the one that is marked, then the one called default, then the first', () => {
    const named = (model: string) => ({ global_default_model: { provider: 'openai', model } });
    const of = (setups: unknown) => read({ setups }).defaultModel?.model;
    expect(of({ first: named('a'), default: named('b'), marked: { ...named('c'), is_default: true } })).toBe('c');
    expect(of({ first: named('a'), default: named('b') })).toBe('b');
    expect(of({ first: named('a'), second: named('b') })).toBe('a');
  });

  it('may be missing altogether', () => {
    for (const document of [undefined, null, {}, { setups: {} }]) {
      expect(read(document)).toMatchObject({ providers: {}, defaultModel: undefined, knowledgeServer: undefined });
    }
  });
});
