import { withTenant } from '@lamb/store';
import { startKbServer, type KbServer, type LlmFaults } from '@lamb/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestServer, testOrganizationConfig, type TestServer } from '../test-server/start-test-server.ts';
import { createAssistant } from './__fixtures__/create-assistant.ts';
import { createRubric } from './__fixtures__/create-rubric.ts';
import { startLoggedApp, type LoggedApp } from './__fixtures__/start-logged-app.ts';
import { streamCompletion, type Chunk } from './__fixtures__/stream-completion.ts';
import { uploadFile } from './__fixtures__/upload-file.ts';

/** What must stay where it belongs. Each occurs in one place only. */
const canaries = {
  providerKey: 'sk-canary-provider-key',
  kbToken: 'canary-kb-token',
  systemPrompt: 'canary-system-prompt',
  template: 'canary-template',
  document: 'canary-document',
  rubric: 'canary-rubric',
  brokenRubric: 'canary-broken-rubric',
  file: 'canary-file',
  question: 'canary-question',
  history: 'canary-history',
};

let lamb: TestServer;
let kb: KbServer;
let door: LoggedApp;
let marker: { id: number; model: string };
let brokenRubricId: string;

/** Everything that somebody other than the model gets to see, with where it was seen. */
const seen: { where: string; text: string }[] = [];
const runIds = new Set<string>();

beforeAll(async () => {
  kb = await startKbServer({ token: canaries.kbToken });
  lamb = await startTestServer({ LAMB_OUTBOUND_ALLOW: new URL(kb.url).host });
  door = await startLoggedApp(lamb);
  await configure(canaries.providerKey, canaries.kbToken);
  const { teacher } = lamb.north;
  const collection = String(
    kb.addCollection('notes', [
      { text: `${canaries.document} about ${canaries.question}`, metadata: { filename: 'notes.pdf' } },
    ]),
  );
  const { id: rubricId } = await createRubric(lamb, teacher, 'Essays', canaries.rubric);
  brokenRubricId = (await createRubric(lamb, teacher, 'Broken', canaries.brokenRubric)).id;
  await withTenant(lamb.services.db, lamb.north.id, async (tx) => {
    const data = JSON.stringify({ title: canaries.brokenRubric, criteria: canaries.brokenRubric });
    await tx.updateTable('lamb.rubrics').set({ data }).where('rubric_id', '=', brokenRubricId).execute();
  });
  await uploadFile(lamb, teacher, 'notes.md', `${canaries.file} text`);
  await uploadFile(lamb, teacher, 'picture.bin', new Uint8Array([0, ...Buffer.from(canaries.file)]));
  marker = await createAssistant(lamb, teacher, {
    name: 'Marker',
    system_prompt: canaries.systemPrompt,
    prompt_template: `${canaries.template} {context}{rubric}{file}{broken}{picture}{user_input}`,
    metadata: { verbose: true },
    tools: [
      { type: 'simple_rag', timeout_ms: 1000, config: { collections: [collection], query: '{rubric} {user_input}' } },
      { type: 'rubric_rag', config: { rubric_id: rubricId } },
      { type: 'rubric_rag', placeholder: 'broken', config: { rubric_id: brokenRubricId } },
      { type: 'single_file_rag', config: { file_path: 'notes.md' } },
      { type: 'single_file_rag', placeholder: 'picture', config: { file_path: 'picture.bin' } },
    ],
    published: true,
  });
});
afterAll(async () => {
  await door.close();
  await lamb.stop();
  await kb.stop();
});

async function configure(apiKey: string, kbToken: string): Promise<void> {
  const config = testOrganizationConfig(lamb.llm, { ...kb, token: kbToken });
  const openai = { base_url: `${lamb.llm.url}/v1`, api_key: apiKey, models: [], enabled: true };
  const setups = { default: { ...config.setups['default'], providers: { openai } } };
  const stored = await lamb.call(lamb.north.admin, 'PUT', '/lamb/v1/organizations/current/config', {
    ...config,
    setups,
  });
  expect(stored.status).toBe(200);
  seen.push({ where: 'configuration', text: stored.text });
}

const messages = [
  { role: 'user', content: canaries.history },
  { role: 'assistant', content: canaries.history },
  { role: 'user', content: canaries.question },
];

/** Asks in a way, and keeps all that came back but the model's own words. */
async function ask(where: string, more: Record<string, unknown> = {}): Promise<void> {
  const streamed = await streamCompletion(door, lamb.north.student, { model: marker.model, messages, ...more });
  if (streamed.chunks.length === 0) seen.push({ where, text: streamed.raw });
  for (const chunk of streamed.chunks) {
    seen.push({ where, text: JSON.stringify(withoutAnswer(chunk)) });
    if (chunk.lamb) runIds.add(chunk.lamb.run_id);
  }
  const whole = await lamb.call(lamb.north.student, 'POST', `${door.url}/lamb/v1/completions?assistant=${marker.id}`, {
    messages,
    ...more,
  });
  const reply = whole.body as { choices?: { message: { content?: string } }[] };
  for (const { message } of reply.choices ?? []) delete message.content;
  seen.push({ where: `${where}, whole`, text: JSON.stringify(reply) });
}

function withoutAnswer(chunk: Chunk): unknown {
  const [choice] = chunk.choices ?? [];
  return { ...chunk, choices: [{ ...choice, delta: { ...choice?.delta, content: '' } }] };
}

test('secrets, prompts and documents stay where they belong, whatever goes wrong', async () => {
  const { llm } = lamb;
  // The model repeats everything it was told: that is an answer, and belongs to the person who asked.
  llm.script((request) => ({ text: JSON.stringify(request.body) }));
  await ask('all is well');
  await ask('statuses as reasoning', { lamb: { status: 'reasoning' } });

  // The canaries went where they should: to the model, and to the knowledge base.
  const prompt = JSON.stringify(llm.requests.at(-1)?.body);
  const { systemPrompt, template, document, rubric, file, question, history } = canaries;
  for (const canary of [systemPrompt, template, document, rubric, file, question, history]) {
    expect(prompt).toContain(canary);
  }
  expect(llm.requests.at(-1)?.headers.authorization).toBe(`Bearer ${canaries.providerKey}`);
  expect(kb.requests.at(-1)?.headers.authorization).toBe(`Bearer ${canaries.kbToken}`);

  kb.fail({ status: 500, times: 4 });
  await ask('knowledge base fails');
  kb.fail({ garbage: true, times: 2 });
  await ask('knowledge base talks nonsense');
  kb.fail({ hang: true, times: 2 });
  await ask('knowledge base hangs');
  await configure(canaries.providerKey, `${canaries.kbToken}-that-is-wrong`);
  await ask('knowledge base refuses its token');
  await configure(canaries.providerKey, canaries.kbToken);

  // A provider that repeats the key it was given, as some do.
  const error = { message: `Bad request with Bearer ${canaries.providerKey}.` };
  const faults: LlmFaults[] = [
    { status: 400, error },
    { status: 401, error },
    { status: 429, error },
    { errorAfterChunks: 0, error },
    { errorAfterChunks: 3, error },
    { cutAfterChunks: 3 },
    { brokenJsonAtChunk: 2 },
    // The last: after it the provider is left alone for a while.
    { status: 500, error },
  ];
  for (const fault of faults) {
    llm.reset();
    llm.script({ tokens: 5, faults: fault, times: 'always' });
    await ask(`provider: ${JSON.stringify(fault).replaceAll(canaries.providerKey, '…')}`);
  }

  await ask('a parameter that is none', { temperature: canaries.question });
  await ask('a message that is none', { messages: [{ role: 'user', content: { text: canaries.question } }] });
  await ask('a role that is none', { messages: [{ role: canaries.question, content: 'x' }] });

  for (const runId of runIds) {
    const trace = await vi.waitFor(
      async () => {
        const reply = await lamb.call(lamb.north.teacher, 'GET', `/lamb/v1/runs/${runId}/trace`);
        expect(reply.status).toBe(200);
        return reply.text;
      },
      { timeout: 10_000 },
    );
    seen.push({ where: 'trace', text: trace });
  }
  const stored = await withTenant(lamb.services.db, lamb.north.id, (tx) =>
    tx.selectFrom('lamb.run_traces').select('trace').execute(),
  );
  for (const { trace } of stored) seen.push({ where: 'stored trace', text: JSON.stringify(trace) });
  seen.push({ where: 'metrics', text: await (await fetch(`${door.url}/metrics`)).text() });
  for (const line of door.lines) seen.push({ where: 'log', text: line });

  // What was looked through is all there.
  const count = (where: string) => seen.filter((item) => item.where === where).length;
  expect(count('trace')).toBeGreaterThanOrEqual(10);
  expect(count('stored trace')).toBeGreaterThanOrEqual(count('trace'));
  expect(count('log')).toBeGreaterThan(40);
  expect(door.lines.join('')).toContain('ZodError');
  expect(seen.filter(({ text }) => text.includes('"provider_stream_broken"')).length).toBeGreaterThanOrEqual(4);
  for (const [name, canary] of Object.entries(canaries)) {
    expect(
      seen.filter(({ text }) => text.includes(canary)),
      name,
    ).toEqual([]);
  }
});
