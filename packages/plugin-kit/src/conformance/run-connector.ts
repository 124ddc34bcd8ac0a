import { expect } from 'vitest';
import type { Connector, ModelCall, ModelEvent } from '../define-connector.ts';
import type { RunningStage } from './connector-stage.ts';

/** What came of one call. */
export interface ConnectorRun {
  readonly events: readonly ModelEvent[];
  readonly text: string;
  /** What the iteration threw, or undefined. */
  readonly error: unknown;
}

/** A call with a short question, changed where a case needs it. */
export function makeCall(stage: RunningStage, changes: Partial<ModelCall> = {}): ModelCall {
  return {
    settings: stage.settings,
    model: 'test-model',
    messages: [{ role: 'user', content: 'How are you?' }],
    sampling: {},
    signal: new AbortController().signal,
    ...changes,
  };
}

/** Runs a call to its end; `onText` sees the text so far after each batch. */
export async function runConnector(
  connector: Connector,
  call: ModelCall,
  onText: (text: string) => void = () => undefined,
): Promise<ConnectorRun> {
  const events: ModelEvent[] = [];
  let error: unknown;
  try {
    for await (const batch of connector.stream(call)) {
      expect(batch.length, 'a batch is never empty').toBeGreaterThan(0);
      events.push(...batch);
      onText(joinText(events));
    }
  } catch (thrown) {
    error = thrown ?? new Error('It threw nothing.');
  }
  return { events, text: joinText(events), error };
}

/** Runs a call that must succeed. */
export async function completeRun(connector: Connector, call: ModelCall): Promise<ConnectorRun> {
  const run = await runConnector(connector, call);
  expect(run.error, 'what it threw').toBeUndefined();
  expect(run.events.at(-1)?.type, 'the last event').toBe('finish');
  expect(run.events.filter(({ type }) => type === 'finish')).toHaveLength(1);
  return run;
}

export function joinText(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}

/** Pieces of an answer that is numbered, so that a lost or doubled one is seen. */
export function listTokens(count: number): string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? 't1' : ` t${index + 1}`));
}

export function numberTokens(count: number): string {
  return listTokens(count).join('');
}
