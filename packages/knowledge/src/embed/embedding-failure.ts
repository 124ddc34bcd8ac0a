/** Why texts got no vectors. `limited`, `unavailable` and `paused` pass; the others stay until somebody changes something. */
export type EmbeddingFailureReason =
  'not_configured' | 'credentials' | 'rejected' | 'limited' | 'unavailable' | 'paused' | 'malformed' | 'dimensions';

const passing: ReadonlySet<EmbeddingFailureReason> = new Set(['limited', 'unavailable', 'paused']);

interface FailureOptions {
  /** How long the provider asks to be left alone. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** Thrown when a provider gave no vectors; the message is for the owner of the collection. */
export class EmbeddingFailure extends Error {
  readonly reason: EmbeddingFailureReason;
  readonly retryAfterMs: number;

  constructor(reason: EmbeddingFailureReason, message: string, { retryAfterMs = 0, cause }: FailureOptions = {}) {
    super(message, { cause });
    this.name = 'EmbeddingFailure';
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same request may succeed a little later. */
  get isPassing(): boolean {
    return passing.has(this.reason);
  }
}
