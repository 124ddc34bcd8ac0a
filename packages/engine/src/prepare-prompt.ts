import { messageText, type ChatMessage } from '@lamb/contract';
import { buildTrace } from './build-trace.ts';
import { gatherContext, type GatheredTool } from './gather-context.ts';
import type { Plan } from './plan.ts';
import { renderPrompt, type RenderedPrompt } from './render-prompt.ts';
import type { StepScope, TurnPorts, TurnRequest } from './turn-ports.ts';
import { withDeadline } from './with-deadline.ts';

/** How long a prompt processor may think about the query before tools search with the person's own words. */
const QUERY_TIMEOUT_MS = 10_000;

/** Gathers the context and renders the messages for the model. */
export async function preparePrompt(
  plan: Plan,
  request: TurnRequest,
  ports: TurnPorts,
  { emit, signal }: StepScope,
): Promise<readonly ChatMessage[]> {
  const lastUser = request.messages.findLast((message) => message.role === 'user');
  const userInput = lastUser ? messageText(lastUser) : '';
  const { endUser, openHost, reportError } = ports;
  const processorValues = new Map(Object.entries(plan.processor.values?.({ endUser }) ?? {}));
  const query = plan.levels.length === 0 ? userInput : await shapeQuery(plan, request, ports, userInput, signal);
  const gathered = await gatherContext(
    plan,
    { userInput, query, messages: request.messages, processorValues, openHost, reportError, signal },
    emit,
  );
  signal.throwIfAborted();
  const prompt = renderPrompt(plan, request.messages, processorValues, gathered);
  // Nobody waits for the trace: counting its tokens takes a while, and the answer is what matters.
  if (plan.verbose) void recordTrace(plan, gathered, prompt, ports);
  const chars = prompt.spans.reduce((sum, span) => sum + span.chars, 0);
  emit({ type: 'prompt.rendered', messages: prompt.messages.length, chars });
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
