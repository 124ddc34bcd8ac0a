import { numberTokens } from '@lamb/testing';
import OpenAI, { APIError, AuthenticationError, InternalServerError, NotFoundError, RateLimitError } from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';
import { createAssistant } from './__fixtures__/create-assistant.ts';
import { createTutors, type Tutors } from './__fixtures__/create-tutors.ts';

let lamb: TestServer;
let tutors: Tutors;

beforeAll(async () => {
  lamb = await startTestServer();
  tutors = await createTutors(lamb);
});
afterAll(async () => lamb.stop());
beforeEach(() => lamb.llm.reset());

const connect = (person: Pick<Person, 'key'> = lamb.north.student) =>
  new OpenAI({ baseURL: `${lamb.url}/v1`, apiKey: person.key });
const question = [{ role: 'user' as const, content: 'What does a force do?' }];

/** Without the client's own retries, so that each error is seen. */
const impatient = (person?: Person) => connect(person).withOptions({ maxRetries: 0 });
const ask = (model = tutors.draft.model, person = lamb.north.teacher) =>
  impatient(person).chat.completions.create({ model, messages: question });
const thrownBy = async (asking: PromiseLike<unknown>): Promise<unknown> =>
  await Promise.resolve(asking).then(
    () => undefined,
    (error: unknown) => error,
  );

test.each(['lamb_assistant.999999', 'LAMB:No such thing', 'gpt-4o'])('no such model: %s', async (model) => {
  const error = await thrownBy(ask(model));
  expect(error).toBeInstanceOf(NotFoundError);
  expect(error).toMatchObject({
    code: 'model_not_found',
    param: 'model',
    type: 'invalid_request_error',
    message: `404 There is no model “${model}” for this credential. \`GET /v1/models\` lists the models this credential can use.`,
  });
});

test('somebody else’s assistant is no such model either', async () => {
  for (const person of [lamb.north.student, lamb.south.teacher]) {
    for (const model of [tutors.draft.model, 'LAMB:Draft']) {
      expect(await thrownBy(ask(model, person))).toMatchObject({ status: 404, code: 'model_not_found' });
    }
  }
  expect(lamb.llm.requests).toEqual([]);
});

test('a key that nobody made', async () => {
  const error = await thrownBy(ask(tutors.draft.model, { ...lamb.north.teacher, key: 'sk-made-up' }));
  expect(error).toBeInstanceOf(AuthenticationError);
  expect(error).toMatchObject({
    code: 'unauthenticated',
    message:
      '401 This API key is not known, or no longer valid. Sign in, or send an API key as `Authorization: Bearer <key>`.',
  });
});

test('a request that makes no sense names the field', async () => {
  const error = await thrownBy(
    impatient(lamb.north.teacher).chat.completions.create({ model: tutors.draft.model, messages: [], temperature: 7 }),
  );
  expect(error).toMatchObject({ status: 400, code: 'invalid_request', param: 'messages' });
  expect(String(error)).toContain('“messages”: Send at least one message');
  expect((error as APIError).error).toMatchObject({
    details: { in: 'body', problems: [{ path: 'messages' }, { path: 'temperature' }] },
  });
});

test('the provider refuses the organisation’s key: said once, and not retried by the client', async () => {
  lamb.llm.script({ faults: { status: 401 }, times: 'always' });
  const error = await thrownBy(
    connect(lamb.north.teacher).chat.completions.create({ model: tutors.draft.model, messages: question }),
  );
  expect(error).toBeInstanceOf(InternalServerError);
  expect(error).toMatchObject({ status: 502, code: 'provider_credentials_rejected', type: 'api_error' });
  expect(String(error)).toContain('An administrator of the organisation checks the provider’s key.');
  expect(lamb.llm.requests).toHaveLength(1);
});

test('the provider rejects a parameter: its words arrive', async () => {
  lamb.llm.script({ faults: { status: 400, error: { message: 'max_tokens is too large: 10000000.' } } });
  const error = await thrownBy(ask());
  expect(error).toMatchObject({ status: 502, code: 'provider_rejected' });
  expect(String(error)).toContain('max_tokens is too large: 10000000.');
});

test('the provider limits requests', async () => {
  lamb.llm.script({ faults: { status: 429, retryAfterSeconds: 7 } });
  const error = await thrownBy(ask());
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error).toMatchObject({ code: 'provider_rate_limited', type: 'rate_limit_error' });
  expect((error as APIError).headers?.get('retry-after')).toBe('7');
});

test('the provider limits requests for a moment: the client’s own retry gets the answer', async () => {
  lamb.llm.script({ faults: { status: 429, retryAfterSeconds: 0 } }, { text: 'Now.' });
  const reply = await connect(lamb.north.teacher).chat.completions.create({
    model: tutors.draft.model,
    messages: question,
  });
  expect(reply.choices[0]?.message.content).toBe('Now.');
});

test('the provider fails', async () => {
  lamb.llm.script({ faults: { status: 500 }, times: 'always' });
  const error = await thrownBy(ask());
  expect(error).toMatchObject({ status: 502, code: 'provider_unavailable' });
  expect((error as APIError).requestID).toMatch(/^[0-9a-f-]{36}$/);
});

test('the provider breaks off in the middle of a whole reply', async () => {
  lamb.llm.script({ tokens: 10, faults: { cutAfterChunks: 4 } });
  expect(await thrownBy(ask())).toMatchObject({ status: 502, code: 'provider_stream_broken' });
});

test('a stream that fails before there is anything to say is a plain error response', async () => {
  lamb.llm.script({ faults: { status: 429, retryAfterSeconds: 3 } });
  const error = await thrownBy(
    impatient(lamb.north.teacher).chat.completions.create({
      model: tutors.draft.model,
      messages: question,
      stream: true,
    }),
  );
  expect(error).toBeInstanceOf(RateLimitError);
  expect((error as APIError).headers?.get('retry-after')).toBe('3');
});

test.each([
  ['is cut', { cutAfterChunks: 4 }, {}],
  [
    'reports an error',
    { errorAfterChunks: 4, error: { message: 'The engine overheated.' } },
    { details: { provider_message: 'The engine overheated.' } },
  ],
  ['sends broken JSON', { brokenJsonAtChunk: 5 }, {}],
])('a stream that %s: the text before it arrived, then the error', async (_what, faults, says) => {
  lamb.llm.script({ tokens: 10, intervalMs: 5, faults });
  const stream = await impatient().chat.completions.create({
    model: tutors.physics.model,
    messages: question,
    stream: true,
  });
  let text = '';
  const read = async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  };
  const error = await thrownBy(read());
  expect(text).toBe(numberTokens(4));
  expect(error).toBeInstanceOf(APIError);
  expect(error).toMatchObject({ code: 'provider_stream_broken', type: 'api_error' });
  expect(String(error)).toContain('What arrived is kept; ask again for a complete answer.');
  expect((error as APIError).error).toMatchObject(says);
});

test('an assistant whose provider is not set up says who can help', async () => {
  const { admin, teacher } = lamb.south;
  const orphan = await createAssistant(lamb, teacher, { name: 'Orphan' });
  await lamb.call(admin, 'PUT', '/lamb/v1/organizations/current/config', { setups: {} });
  const error = await thrownBy(ask(orphan.model, teacher));
  expect(error).toMatchObject({ status: 422, code: 'provider_not_configured' });
  expect(String(error)).toContain('An administrator of the organisation adds a provider');
});
