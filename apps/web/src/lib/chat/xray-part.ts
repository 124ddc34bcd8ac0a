import type { RunXray, XraySpan } from '@lamb/contract';
import { m } from '#lib/paraglide/messages.js';
import { toolColor } from '#lib/ui/tool-color.ts';
import { nameStep } from './name-step.ts';

/** All stretches of a prompt that came from the same place. */
export interface XrayPart {
  readonly key: string;
  readonly name: string;
  /** What it fills in the template, or the function that was called. */
  readonly detail: string | undefined;
  readonly color: string;
  readonly soft: string;
  readonly tokens: number;
  readonly costMicros: number;
  readonly milliseconds: number | undefined;
  readonly isTruncated: boolean;
}

const origins: Readonly<Record<Exclude<XraySpan['origin'], 'tool'>, () => string>> = {
  system_prompt: m.chat_origin_system_prompt,
  history: m.chat_origin_history,
  template: m.chat_origin_template,
  user_input: m.chat_origin_user_input,
  processor: m.chat_origin_processor,
  image: m.chat_origin_image,
  answer: m.chat_origin_answer,
  call: m.chat_origin_call,
};

/** Tools have colours of their own; what the creator and the person wrote is told apart in the page's. */
const tones: Readonly<Record<string, readonly [color: string, soft: string]>> = {
  system_prompt: ['var(--fg-muted)', 'var(--surface-3)'],
  history: ['var(--line-strong)', 'transparent'],
  template: ['var(--line-strong)', 'transparent'],
  user_input: ['var(--fg)', 'transparent'],
  processor: ['var(--warn)', 'var(--warn-soft)'],
  image: ['var(--line-strong)', 'var(--surface-2)'],
  answer: ['var(--ok)', 'var(--ok-soft)'],
  call: ['var(--fg-muted)', 'var(--surface-3)'],
};

/** Which part a stretch belongs to. */
export function keyOf({ origin, tool, placeholder, call_id: callId }: XraySpan): string {
  if (origin === 'tool') return `tool ${tool ?? ''} ${placeholder ?? ''}`;
  return origin === 'call' && callId !== undefined ? `call ${callId}` : origin;
}

/** The colours of a stretch. */
export function colorsOf({ origin, tool }: Pick<XraySpan, 'origin' | 'tool'>): readonly [color: string, soft: string] {
  if (tool !== undefined && (origin === 'tool' || origin === 'call')) {
    const color = toolColor(tool);
    return [`var(--${color})`, `var(--${color}-soft)`];
  }
  return tones[origin] ?? ['var(--fg-muted)', 'transparent'];
}

/** The parts of a prompt, in the order in which they first occur. */
export function listParts({ messages, calls }: Pick<RunXray, 'messages' | 'calls'>): XrayPart[] {
  const called = new Map(calls.map((call) => [call.call_id, call.name]));
  const parts = new Map<string, XrayPart>();
  for (const span of messages.flatMap(({ spans }) => spans)) {
    const key = keyOf(span);
    const before = parts.get(key);
    const [color, soft] = colorsOf(span);
    const tool = span.origin === 'tool' || span.origin === 'call' ? span.tool : undefined;
    const milliseconds = span.milliseconds ?? before?.milliseconds;
    parts.set(key, {
      key,
      name: tool !== undefined ? nameStep(tool) : origins[span.origin === 'tool' ? 'processor' : span.origin](),
      detail:
        span.origin === 'tool' && span.placeholder !== undefined
          ? `{${span.placeholder}}`
          : span.origin === 'call' && span.call_id !== undefined
            ? `${called.get(span.call_id) ?? ''}()`
            : undefined,
      color,
      soft,
      tokens: (before?.tokens ?? 0) + span.tokens,
      costMicros: (before?.costMicros ?? 0) + span.cost_micros,
      milliseconds,
      isTruncated: span.truncated === true || before?.isTruncated === true,
    });
  }
  return [...parts.values()];
}
