import {
  messageText,
  type ChatMessage,
  type PromptSpan,
  type RunEvent,
  type RunEventOf,
  type RunXray,
  type ToolCall,
  type XrayCall,
  type XrayFunction,
  type XraySpan,
} from '@lamb/contract';
import type { ContextRecord, ModelRecord } from '../completions/trace-texts.ts';

interface XrayInput {
  readonly context: ContextRecord;
  readonly functions: readonly XrayFunction[];
  /** One for each answer of the model, in order; none where no texts are kept, or none may be shown. */
  readonly answers: readonly ModelRecord[];
  readonly events: readonly RunEvent[];
  readonly countTokens: (texts: readonly string[]) => Promise<readonly number[]>;
  readonly priceOf: (promptTokens: number, completionTokens: number) => number;
}

/** Puts together all that is known of how an answer came about. */
export async function composeXray(input: XrayInput): Promise<RunXray> {
  const { context, functions, answers, events, countTokens, priceOf } = input;
  const { truncated = [], ...trace } = context;
  const sent = answers.at(-1)?.sent ?? [];
  const promptLength = answers[0]?.sent.length ?? 0;
  const finished = new Map(
    events
      .filter((event): event is RunEventOf<'call.finished'> => event.type === 'call.finished')
      .filter((event) => event.parent_call_id === undefined)
      .map((event) => [event.call_id, event] as const),
  );
  const cutCalls = new Set(answers.flatMap((answer) => answer.truncated));
  const said = sent.slice(promptLength);
  const replies = new Map(said.flatMap((each) => (each.tool_call_id === undefined ? [] : [[each.tool_call_id, each]])));
  const asked = said.flatMap(({ tool_calls: calls }) => calls ?? []);
  const counts = await countTokens(asked.map(({ id }) => messageText(replies.get(id) ?? {})));
  const calls = [
    ...asked.map((call, index) => describeCall(call, replies.get(call.id), counts[index] ?? 0, finished, cutCalls)),
    ...(asked.length > 0 ? [] : [...finished.values()].map(describeUnseenCall)),
  ];

  const tools = trace.tools.map((tool) => {
    const spans = trace.prompt.filter(
      ({ origin, placeholder }) => origin === 'tool' && placeholder === tool.placeholder,
    );
    const tokens = spans.reduce((sum, span) => sum + span.tokens, 0);
    return { ...tool, tokens, cost_micros: priceOf(tokens, 0), truncated: truncated.includes(tool.placeholder) };
  });
  const toolOf = new Map(tools.map((tool) => [tool.placeholder, tool]));
  const showSpan = ({ message, role: _role, ...span }: PromptSpan): XraySpan => {
    const tool = span.origin === 'tool' ? toolOf.get(span.placeholder ?? '') : undefined;
    const whole = sent[message];
    return {
      ...span,
      text: whole ? messageText(whole).slice(span.start, span.start + span.chars) : null,
      cost_micros: priceOf(span.tokens, 0),
      ...(tool ? { milliseconds: tool.milliseconds, truncated: tool.truncated } : {}),
    };
  };
  const prompt = Map.groupBy(trace.prompt, ({ message }) => message);
  const shown =
    sent.length === 0
      ? [...prompt.values()].map((spans) => ({ role: roleOf(spans), images: 0, spans: spans.map(showSpan) }))
      : sent.slice(0, promptLength).map((message, index) => ({
          role: message.role,
          images: countImages(message),
          spans: (prompt.get(index) ?? []).map(showSpan),
        }));
  const callOf = new Map(calls.map((call) => [call.call_id, call]));
  const added = await showAdded(said, callOf, countTokens, priceOf);
  const turns = answers.map((answer, index) => {
    const next = answers[index + 1]?.sent[answer.sent.length];
    return {
      messages: answer.sent.length,
      offered: [...answer.offered],
      answer: answer.answer,
      calls: (next?.tool_calls ?? []).map(({ id }) => id),
      finish_reason: answer.finish_reason,
      usage: answer.usage,
      milliseconds: answer.milliseconds,
      first_token_ms: answer.first_token_ms,
      cost_micros: priceOf(answer.usage.prompt_tokens, answer.usage.completion_tokens),
    };
  });
  return {
    ...trace,
    tools,
    has_texts: answers.length > 0,
    messages: [...shown, ...added],
    turns,
    functions: [...functions],
    calls,
    cost_micros: turns.reduce((sum, turn) => sum + turn.cost_micros, 0),
  };
}

type Finished = ReadonlyMap<string, RunEventOf<'call.finished'>>;

function describeCall(
  { id, function: { name, arguments: given } }: ToolCall,
  reply: ChatMessage | undefined,
  tokens: number,
  finished: Finished,
  cutCalls: ReadonlySet<string>,
): XrayCall {
  const end = finished.get(id);
  const result = reply ? messageText(reply) : '';
  return {
    call_id: id,
    name,
    tool: end?.tool ?? null,
    arguments: given,
    result,
    outcome: end?.outcome ?? null,
    milliseconds: end?.milliseconds ?? 0,
    chars: result.length,
    tokens,
    truncated: cutCalls.has(id) || result.endsWith('\n[cut here]'),
    ...(end?.problem === undefined ? {} : { problem: end.problem }),
  };
}

/** A call of which only those facts are known that everybody is told. */
function describeUnseenCall(end: RunEventOf<'call.finished'>): XrayCall {
  const { call_id, name, tool, outcome, milliseconds, chars, problem } = end;
  return {
    call_id,
    name,
    tool,
    arguments: null,
    result: null,
    outcome,
    milliseconds,
    chars,
    tokens: 0,
    truncated: false,
    ...(problem === undefined ? {} : { problem }),
  };
}

/** The messages that came after the prompt: what the model said and asked for, and what it was told. */
async function showAdded(
  said: readonly ChatMessage[],
  calls: ReadonlyMap<string, XrayCall>,
  countTokens: XrayInput['countTokens'],
  priceOf: XrayInput['priceOf'],
): Promise<RunXray['messages']> {
  const pieces = said.map((message) => ({ message, texts: listPieces(message) }));
  const counts = await countTokens(pieces.flatMap(({ texts }) => texts.map(({ text }) => text)));
  let next = 0;
  return pieces.map(({ message, texts }) => ({
    role: message.role,
    images: 0,
    spans: texts.map(({ text, callId }) => {
      const tokens = counts[next] ?? 0;
      next += 1;
      const call = callId === undefined ? undefined : calls.get(callId);
      const isResult = message.role === 'tool';
      return {
        origin: isResult ? 'call' : 'answer',
        text,
        start: 0,
        chars: text.length,
        tokens,
        cost_micros: priceOf(tokens, 0),
        ...(callId === undefined ? {} : { call_id: callId }),
        ...(call?.tool ? { tool: call.tool } : {}),
        ...(isResult && call ? { milliseconds: call.milliseconds, truncated: call.truncated } : {}),
      } satisfies XraySpan;
    }),
  }));
}

function listPieces(message: ChatMessage): { text: string; callId?: string }[] {
  const text = messageText(message);
  if (message.tool_call_id !== undefined) return [{ text, callId: message.tool_call_id }];
  const calls = (message.tool_calls ?? []).map((call) => ({
    text: `${call.function.name}(${call.function.arguments})`,
    callId: call.id,
  }));
  return [...(text === '' ? [] : [{ text }]), ...calls];
}

function roleOf(spans: readonly PromptSpan[]): ChatMessage['role'] {
  return (spans[0]?.role ?? 'user') as ChatMessage['role'];
}

function countImages({ content }: ChatMessage): number {
  return Array.isArray(content) ? content.filter(({ type }) => type === 'image_url').length : 0;
}
