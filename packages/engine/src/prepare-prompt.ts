import { messageText, type ChatMessage } from '@lamb/contract';
import { buildTrace } from './build-trace.ts';
import { gatherContext, type GatheredTool } from './gather-context.ts';
import type { Plan } from './plan.ts';
import { renderPrompt, type RenderedPrompt } from './render-prompt.ts';
import { createQueryShaper } from './create-query-shaper.ts';
import type { StepScope, TurnPorts, TurnRequest } from './turn-ports.ts';

/** The messages for the model; with the last number of a passage in them, when the model is to cite with `[n]`. */
export type PreparedPrompt =
  readonly ChatMessage[] | { readonly messages: readonly ChatMessage[]; readonly lastNumber: number };

/** Gathers the context and renders the messages for the model. */
export async function preparePrompt(
  plan: Plan,
  request: TurnRequest,
  ports: TurnPorts,
  scope: StepScope,
): Promise<PreparedPrompt> {
  const { emit, signal } = scope;
  const lastUser = request.messages.findLast((message) => message.role === 'user');
  const userInput = lastUser ? messageText(lastUser) : '';
  const { endUser, openHost, reportError } = ports;
  const processorValues = new Map(Object.entries(plan.processor.values?.({ endUser }) ?? {}));
  const shaper = createQueryShaper(plan, request, userInput, ports, scope);
  const query = plan.levels.length === 0 ? userInput : await shaper.shape();
  const { rewriteQuery } = shaper;
  const gathered = await gatherContext(
    plan,
    { userInput, query, rewriteQuery, messages: request.messages, processorValues, openHost, reportError, signal },
    emit,
  );
  signal.throwIfAborted();
  const prompt = renderPrompt(plan, request.messages, processorValues, gathered);
  // Nobody waits for the trace: counting its tokens takes a while, and the answer is what matters.
  if (plan.verbose) void recordTrace(plan, gathered, prompt, shaper.rewritten(), ports);
  const chars = prompt.spans.reduce((sum, span) => sum + span.chars, 0);
  emit({ type: 'prompt.rendered', messages: prompt.messages.length, chars });
  const { messages } = prompt;
  return gathered.some(({ citable }) => citable) ? { messages, lastNumber: lastNumberOf(gathered) } : messages;
}

function lastNumberOf(gathered: readonly GatheredTool[]): number {
  return gathered.flatMap(({ sources }) => sources).reduce((last, { number = 0 }) => Math.max(last, number), 0);
}

async function recordTrace(
  plan: Plan,
  gathered: readonly GatheredTool[],
  prompt: RenderedPrompt,
  query: string | undefined,
  ports: TurnPorts,
): Promise<void> {
  const { runId, countTokens, model, reportError } = ports;
  try {
    ports.recordTrace(await buildTrace({ runId, plan, model: model.model, query, gathered, prompt, countTokens }));
  } catch (error) {
    reportError(error, 'trace');
  }
}
