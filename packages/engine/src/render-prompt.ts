import { USER_INPUT, messageText, type ChatMessage, type MessagePart, type PromptSpan } from '@lamb/contract';
import { listAvailableSources } from './list-available-sources.ts';
import type { GatheredTool } from './gather-context.ts';
import { CLASSIC_PLACEHOLDER, type Plan } from './plan.ts';
import type { Template } from './template.ts';

/** Where a stretch of a message came from; tokens are counted later, and only for a trace. */
export type UncountedSpan = Omit<PromptSpan, 'tokens'>;

export interface RenderedPrompt {
  readonly messages: readonly ChatMessage[];
  readonly spans: readonly UncountedSpan[];
}

interface Filling {
  readonly text: string;
  readonly origin: 'user_input' | 'tool' | 'processor';
  readonly tool?: string;
}

/** Builds the messages for the model: the assistant's system prompt, the history, and the last question in its template. */
export function renderPrompt(
  plan: Plan,
  messages: readonly ChatMessage[],
  processorValues: ReadonlyMap<string, string>,
  gathered: readonly GatheredTool[],
): RenderedPrompt {
  const rendered: ChatMessage[] = [];
  const spans: UncountedSpan[] = [];
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const mark = (span: Omit<UncountedSpan, 'message'>) => spans.push({ message: rendered.length, ...span });

  if (plan.systemPrompt !== '') {
    mark({ role: 'system', origin: 'system_prompt', start: 0, chars: plan.systemPrompt.length });
    rendered.push({ role: 'system', content: plan.systemPrompt });
  }
  for (const [index, message] of messages.entries()) {
    const text = messageText(message);
    if (index === lastUser && plan.template) {
      const fillings = collectFillings(plan, text, processorValues, gathered);
      const filled = fillInOnePass(plan.template, fillings, plan.kind, (span) => mark({ role: 'user', ...span }));
      rendered.push({ ...message, content: withImages(plan, message, filled) });
    } else {
      const origin = index === lastUser ? 'user_input' : 'history';
      mark({ role: message.role, origin, start: 0, chars: text.length });
      rendered.push(plan.vision ? message : { ...message, content: withoutImages(message) });
    }
  }
  return { messages: rendered, spans };
}

function collectFillings(
  plan: Plan,
  userInput: string,
  processorValues: ReadonlyMap<string, string>,
  gathered: readonly GatheredTool[],
): Map<string, Filling> {
  const fillings = new Map<string, Filling>();
  for (const { planned, content, sources } of gathered) {
    const text = plan.kind === 'classic' ? content + listAvailableSources(sources) : content;
    fillings.set(planned.placeholder, { text, origin: 'tool', tool: planned.type });
  }
  // A classic assistant without a tool still has {context}, and it is empty.
  if (plan.kind === 'classic' && !fillings.has(CLASSIC_PLACEHOLDER)) {
    fillings.set(CLASSIC_PLACEHOLDER, { text: '', origin: 'processor' });
  }
  for (const [name, text] of processorValues) fillings.set(name, { text, origin: 'processor' });
  fillings.set(USER_INPUT, { text: userInput, origin: 'user_input' });
  return fillings;
}

function fillInOnePass(
  template: Template,
  fillings: ReadonlyMap<string, Filling>,
  kind: Plan['kind'],
  mark: (span: Omit<UncountedSpan, 'message' | 'role'>) => void,
): string {
  let prompt = '';
  const append = (text: string, span: Pick<UncountedSpan, 'origin' | 'tool' | 'placeholder'>) => {
    if (text === '') return;
    mark({ ...span, start: prompt.length, chars: text.length });
    prompt += text;
  };
  for (const segment of template) {
    if ('literal' in segment) {
      append(segment.literal, { origin: 'template' });
      continue;
    }
    const { placeholder } = segment;
    const filling = fillings.get(placeholder);
    if (!filling) {
      if (kind === 'classic') append(`{${placeholder}}`, { origin: 'template' });
      continue;
    }
    const { text, origin, tool } = filling;
    append(text === '' ? '' : `\n\n${text}\n\n`, { origin, placeholder, ...(tool === undefined ? {} : { tool }) });
  }
  return prompt;
}

function withImages(plan: Plan, message: ChatMessage, text: string): string | MessagePart[] {
  if (!plan.vision || !Array.isArray(message.content)) return text;
  const images = message.content.filter((part) => part.type === 'image_url');
  return images.length === 0 ? text : [{ type: 'text', text }, ...images];
}

function withoutImages(message: ChatMessage): ChatMessage['content'] {
  return Array.isArray(message.content) ? messageText(message) : message.content;
}
