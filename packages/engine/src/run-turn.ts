import {
  AppError,
  messageText,
  type ChatMessage,
  type EndUser,
  type RunEvent,
  type RunTrace,
  type Sampling,
  type Usage,
} from '@lamb/contract';
import type { Connector, ModelEvent, ProviderSettings, ShapeQueryInput, ToolHost } from '@lamb/plugin-kit';
import { buildTrace } from './build-trace.ts';
import { createAbortRace } from './create-abort-race.ts';
import { estimateUsage } from './estimate-usage.ts';
import { createEventSequence, type EventBody } from './event-sequence.ts';
import { gatherContext, type GatheredTool } from './gather-context.ts';
import type { Plan } from './plan.ts';
import { renderPrompt, type RenderedPrompt } from './render-prompt.ts';
import { withDeadline } from './with-deadline.ts';

/** What the person sent. */
export interface TurnRequest {
  readonly messages: readonly ChatMessage[];
  readonly sampling: Sampling;
}

/** The model a turn talks to, resolved from the organisation's setup. */
export interface OpenModel {
  readonly connector: Connector;
  readonly model: string;
  readonly settings: ProviderSettings;
}

/** All that the engine needs from outside. */
export interface TurnPorts {
  readonly runId: string;
  readonly endUser: EndUser;
  readonly host: ToolHost;
  readonly model: OpenModel;
  readonly askSmallModel: ShapeQueryInput['askSmallModel'];
  readonly countTokens: (texts: readonly string[]) => Promise<readonly number[]>;
  readonly recordTrace: (trace: RunTrace) => void;
  readonly reportError: (error: unknown, where: string) => void;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

class TurnDeadlinePassed extends Error {}

/** How long a prompt processor may think about the query before tools search with the person's own words. */
const QUERY_TIMEOUT_MS = 10_000;

/**
 * Runs one turn and tells everything that happens as a sequence of events. Ends with `run.finished`, `run.failed` or
 * `run.cancelled`; never throws. When the consumer stops reading, everything upstream is aborted.
 */
export function runTurn(plan: Plan, request: TurnRequest, ports: TurnPorts): AsyncGenerator<RunEvent> {
  const turn = new AbortController();
  const events = tellTurn(plan, request, ports, turn);
  const stop = events.return.bind(events);
  // A generator takes `return` only when it is done waiting for what it waits for; the abort ends that wait.
  events.return = (value) => {
    turn.abort();
    return stop(value);
  };
  return events;
}

async function* tellTurn(
  plan: Plan,
  request: TurnRequest,
  ports: TurnPorts,
  turn: AbortController,
): AsyncGenerator<RunEvent> {
  const number = createEventSequence(ports.runId, ports.now);
  const onCallerGone = () => turn.abort(ports.signal.reason);
  if (ports.signal.aborted) onCallerGone();
  ports.signal.addEventListener('abort', onCallerGone, { once: true });
  const deadline = setTimeout(() => turn.abort(new TurnDeadlinePassed()), plan.deadlineMs);
  try {
    yield number({ type: 'run.started', assistant_id: plan.assistantId, model: ports.model.model });
    const prompt = yield* numbered(prepare(plan, request, ports, turn.signal), number);
    yield* answer(prompt, request, ports, number, turn.signal);
  } catch (error) {
    yield number(toEnd(error, plan, ports, turn.signal));
  } finally {
    clearTimeout(deadline);
    ports.signal.removeEventListener('abort', onCallerGone);
    turn.abort();
  }
}

async function* prepare(
  plan: Plan,
  request: TurnRequest,
  ports: TurnPorts,
  signal: AbortSignal,
): AsyncGenerator<EventBody, readonly ChatMessage[]> {
  const lastUser = request.messages.findLast((message) => message.role === 'user');
  const userInput = lastUser ? messageText(lastUser) : '';
  const { endUser, host, reportError } = ports;
  const processorValues = new Map(Object.entries(plan.processor.values?.({ endUser }) ?? {}));
  const query = plan.levels.length === 0 ? userInput : await shapeQuery(plan, request, ports, userInput, signal);
  const gathered = yield* gatherContext(plan, {
    userInput,
    query,
    messages: request.messages,
    processorValues,
    host,
    reportError,
    signal,
  });
  signal.throwIfAborted();
  const prompt = renderPrompt(plan, request.messages, processorValues, gathered);
  // Nobody waits for the trace: counting its tokens takes a while, and the answer is what matters.
  if (plan.verbose) void recordTrace(plan, gathered, prompt, ports);
  const chars = prompt.spans.reduce((sum, span) => sum + span.chars, 0);
  yield { type: 'prompt.rendered', messages: prompt.messages.length, chars };
  return prompt.messages;
}

async function recordTrace(
  plan: Plan,
  gathered: readonly GatheredTool[],
  prompt: RenderedPrompt,
  ports: TurnPorts,
): Promise<void> {
  const { runId, countTokens, model, reportError } = ports;
  try {
    ports.recordTrace(await buildTrace({ runId, plan, model: model.model, gathered, prompt, countTokens }));
  } catch (error) {
    reportError(error, 'trace');
  }
}

async function shapeQuery(
  plan: Plan,
  { messages }: TurnRequest,
  { askSmallModel, reportError }: TurnPorts,
  userInput: string,
  signal: AbortSignal,
): Promise<string> {
  const { processor } = plan;
  if (!processor.shapeQuery) return userInput;
  try {
    return await withDeadline(
      QUERY_TIMEOUT_MS,
      signal,
      async (ending) => processor.shapeQuery?.({ messages, userInput, askSmallModel, signal: ending }) ?? userInput,
    );
  } catch (error) {
    signal.throwIfAborted();
    reportError(error, processor.name);
    return userInput;
  }
}

async function* answer(
  messages: readonly ChatMessage[],
  { sampling }: TurnRequest,
  { model: { connector, settings, model } }: TurnPorts,
  number: (body: EventBody) => RunEvent,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  let usage: Usage | undefined;
  let finishReason: string | undefined;
  let answerChars = 0;
  const untilAborted = createAbortRace(signal);
  const batches = connector.stream({ settings, model, messages, sampling, signal })[Symbol.asyncIterator]();
  try {
    for (let step = await untilAborted(batches.next()); !step.done; step = await untilAborted(batches.next())) {
      for (const event of mergeText(step.value)) {
        switch (event.type) {
          case 'text':
            answerChars += event.text.length;
            yield number({ type: 'text.delta', text: event.text });
            break;
          case 'reasoning':
            answerChars += event.text.length;
            yield number({ type: 'reasoning.delta', text: event.text });
            break;
          case 'usage':
            usage = toUsage(event.promptTokens, event.completionTokens);
            break;
          case 'finish':
            finishReason = event.reason;
            break;
          case 'tool_call':
            break;
        }
      }
    }
  } finally {
    void close(batches);
  }
  signal.throwIfAborted();
  yield number({ type: 'usage', usage: usage ?? estimateUsage(countChars(messages), answerChars) });
  yield number({ type: 'run.finished', finish_reason: finishReason ?? 'stop' });
}

/** Lets a connector clean up. Nobody waits for it: its signal has closed the provider's connection, or its stream is over. */
async function close(batches: AsyncIterator<unknown>): Promise<void> {
  try {
    await batches.return?.();
  } catch {
    // The turn has its end already.
  }
}

/** Pieces of text that arrived together leave together: one event, one frame, one write. */
function mergeText(batch: readonly ModelEvent[]): readonly ModelEvent[] {
  if (batch.length < 2) return batch;
  const merged: ModelEvent[] = [];
  for (const event of batch) {
    const last = merged.at(-1);
    if (event.type === 'text' && last?.type === 'text') {
      merged[merged.length - 1] = { type: 'text', text: last.text + event.text };
    } else merged.push(event);
  }
  return merged;
}

function countChars(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + messageText(message).length, 0);
}

function toUsage(prompt: number, completion: number): Usage {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion, estimated: false };
}

function toEnd(error: unknown, plan: Plan, ports: TurnPorts, turn: AbortSignal): EventBody {
  const outOfTime = turn.reason instanceof TurnDeadlinePassed;
  // What an aborted connector throws says nothing; why it was aborted does.
  if (turn.aborted && !outOfTime) return { type: 'run.cancelled' };
  const known = outOfTime ? new AppError('deadline_exceeded') : error;
  if (known instanceof AppError) {
    return { type: 'run.failed', code: known.code, message: known.message, details: known.details };
  }
  ports.reportError(error, plan.connector);
  const { code, message } = new AppError('internal_error');
  return { type: 'run.failed', code, message };
}

async function* numbered<Result>(
  bodies: AsyncGenerator<EventBody, Result>,
  number: (body: EventBody) => RunEvent,
): AsyncGenerator<RunEvent, Result> {
  let step = await bodies.next();
  while (!step.done) {
    yield number(step.value);
    step = await bodies.next();
  }
  return step.value;
}
