import type { ModelEvent } from '@lamb/plugin-kit';

/** Turns the bytes of one provider's answer into events. */
export interface WireReader {
  /** Adds what these bytes complete, wherever the network has split them. Throws an `AppError` when they make no sense. */
  read(bytes: Buffer, events: ModelEvent[]): void;
  /** Adds what is left when the provider has closed the answer. Throws `provider_stream_broken` when it is not complete. */
  end(events: ModelEvent[]): void;
}
