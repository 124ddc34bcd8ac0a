import type { RunEvent } from '@lamb/contract';

/** The text of a run as a client shows it: what an attempt at a step had said is dropped when the step is started again. */
export function assembleText(events: readonly RunEvent[]): string {
  const parts: { step: string; text: string }[] = [];
  for (const event of events) {
    if (event.type === 'text.delta') parts.push({ step: event.step, text: event.text });
    if (event.type !== 'step.restarted') continue;
    const kept = parts.filter(({ step }) => step !== event.step);
    parts.splice(0, parts.length, ...kept);
  }
  return parts.map(({ text }) => text).join('');
}
