/** A queue between parallel producers and one consumer that reads events in the order they happened. */
export interface EventChannel<Event> {
  push(event: Event): void;
  /** Undefined while the consumer keeps up; otherwise resolves when it has caught up or gone. */
  ready(): Promise<void> | undefined;
  close(): void;
  next(): Promise<IteratorResult<Event, undefined>>;
}

const HIGH_WATER = 64;

/** Makes an event channel. */
export function createEventChannel<Event>(): EventChannel<Event> {
  let queue: Event[] = [];
  let head = 0;
  let closed = false;
  let take: ((result: IteratorResult<Event, undefined>) => void) | undefined;
  let congestion: Promise<void> | undefined;
  let relieve: () => void = () => undefined;

  const waiting = () => queue.length - head;
  return {
    push(event) {
      if (closed) return;
      if (take) {
        const deliver = take;
        take = undefined;
        deliver({ done: false, value: event });
      } else queue.push(event);
    },
    ready() {
      if (closed || waiting() < HIGH_WATER) return undefined;
      congestion ??= new Promise((resolve) => (relieve = resolve));
      return congestion;
    },
    close() {
      closed = true;
      relieve();
      take?.({ done: true, value: undefined });
      take = undefined;
    },
    next() {
      const event = queue[head];
      if (event !== undefined) {
        head += 1;
        if (head === queue.length) {
          queue = [];
          head = 0;
        }
        if (congestion && waiting() < HIGH_WATER / 2) {
          relieve();
          congestion = undefined;
        }
        return Promise.resolve({ done: false, value: event });
      }
      if (closed) return Promise.resolve({ done: true, value: undefined });
      return new Promise((resolve) => (take = resolve));
    },
  };
}
