import type { ModelEvent } from '@lamb/plugin-kit';
import { deliver, type ConnectorScript } from './make-connector.ts';

/** A call that a scripted model makes: the function's name, its arguments, and the id it gives, if any. */
export type ScriptedCall = readonly [name: string, given: unknown, id?: string];

/** One answer of a scripted model: text, or calls with or without text before them. */
export type ScriptedAnswer = string | { readonly text?: string; readonly calls: readonly ScriptedCall[] };

/** A script that gives one answer after the other, and the last one again for ever. Calls get the ids c1, c2, … through the turn. */
export function sayInTurn(...answers: readonly [ScriptedAnswer, ...ScriptedAnswer[]]): ConnectorScript {
  let turn = 0;
  let made = 0;
  return (call) => {
    const answer = answers[Math.min(turn, answers.length - 1)] ?? '';
    turn += 1;
    if (typeof answer === 'string') return deliver([{ type: 'text', text: answer }], [finish('stop')])(call);
    const calls = answer.calls.map(([name, given, id], index): ModelEvent => {
      made += 1;
      const text = typeof given === 'string' ? given : JSON.stringify(given);
      return { type: 'tool_call', index, id: id ?? `c${String(made)}`, name, arguments: text };
    });
    const said: ModelEvent[] = answer.text === undefined ? [] : [{ type: 'text', text: answer.text }];
    return deliver([...said, ...calls], [finish('tool_calls')])(call);
  };
}

function finish(reason: string): ModelEvent {
  return { type: 'finish', reason };
}
