import type { Sampling } from '@lamb/contract';
import type { Connector, FunctionSpec, ProviderSettings } from '../define-connector.ts';

/** What a connector can do beyond text in, text out; cases that need more are not run on it. */
export type ConnectorFeature =
  /** It asks a provider over HTTP. */
  | 'provider'
  /** The answer comes piece by piece. */
  | 'pieces'
  | 'reasoning'
  | 'functions'
  | 'images';

/** Tells `describeConnector` how to put one connector on a stage with a scripted provider. */
export interface ConnectorStage {
  readonly name: string;
  readonly features: readonly ConnectorFeature[];
  /** The parameters that its provider's wire has words for. */
  readonly sampling: readonly (keyof Sampling)[];
  /** Reads a request that the provider got back into our words. */
  readRequest(request: StagedRequest): WireRequest;
  start(): Promise<RunningStage>;
}

/** A connector with its scripted provider. */
export interface RunningStage {
  /** Makes the connector; `timeoutMs` is how long its dispatcher waits for headers and between two reads. */
  create(options?: { timeoutMs?: number }): Connector;
  readonly settings: ProviderSettings;
  /** Settings with an address where nobody listens. */
  readonly unreachable: ProviderSettings;
  readonly provider: ScriptedProvider;
  /** How many bytes have been read from the provider's connections. */
  countReceivedBytes(): number;
  stop(): Promise<void>;
}

/** What the cases need of a scripted provider; the LLM server of the testing package is one. */
export interface ScriptedProvider {
  readonly requests: readonly StagedRequest[];
  script(...replies: StagedReply[]): void;
  reset(): void;
}

/** What the provider recorded of a request. */
export interface StagedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
  /** When the client closed its connection before the answer was complete. */
  readonly closedEarlyAt?: number;
}

/** What the provider shall answer, whatever its wire. */
export interface StagedReply {
  /** Only for a request whose body contains this. */
  when?: { contains: string };
  chunks?: string[];
  reasoning?: string;
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
  usage?: { promptTokens: number; completionTokens: number } | null;
  finishReason?: 'stop' | 'length' | null;
  intervalMs?: number;
  faults?: {
    status?: number;
    retryAfterSeconds?: number;
    error?: { message?: string };
    hangBeforeHeaders?: boolean;
    hangAfterChunks?: number;
    cutAfterChunks?: number;
    errorAfterChunks?: number;
    brokenJsonAtChunk?: number;
    splitBytes?: number;
    eventsPerWrite?: number;
  };
}

/** A request in our words, read back from the wire. */
export interface WireRequest {
  readonly model: string;
  readonly system: string;
  /** The text of the last user message. */
  readonly question: string;
  /** The images of the last user message as data URLs. */
  readonly images: readonly string[];
  readonly sampling: Sampling;
  readonly functions: readonly FunctionSpec[];
  /** The function calls of the conversation, with their results. */
  readonly calls: readonly { name: string; arguments: unknown; result: string }[];
}
