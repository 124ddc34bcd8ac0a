import type { ChatMessage, ToolCall, Usage } from '@lamb/contract';
import type { FunctionSpec, ModelEvent } from '@lamb/plugin-kit';
import { createCallAssembler } from './assemble-tool-calls.ts';
import { createAbortRace } from './create-abort-race.ts';
import { countCallChars, countPromptChars } from './count-prompt-chars.ts';
import { estimateUsage } from './estimate-usage.ts';
import { limitAnswer } from './limit-answer.ts';
import { TurnDeadlinePassed } from './turn-deadline-passed.ts';
import type { ModelCallEnd, StepScope, TurnPorts, TurnRequest } from './turn-ports.ts';

/** What a model said in one turn of its own. */
export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finishReason: string;
}

interface ModelQuestion {
  readonly messages: readonly ChatMessage[];
  /** Undefined: the model must answer without calling anything. */
  readonly tools: readonly FunctionSpec[] | undefined;
  /** Names this question within its run. */
  readonly step: string;
  /** Begins the ids of calls to which the model gave none. */
  readonly callPrefix: string;
}

/** Streams one answer of the model: text goes out as it comes, calls are put together. */
export async function callModel(
  { messages, tools, step: name, callPrefix }: ModelQuestion,
  { sampling }: TurnRequest,
  { model: { connector, settings, model }, budget }: TurnPorts,
  { emit, ready, signal }: StepScope,
): Promise<ModelAnswer> {
  const calls = createCallAssembler(callPrefix, idsOf(messages));
  let usage: Usage | undefined;
  let finishReason: string | undefined;
  let text = '';
  let reasoningChars = 0;
  let heard = false as boolean;
  let outcome: ModelCallEnd['outcome'] = 'failed';
  let batches: AsyncIterator<readonly ModelEvent[]> | undefined;
  const promptChars = countPromptChars(messages, tools);
  const sumUp = () =>
    usage ?? estimateUsage(promptChars, text.length + reasoningChars + countCallChars(calls.finish()));
  const asked = sampling.max_completion_tokens ?? sampling.max_tokens ?? undefined;
  const reservation = await budget.reserve({ promptChars, maxCompletionTokens: asked }, name);
  const hear = (event: ModelEvent): void => {
    switch (event.type) {
      case 'text':
        text += event.text;
        emit({ type: 'text.delta', text: event.text });
        break;
      case 'reasoning':
        reasoningChars += event.text.length;
        emit({ type: 'reasoning.delta', text: event.text });
        break;
      case 'tool_call':
        calls.add(event);
        break;
      case 'usage':
        usage = toUsage(event.promptTokens, event.completionTokens);
        break;
      case 'finish':
        finishReason = event.reason;
        break;
    }
  };
  const listen = async (spoken: AsyncIterator<readonly ModelEvent[]>): Promise<void> => {
    for (let step = await spoken.next(); !step.done; step = await spoken.next()) {
      // What comes after the end of the turn is heard by nobody.
      if (signal.aborted) return;
      heard = true;
      for (const event of mergeText(step.value)) hear(event);
      const congestion = ready();
      if (congestion) await congestion;
    }
  };
  const limited = asked === undefined ? limitAnswer(sampling, reservation) : sampling;
  const call = { settings, model, messages, sampling: limited, signal, ...(tools ? { tools } : {}) };
  try {
    signal.throwIfAborted();
    batches = connector.stream(call)[Symbol.asyncIterator]();
    // One wait for the whole answer: racing every batch against the abort would cost more than the batch.
    await createAbortRace(signal)(listen(batches));
    signal.throwIfAborted();
    outcome = 'finished';
  } finally {
    if (batches) void close(batches);
    if (signal.aborted && !(signal.reason instanceof TurnDeadlinePassed)) outcome = 'cancelled';
    // A provider that refused at once used nothing; one that we hung up on had read the prompt.
    const used = heard || (batches && signal.aborted) ? sumUp() : estimateUsage(0, 0);
    await budget.settle(reservation, { usage: used, outcome });
  }
  emit({ type: 'usage', usage: sumUp() });
  // Without tools on offer there is nothing to call, whatever the model says.
  const made = tools ? calls.finish() : [];
  // A client that reads “tool_calls” waits for calls that are ours, not its own.
  const ending = finishReason === undefined || finishReason === 'tool_calls' ? 'stop' : finishReason;
  return { text, calls: made, finishReason: made.length > 0 ? 'tool_calls' : ending };
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

function idsOf(messages: readonly ChatMessage[]): string[] {
  return messages.flatMap(({ tool_calls: calls }) => calls ?? []).map(({ id }) => id);
}

function toUsage(prompt: number, completion: number): Usage {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion, estimated: false };
}
