/** Something that is sent bit by bit. */
export interface PacedStream {
  /** When the next bit is due, on `performance.now()`'s clock. */
  due: number;
  /** Sends the next bit; returns when the following one is due, or undefined when there is none. */
  send(): number | undefined;
}

export interface Pacer {
  add(stream: PacedStream): void;
  remove(stream: PacedStream): void;
}

const tickMs = 4;

/** One timer for any number of streams: a thousand of them with a timer each would measure the timers. */
export function createPacer(): Pacer {
  const streams = new Set<PacedStream>();
  let timer: NodeJS.Timeout | undefined;

  const tick = (): void => {
    const now = performance.now();
    for (const stream of streams) {
      // A stream that fell behind catches up, as a provider that keeps its pace would.
      while (stream.due <= now) {
        const next = stream.send();
        if (next === undefined) {
          streams.delete(stream);
          break;
        }
        stream.due = next;
      }
    }
    stopWhenIdle();
  };

  const stopWhenIdle = (): void => {
    if (streams.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    add(stream) {
      streams.add(stream);
      timer ??= setInterval(tick, tickMs);
    },
    remove(stream) {
      streams.delete(stream);
      stopWhenIdle();
    },
  };
}
