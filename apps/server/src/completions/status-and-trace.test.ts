import type { RunTrace } from '@lamb/contract';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestServer, type Person, type TestServer } from '../test-server/start-test-server.ts';
import { createAssistant } from './__fixtures__/create-assistant.ts';
import { createRubric } from './__fixtures__/create-rubric.ts';
import { streamCompletion } from './__fixtures__/stream-completion.ts';
import { uploadFile } from './__fixtures__/upload-file.ts';

const SYSTEM_PROMPT = 'You mark essays, fairly.';
const QUESTION = 'Grade my essay on force, please.';

let lamb: TestServer;
let collection: string;
let rubricId: string;
let marker: { id: number; model: string };

beforeAll(async () => {
  lamb = await startTestServer();
  const { teacher } = lamb.north;
  collection = String(
    lamb.kb.addCollection('notes', [
      { text: 'A force changes motion.', metadata: { filename: 'a.pdf' } },
      { text: 'No force, no change — “inertia”.', metadata: { filename: 'b.pdf' } },
    ]),
  );
  rubricId = (await createRubric(lamb, teacher, 'Essays')).id;
  await uploadFile(lamb, teacher, 'course/week-1.md', 'Week 1: forces. ✅');
  marker = await createAssistant(lamb, teacher, {
    name: 'Marker',
    system_prompt: SYSTEM_PROMPT,
    prompt_template: 'Notes:{context}Rubric:{rubric}File:{file}Nothing:{nothing}Again:{user_input}/{user_input}',
    metadata: { verbose: true },
    tools: [
      { type: 'simple_rag', config: { collections: [collection], top_k: 2, query: 'force {user_input}' } },
      { type: 'rubric_rag', config: { rubric_id: rubricId } },
      { type: 'single_file_rag', config: { file_path: 'course/week-1.md' } },
      { type: 'no_rag', placeholder: 'nothing' },
    ],
    published: true,
  });
});
afterAll(async () => lamb.stop());
beforeEach(() => lamb.llm.reset());

const ask = (model = marker.model, person: Person = lamb.north.student) =>
  streamCompletion(lamb, person, {
    model,
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hello!' },
      { role: 'user', content: QUESTION },
    ],
  });

test('every status text is said, in order, before the first token', async () => {
  const { chunks } = await ask();
  const said = chunks.flatMap((chunk) => {
    if (chunk.lamb?.type === 'status') return [chunk.lamb.text];
    return chunk.choices?.[0]?.delta.content ? ['(token)'] : [];
  });
  expect(said.slice(0, 4)).toEqual([
    `querying knowledge base ${collection}`,
    `generating rubric ${rubricId}`,
    'reading file course/week-1.md',
    'calling no_rag',
  ]);
  // These run at the same time, so which is done first is theirs to decide.
  expect(said.slice(4, 8).sort()).toEqual([
    'no_rag completed',
    'rubric_rag completed',
    'simple_rag completed',
    'single_file_rag completed',
  ]);
  expect(said.slice(8, 10)).toEqual(['merging tool outputs', '(token)']);
  expect(said.slice(10).every((text) => text === '(token)')).toBe(true);
});

describe('the trace of a verbose assistant', () => {
  /** It is written down beside the answer, so it may come a moment later. */
  const readTrace = async (person: Person, runId: string): Promise<RunTrace> =>
    await vi.waitFor(
      async () => {
        const reply = await lamb.call(person, 'GET', `/lamb/v1/runs/${runId}/trace`);
        expect(reply.status).toBe(200);
        return reply.body as RunTrace;
      },
      { timeout: 10_000, interval: 50 },
    );
  const runOf = async (model = marker.model, person: Person = lamb.north.student): Promise<string> =>
    (await ask(model, person)).events[0]?.run_id ?? '';

  test('its spans cover the prompt without gaps, and say which part came from where, with right token counts', async () => {
    const trace = await readTrace(lamb.north.teacher, await runOf());
    const { messages } = lamb.llm.requests.at(-1)?.body as { messages: { role: string; content: string }[] };
    const told = trace.prompt.map((span) => ({
      ...span,
      text: messages[span.message]?.content.slice(span.start, span.start + span.chars) ?? '',
    }));

    for (const [index, { role, content }] of messages.entries()) {
      const ofMessage = told.filter((span) => span.message === index);
      expect(ofMessage.map(({ text }) => text).join('')).toBe(content);
      expect(new Set(ofMessage.map((span) => span.role))).toEqual(new Set([role]));
    }
    for (const { text, tokens } of told) expect(tokens).toBe(countTokens(text));
    expect(trace.prompt_tokens).toBe(told.reduce((sum, { tokens }) => sum + tokens, 0));

    const origins = told.map(({ origin, tool, placeholder, text }) => [origin, tool ?? placeholder ?? '', text]);
    expect(origins).toEqual([
      ['system_prompt', '', SYSTEM_PROMPT],
      ['history', '', 'Hello'],
      ['history', '', 'Hello!'],
      ['template', '', 'Notes:'],
      ['tool', 'simple_rag', expect.stringContaining('A force changes motion.')],
      ['template', '', 'Rubric:'],
      ['tool', 'rubric_rag', expect.stringContaining('Clarity')],
      ['template', '', 'File:'],
      ['tool', 'single_file_rag', '\n\nWeek 1: forces. ✅\n\n'],
      ['template', '', 'Nothing:'],
      ['template', '', 'Again:'],
      ['user_input', 'user_input', `\n\n${QUESTION}\n\n`],
      ['template', '', '/'],
      ['user_input', 'user_input', `\n\n${QUESTION}\n\n`],
    ]);
  });

  test('it says for each tool what it was given as written, how much came back and how long it took', async () => {
    const runId = await runOf();
    const trace = await readTrace(lamb.north.teacher, runId);
    expect(trace).toMatchObject({ run_id: runId, assistant_id: marker.id, connector: 'openai', model: 'gpt-4o-mini' });
    const milliseconds = expect.any(Number);
    const cost = { tokens: expect.any(Number), cost_micros: 0, truncated: false };
    expect(trace.tools).toEqual([
      {
        tool: 'simple_rag',
        placeholder: 'context',
        level: 0,
        input: { collections: [collection], top_k: 2, query: 'force {user_input}' },
        output_chars: 'A force changes motion.\n\nNo force, no change — “inertia”.'.length,
        sources: 2,
        milliseconds,
        ...cost,
      },
      {
        tool: 'rubric_rag',
        placeholder: 'rubric',
        level: 0,
        input: { rubric_id: rubricId },
        output_chars: expect.any(Number),
        sources: 1,
        milliseconds,
        ...cost,
      },
      {
        tool: 'single_file_rag',
        placeholder: 'file',
        level: 0,
        input: { file_path: 'course/week-1.md' },
        output_chars: 'Week 1: forces. ✅'.length,
        sources: 1,
        milliseconds,
        ...cost,
      },
      {
        tool: 'no_rag',
        placeholder: 'nothing',
        level: 0,
        input: {},
        output_chars: 0,
        sources: 0,
        milliseconds,
        ...cost,
      },
    ]);
  });

  test('its owner and the organisation’s administrators read it, and nobody else', async () => {
    const { admin, teacher, colleague, student } = lamb.north;
    const runId = await runOf();
    await readTrace(teacher, runId);
    await readTrace(admin, runId);
    const statusFor = async (person: Person, id = runId) =>
      (await lamb.call(person, 'GET', `/lamb/v1/runs/${id}/trace`)).status;

    // The student whose run it is may not; a colleague may use the assistant, but not edit it.
    expect(await statusFor(student)).toBe(403);
    expect(await statusFor(colleague)).toBe(403);
    expect(await statusFor(lamb.south.admin)).toBe(404);
    expect(await statusFor(lamb.south.teacher)).toBe(404);
    expect(await statusFor(teacher, '00000000-0000-4000-8000-000000000000')).toBe(404);
    expect(await statusFor(teacher, 'nonsense')).toBe(404);
    expect(await statusFor({ ...teacher, key: 'nobody' })).toBe(401);
  });

  test('of an assistant that a colleague cannot see, there is nothing for them', async () => {
    const own = await createAssistant(lamb, lamb.north.teacher, { name: 'Own', metadata: { verbose: true } });
    const runId = await runOf(own.model, lamb.north.teacher);
    // Without tools nothing is said before the first token, but the run has its id.
    expect(runId).not.toBe('');
    await readTrace(lamb.north.teacher, runId);
    const foreign = await lamb.call(lamb.north.colleague, 'GET', `/lamb/v1/runs/${runId}/trace`);
    const missing = await lamb.call(lamb.north.colleague, 'GET', `/lamb/v1/runs/${crypto.randomUUID()}/trace`);
    expect(foreign.status).toBe(404);
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' });
  });

  test('an assistant that is not verbose leaves none', async () => {
    const quiet = await createAssistant(lamb, lamb.north.teacher, { name: 'Quiet' });
    const runId = await runOf(quiet.model, lamb.north.teacher);
    // A verbose run after it: when its trace is there, the quiet one's would be too.
    await readTrace(lamb.north.teacher, await runOf());
    expect((await lamb.call(lamb.north.teacher, 'GET', `/lamb/v1/runs/${runId}/trace`)).status).toBe(404);
  });
});
