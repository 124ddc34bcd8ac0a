/** Lets so many through at a time, of each key. */
export interface Gate {
  /** Resolves to how to leave again; rejects with the signal's reason when aborted before. */
  enter(key: string, signal: AbortSignal): Promise<() => void>;
}

interface Room {
  inside: number;
  readonly waiting: Set<() => void>;
}

export function createGate(atOnce: number): Gate {
  const rooms = new Map<string, Room>();

  const leave = (key: string, room: Room): void => {
    const [next] = room.waiting;
    if (next) {
      room.waiting.delete(next);
      next();
      return;
    }
    room.inside -= 1;
    if (room.inside === 0) rooms.delete(key);
  };
  return {
    async enter(key, signal) {
      signal.throwIfAborted();
      const room = rooms.get(key) ?? { inside: 0, waiting: new Set() };
      rooms.set(key, room);
      if (room.inside < atOnce) room.inside += 1;
      else {
        const { promise, resolve, reject } = Promise.withResolvers<undefined>();
        // Whoever leaves hands its place over.
        const go = () => {
          resolve(undefined);
        };
        const giveUp = () => {
          if (room.waiting.delete(go)) reject(signal.reason as Error);
        };
        room.waiting.add(go);
        signal.addEventListener('abort', giveUp, { once: true });
        try {
          await promise;
        } finally {
          signal.removeEventListener('abort', giveUp);
        }
      }
      let hasLeft = false;
      return () => {
        if (!hasLeft) leave(key, room);
        hasLeft = true;
      };
    },
  };
}
