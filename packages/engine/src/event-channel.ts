/** A queue between parallel producers and one consumer that reads events in the order they happened. */
export interface EventChannel<Event> {
  push(event: Event): void;
  close(): void;
  readonly events: AsyncIterable<Event>;
}

/** Makes an event channel. */
export function createEventChannel<Event>(): EventChannel<Event> {
  const queue: Event[] = [];
  let closed = false;
  let wake: () => void = () => undefined;
  async function* drain(): AsyncGenerator<Event> {
    for (;;) {
      const next = queue.shift();
      if (next !== undefined) yield next;
      else if (closed) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  return {
    push(event) {
      queue.push(event);
      wake();
    },
    close() {
      closed = true;
      wake();
    },
    events: drain(),
  };
}
