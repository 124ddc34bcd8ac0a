import { AppError, type RunEvent } from '@lamb/contract';
import { describe, expect, it } from 'vitest';
import { collectRun } from './collect-run.ts';
import { createEventSequence, type EventBody } from './event-sequence.ts';

const number = createEventSequence('run-9', () => 0);

// eslint-disable-next-line @typescript-eslint/require-await -- events come asynchronously even when they are all there
async function* tell(...bodies: readonly EventBody[]): AsyncGenerator<RunEvent> {
  for (const body of bodies) yield number('model:1', 1, body);
}

const started: EventBody = { type: 'run.started', assistant_id: 7, model: 'm' };
const finished: EventBody = { type: 'run.finished', finish_reason: 'length' };
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, estimated: false };
const ref = { tool: 'simple_rag', placeholder: 'context' };

describe('collectRun', () => {
  it('makes one value of a turn', async () => {
    const first = { ...ref, title: 'a.pdf', similarity: 0.9 };
    const second = { ...ref, title: 'b.pdf' };
    const problem = { code: 'timeout' as const, message: 'It took longer than 5 ms.' };
    const run = await collectRun(
      tell(
        started,
        { type: 'status', text: 'querying knowledge base 12', tool: 'simple_rag' },
        { type: 'tool.started', ...ref },
        { type: 'tool.finished', ...ref, ok: true, milliseconds: 1, chars: 9 },
        {
          type: 'tool.finished',
          tool: 'rubric_rag',
          placeholder: 'rubric',
          ok: false,
          milliseconds: 5,
          chars: 0,
          problem,
        },
        { type: 'source', source: first },
        { type: 'source', source: second },
        { type: 'prompt.rendered', messages: 2, chars: 40 },
        { type: 'reasoning.delta', text: 'Hm' },
        { type: 'text.delta', text: 'Be' },
        { type: 'reasoning.delta', text: '.' },
        { type: 'text.delta', text: 'cause' },
        { type: 'usage', usage },
        finished,
      ),
    );
    expect(run).toEqual({
      runId: 'run-9',
      text: 'Because',
      reasoning: 'Hm.',
      sources: [first, second],
      problems: [{ ...problem, tool: 'rubric_rag', placeholder: 'rubric' }],
      usage,
      finishReason: 'length',
    });
  });

  it('forgets what an interrupted attempt at a step had said, found and lacked, and nothing else', async () => {
    const problem = { code: 'failed' as const, message: 'No.' };
    const failed: EventBody = { type: 'tool.finished', ...ref, ok: false, milliseconds: 1, chars: 0, problem };
    const found = (title: string): EventBody => ({ type: 'source', source: { ...ref, title } });
    const said: readonly (readonly [step: string, body: EventBody])[] = [
      ['context', started],
      ['context', found('kept')],
      ['context', failed],
      ['call:a', found('lost')],
      ['call:a', failed],
      ['call:a', { type: 'step.restarted' }],
      ['call:a', found('found again')],
      ['model:2', { type: 'reasoning.delta', text: 'Hm' }],
      ['model:2', { type: 'text.delta', text: 'Be' }],
      ['model:2', { type: 'step.restarted' }],
      ['model:2', { type: 'reasoning.delta', text: 'Hm.' }],
      ['model:2', { type: 'text.delta', text: 'Because' }],
      ['model:2', finished],
    ];
    // eslint-disable-next-line @typescript-eslint/require-await -- events come asynchronously even when they are all there
    async function* events() {
      for (const [step, body] of said) yield number(step, 1, body);
    }
    const run = await collectRun(events());
    expect(run).toMatchObject({ text: 'Because', reasoning: 'Hm.', problems: [{ message: 'No.' }] });
    expect(run.sources.map(({ title }) => title)).toEqual(['kept', 'found again']);
  });

  it('says that nothing was counted when no usage came', async () => {
    expect((await collectRun(tell(started, finished))).usage).toEqual({
      prompt_tokens: 0,
      completion_tokens: 0,
      total_tokens: 0,
      estimated: true,
    });
  });

  it('throws a failed turn as the error that its event names', async () => {
    const details = { retry_after: 3 };
    const failed = collectRun(
      tell(
        started,
        { type: 'text.delta', text: 'So' },
        { type: 'run.failed', code: 'provider_rate_limited', message: 'Slow down.', details },
      ),
    );
    await expect(failed).rejects.toBeInstanceOf(AppError);
    await expect(failed).rejects.toMatchObject({ code: 'provider_rate_limited', message: 'Slow down.', details });
  });

  it('throws a cancelled turn as the client’s going away', async () => {
    await expect(collectRun(tell(started, { type: 'run.cancelled' }))).rejects.toMatchObject({
      code: 'client_closed_request',
    });
  });

  it('does not pass off a turn without an end as an answer', async () => {
    await expect(collectRun(tell(started, { type: 'text.delta', text: 'So' }))).rejects.toMatchObject({
      code: 'internal_error',
    });
  });

  it('ends the turn when it throws', async () => {
    let ended = false;
    async function* failing(): AsyncGenerator<RunEvent> {
      try {
        yield* tell(started, { type: 'run.cancelled' }, finished);
      } finally {
        ended = true;
      }
    }
    await expect(collectRun(failing())).rejects.toThrow();
    expect(ended).toBe(true);
  });
});
