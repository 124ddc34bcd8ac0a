import { AppError, ErrorCode, type AttributedSource, type ChatMessage } from '@lamb/contract';
import { callModel, type ModelAnswer } from './call-model.ts';
import { checkCitations } from './check-citations.ts';
import { finishApprovedCall, startToolCall, type CallResult } from './execute-tool-call.ts';
import type { EventBody } from './event-sequence.ts';
import { numberResult } from './number-result.ts';
import type { Plan } from './plan.ts';
import { preparePrompt, type PreparedPrompt } from './prepare-prompt.ts';
import { createCallGuard } from './stop-conditions.ts';
import { TurnDeadlinePassed } from './turn-deadline-passed.ts';
import type { ExecutionPorts, TurnRequest } from './turn-ports.ts';

/** How a turn ended, and what the model said in it. */
export interface TurnEnd {
  readonly status: 'finished' | 'failed' | 'cancelled';
  readonly text: string;
}

/**
 * Executes one turn as a series of steps: the context, each answer of the model, each call. It ends with `run.finished`,
 * `run.failed` or `run.cancelled` and throws only what the step runner itself throws.
 */
export async function executeTurn(plan: Plan, request: TurnRequest, ports: ExecutionPorts): Promise<TurnEnd> {
  try {
    return { status: 'finished', text: await converse(plan, request, ports) };
  } catch (error) {
    const end = toEnd(error, plan, ports);
    await ports.step('end', ({ emit }) => {
      emit(end);
      return Promise.resolve(null);
    });
    return { status: end.type === 'run.cancelled' ? 'cancelled' : 'failed', text: '' };
  }
}

/** Returns all that was said. */
async function converse(plan: Plan, request: TurnRequest, ports: ExecutionPorts): Promise<string> {
  const prepared = await ports.step('context', async (scope): Promise<PreparedPrompt> => {
    scope.emit({ type: 'run.started', assistant_id: plan.assistantId, model: ports.model.model });
    return await preparePrompt(plan, request, ports, scope);
  });
  let talk: Talk = {
    text: '',
    ...('messages' in prepared ? prepared : { messages: prepared, lastNumber: undefined }),
    sources: [],
  };
  const guard = createCallGuard(plan.limits);
  for (let iteration = 1; ; iteration += 1) {
    const answer = await askModel(plan, request, ports, talk, iteration);
    const text = talk.text + answer.text;
    if (answer.calls.length === 0) return text;
    // The guard counts in call order, before anything runs.
    const guarded = answer.calls.map((call) => ({ call, refusal: guard(call) }));
    const started = await allDone(guarded.map(({ call, refusal }) => startToolCall(plan, call, refusal, ports)));
    const results: CallResult[] = [];
    // One after the other, in call order: where runs are durable, steps must come in the same order every time.
    for (const [index, call] of answer.calls.entries()) {
      results.push(started[index] ?? (await finishApprovedCall(plan, call, ports)));
    }
    talk = { ...hearResults(talk, answer, results), text };
  }
}

/** How far a turn has come: all of it follows from the results of steps. */
interface Talk {
  readonly messages: readonly ChatMessage[];
  /** All that the model has said. */
  readonly text: string;
  /** The last number of a passage; undefined as long as nobody cites. */
  readonly lastNumber: number | undefined;
  /** What was numbered since the model last spoke, and is still to be told. */
  readonly sources: readonly AttributedSource[];
}

async function askModel(
  plan: Plan,
  request: TurnRequest,
  ports: ExecutionPorts,
  { messages, text, lastNumber, sources }: Talk,
  iteration: number,
): Promise<ModelAnswer> {
  const specs = plan.functions.map(({ spec }) => spec);
  const tools = specs.length > 0 && iteration <= plan.limits.maxIterations ? specs : undefined;
  const step = `model:${String(iteration)}`;
  return await ports.step(step, async (scope) => {
    for (const source of sources) scope.emit({ type: 'source', source });
    const callPrefix = `call_${String(iteration)}`;
    const spoken = await callModel({ messages, tools, step, callPrefix }, request, ports, scope);
    for (const {
      id,
      function: { name },
    } of spoken.calls) {
      const tool = plan.functions.find(({ spec }) => spec.name === name)?.type ?? null;
      scope.emit({ type: 'call.requested', call_id: id, name, tool });
    }
    if (spoken.calls.length === 0) {
      const citations = lastNumber === undefined ? undefined : checkCitations(text + spoken.text, lastNumber);
      scope.emit({ type: 'run.finished', finish_reason: spoken.finishReason, ...(citations && { citations }) });
    }
    return spoken;
  });
}

/** Adds the model's calls and their results, numbered in call order. */
function hearResults(talk: Talk, { text, calls }: ModelAnswer, results: readonly CallResult[]): Omit<Talk, 'text'> {
  const messages: ChatMessage[] = [...talk.messages, { role: 'assistant', content: text, tool_calls: [...calls] }];
  const sources: AttributedSource[] = [];
  let { lastNumber } = talk;
  for (const [index, { id }] of calls.entries()) {
    const result = results[index] ?? '';
    const numbered = numberResult(typeof result === 'string' ? { content: result, sources: [] } : result, lastNumber);
    lastNumber = numbered.lastNumber;
    sources.push(...numbered.sources);
    messages.push({ role: 'tool', tool_call_id: id, content: numbered.content });
  }
  return { messages, lastNumber, sources };
}

/** Waits for all, also when one fails: nothing may happen after the end of a turn. */
async function allDone<Result>(works: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(works);
  return await Promise.all(works);
}

function toEnd(error: unknown, plan: Plan, ports: ExecutionPorts): EventBody {
  const outOfTime = ports.signal.reason instanceof TurnDeadlinePassed;
  // What an aborted connector throws says nothing; why it was aborted does.
  if (ports.signal.aborted && !outOfTime) return { type: 'run.cancelled' };
  const known = outOfTime ? new AppError('deadline_exceeded') : asAppError(error);
  if (known) {
    return { type: 'run.failed', code: known.code, message: known.message, details: known.details };
  }
  ports.reportError(error, plan.connector);
  const { code, message } = new AppError('internal_error');
  return { type: 'run.failed', code, message };
}

/** A step's error that comes from a journal is no longer of its class. */
function asAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (!(error instanceof Error) || error.name !== 'AppError' || !('code' in error)) return undefined;
  const code = ErrorCode.safeParse(error.code);
  return code.success ? new AppError(code.data, { message: error.message, cause: error }) : undefined;
}
