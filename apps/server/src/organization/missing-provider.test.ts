import { Assistant } from '@lamb/contract';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createAccount } from '../accounts/create-account.ts';
import { createOrganization } from '../accounts/create-organization.ts';
import { makeKey, startTestServer, type TestServer } from '../test-server/start-test-server.ts';

let lamb: TestServer;

beforeAll(async () => {
  lamb = await startTestServer();
});
afterAll(async () => {
  await lamb.stop();
});

it('an organisation without provider settings is told what to do, and no provider hears of it', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'sk-operator');
  vi.stubEnv('OPENAI_BASE_URL', `${lamb.llm.url}/v1`);
  vi.stubEnv('ANTHROPIC_API_KEY', 'sk-operator');
  const organizationId = await createOrganization(lamb.services.db, { name: 'West university', slug: 'west' });
  const userId = await createAccount(lamb.services, {
    email: 'teacher@west.test',
    name: 'teacher',
    password: 'correct horse battery',
    organizationId,
    role: 'owner',
  });
  const person = { key: await makeKey(lamb.services, { userId, organizationId }) };
  lamb.llm.reset();
  lamb.kb.reset();
  const messages = [{ role: 'user', content: 'Hello' }];
  for (const connector of ['openai', 'ollama', 'anthropic', 'banana_img']) {
    const created = await lamb.call(person, 'POST', '/lamb/v1/assistants', {
      name: connector,
      metadata: { connector, llm: 'gpt-4o-mini', rag_processor: 'simple_rag' },
      RAG_collections: '1',
    });
    const { id } = Assistant.parse(created.body);
    for (const stream of [false, true]) {
      const reply = await lamb.call(person, 'POST', `/lamb/v1/completions?assistant=${id}`, { messages, stream });
      expect(reply.status, connector).toBe(422);
      expect(reply.body).toMatchObject({
        code: 'provider_not_configured',
        title: `The organisation has not set up the provider “${connector}”, and has no default model.`,
        next: 'An administrator of the organisation adds a provider under /lamb/v1/organizations/current/config.',
      });
      const model = `lamb_assistant.${id}`;
      const openai = await lamb.call(person, 'POST', '/v1/chat/completions', { model, messages, stream });
      expect(openai.status).toBe(422);
      expect(openai.body).toMatchObject({
        error: { code: 'provider_not_configured', type: 'invalid_request_error' },
      });
    }
  }
  // A model that needs no provider still has no collection to search.
  const created = await lamb.call(person, 'POST', '/lamb/v1/assistants', {
    name: 'bypass',
    metadata: { connector: 'bypass', rag_processor: 'simple_rag' },
    RAG_collections: '1',
  });
  const { id } = Assistant.parse(created.body);
  const reply = await lamb.call(person, 'POST', `/lamb/v1/completions?assistant=${id}`, { messages });
  expect(reply.body).toMatchObject({
    lamb: { problems: [{ tool: 'simple_rag', message: expect.stringContaining('There is no collection 1') }] },
  });
  expect(lamb.llm.requests).toEqual([]);
  expect(lamb.kb.requests).toEqual([]);
  vi.unstubAllEnvs();
});
