import type { RunTrace } from '@lamb/contract';
import { createTestHost } from '@lamb/plugin-kit/conformance';
import type { TurnPorts } from '../turn-ports.ts';
import { makeConnector } from './make-connector.ts';

/** Ports that remember what was reported and traced. */
export interface RecordingPorts extends TurnPorts {
  readonly traces: RunTrace[];
  readonly errors: { error: unknown; where: string }[];
}

/** Makes ports for a turn; a character counts as one token, so that counts are easy to check. */
export function makePorts(overrides: Partial<TurnPorts> = {}): RecordingPorts {
  const traces: RunTrace[] = [];
  const errors: RecordingPorts['errors'] = [];
  return {
    runId: 'run-1',
    endUser: { id: 'user-1' },
    openHost: () => createTestHost(),
    model: { connector: makeConnector(), model: 'model-1', settings: {} },
    budget: {
      reserve: () => Promise.resolve({ id: undefined, startedAt: 0 }),
      settle: () => Promise.resolve(),
    },
    askSmallModel: undefined,
    countTokens: (texts) => Promise.resolve(texts.map((text) => text.length)),
    recordTrace: (trace) => traces.push(trace),
    reportError: (error, where) => errors.push({ error, where }),
    authorizeCall: () => Promise.resolve(undefined),
    reportRefusal: () => Promise.resolve(),
    approve: undefined,
    now: () => 1_700_000_000_000,
    signal: new AbortController().signal,
    ...overrides,
    traces,
    errors,
  };
}
