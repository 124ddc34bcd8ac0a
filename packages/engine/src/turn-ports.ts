import type { ChatMessage, EndUser, RunTrace, Sampling, ToolCall, Usage } from '@lamb/contract';
import type { Connector, ProviderSettings, ShapeQueryInput, ToolHost } from '@lamb/plugin-kit';
import type { EventBody } from './event-sequence.ts';
import type { PlannedFunction } from './plan-functions.ts';

/** What the person sent. */
export interface TurnRequest {
  readonly messages: readonly ChatMessage[];
  readonly sampling: Sampling;
}

/** The model a turn talks to, resolved from the organisation's setup. */
export interface OpenModel {
  readonly connector: Connector;
  readonly model: string;
  readonly settings: ProviderSettings;
}

/** What one step of a turn works with. */
export interface StepScope {
  emit(body: EventBody): void;
  /** Undefined while the reader keeps up; otherwise resolves when it has caught up. */
  ready(): Promise<void> | undefined;
  /**
   * To be called right before an effect that must happen once. `restarted`: an earlier attempt got as far as this, and
   * nobody knows what became of it.
   */
  begin(): Promise<'fresh' | 'restarted'>;
  readonly signal: AbortSignal;
}

/**
 * Runs one step. Where runs are durable, a step that was completed before is not run again: its recorded result, which
 * must therefore be plain JSON, is given back. What happens between steps must depend on their results alone.
 */
export type RunStep = <Result>(name: string, work: (scope: StepScope) => Promise<Result>) => Promise<Result>;

/** The piece of work that a host is opened for. */
export interface HostScope {
  /** The call it is done for; of a context tool, `context:` and the placeholder it fills. */
  readonly callId: string;
  /** Adds to the events of the turn. */
  readonly emit: (body: EventBody) => void;
}

/** What a model call will use at most, as far as one can tell. */
export interface CallEstimate {
  readonly promptChars: number;
  readonly maxCompletionTokens: number | undefined;
}

/** Budget that is set aside for one model call. */
export interface Reservation {
  /** Undefined where there is no cap, and so nothing to set aside. */
  readonly id: string | undefined;
  /** What the model is to be told: no more was set aside. */
  readonly maxCompletionTokens?: number | undefined;
  readonly startedAt: number;
}

/** How a model call ended, and what it used. */
export interface ModelCallEnd {
  readonly usage: Usage;
  readonly outcome: 'finished' | 'failed' | 'cancelled';
}

/** Whose money a run spends. Every model call of a run goes through it: reserve, call, settle. */
export interface RunBudget {
  /**
   * Sets budget aside, or throws `budget_exceeded`. The step names the call within its run: when it is started again, it
   * gets the same reservation.
   */
  reserve(estimate: CallEstimate, step: string): Promise<Reservation>;
  /** Books what was used in its place. Never throws. */
  settle(reservation: Reservation, end: ModelCallEnd): Promise<void>;
}

/** All that the engine needs from outside. */
export interface TurnPorts {
  readonly runId: string;
  readonly endUser: EndUser;
  /** Opens the doors of the host for one run of one tool. */
  readonly openHost: (scope: HostScope) => ToolHost;
  readonly model: OpenModel;
  readonly budget: RunBudget;
  readonly askSmallModel: ShapeQueryInput['askSmallModel'];
  readonly countTokens: (texts: readonly string[]) => Promise<readonly number[]>;
  readonly recordTrace: (trace: RunTrace) => void;
  readonly reportError: (error: unknown, where: string) => void;
  /** Decides at the moment of the call whether it is allowed; a text says why not. */
  readonly authorizeCall: (planned: PlannedFunction) => Promise<string | undefined>;
  /** Hears of every call that was not allowed: of a function that is not on offer, or one that `authorizeCall` forbade. */
  readonly reportRefusal: (call: ToolCall, reason: 'unknown_function' | 'forbidden') => Promise<void>;
  /** Waits until somebody decides about a call; undefined where nobody can be asked. */
  readonly approve: ((callId: string) => Promise<'approved' | 'rejected'>) | undefined;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** The ports of a turn that is being executed. */
export interface ExecutionPorts extends TurnPorts {
  readonly step: RunStep;
}
