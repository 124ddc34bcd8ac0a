import type { ChatMessage, Sampling } from '@lamb/contract';

/** A function offered to the model. */
export interface FunctionSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: Record<string, unknown>;
}

/** What the model does, one thing at a time. Pieces of a tool call carry its index; id and name come with the first piece. */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'tool_call';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly arguments?: string;
    }
  | { readonly type: 'usage'; readonly promptTokens: number; readonly completionTokens: number }
  | { readonly type: 'finish'; readonly reason: string };

/** Where a provider is and how it is reached, from the organisation's setup. */
export interface ProviderSettings {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Whose they are, so that one organisation's trouble is kept from the others; never sent. */
  readonly organizationId?: string;
}

/** One call of a model. */
export interface ModelCall {
  readonly settings: ProviderSettings;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly sampling: Sampling;
  readonly tools?: readonly FunctionSpec[];
  readonly signal: AbortSignal;
}

/** The way to one kind of model provider. */
export interface Connector {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** What the organisation's setup must hold before this connector can work. */
  readonly requires: readonly (keyof ProviderSettings)[];
  /** Whether it needs a provider entry in the organisation's setup at all. */
  readonly needsProvider: boolean;
  /**
   * Streams the model's answer in batches, each what arrived together and never empty, always ending with one `finish`.
   * Failures are `AppError`s with a `provider_…` code, thrown after what arrived before them was delivered. An aborted
   * signal closes the provider's connection at once and ends the iteration by throwing the signal's reason.
   */
  stream(call: ModelCall): AsyncIterable<readonly ModelEvent[]>;
}

/** Declares a connector. */
export function defineConnector(connector: Connector): Connector {
  return connector;
}
