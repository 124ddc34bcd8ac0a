/** A reply that was cut because it was larger, or took longer, than the caller allowed. */
export class OutboundLimitError extends Error {
  readonly limit: 'bytes' | 'time';

  constructor(limit: 'bytes' | 'time', message: string) {
    super(message);
    this.name = 'OutboundLimitError';
    this.limit = limit;
  }
}
