import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makePng } from './make-png.ts';
import { startLlmServer, type LlmServer } from './start-llm-server.ts';

let server: LlmServer;

beforeAll(async () => {
  server = await startLlmServer({ key: 'goog' });
});
beforeEach(() => {
  server.reset();
});
afterAll(() => server.stop());

const png = { inlineData: { mimeType: 'image/png', data: makePng(0).toString('base64') } };

test('answers with an image, with text, or with both', async () => {
  expect(await generate()).toMatchObject({
    candidates: [{ content: { parts: [png], role: 'model' }, finishReason: 'STOP' }],
    modelVersion: 'gemini-2.5-flash-image',
  });
  server.script({ text: 'I cannot draw that.', finishReason: 'content_filter' }, { text: 'Here it is.', images: 1 });
  expect(await generate()).toMatchObject({
    candidates: [{ content: { parts: [{ text: 'I cannot draw that.' }] }, finishReason: 'SAFETY' }],
  });
  expect(await generate()).toMatchObject({ candidates: [{ content: { parts: [{ text: 'Here it is.' }, png] } }] });
});

test('a wrong key and an error have the provider’s shape', async () => {
  expect(await generate('wrong')).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } });
  server.script({ faults: { status: 429 } });
  expect(await generate()).toMatchObject({ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } });
});

async function generate(key = 'goog'): Promise<unknown> {
  const response = await fetch(`${server.url}/v1beta/models/gemini-2.5-flash-image:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ contents: [{ parts: [{ text: 'a lamb' }] }] }),
  });
  return await response.json();
}
