/** What was wrong with an outgoing request that was not made. */
export type RefusalReason = 'url' | 'address' | 'redirect';

/** An outgoing request that the guard did not let out. The message names the host as the caller wrote it, never what it resolved to. */
export class OutboundRefusedError extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.name = 'OutboundRefusedError';
    this.reason = reason;
  }
}
