/** Items that are pushed in by callbacks and pulled out in batches. */
export interface BatchQueue<Item> {
  /** The batch that is being filled; call `wake` after adding to it. */
  readonly items: Item[];
  wake(): void;
  /** Nothing more comes. What is in the batch is still delivered. */
  finish(): void;
  /** The same, and then the consumer is thrown this error. */
  fail(error: unknown): void;
  /** Forgets what was not pulled. */
  clear(): void;
  next(): Promise<IteratorResult<readonly Item[], undefined>>;
}

interface Waiter<Item> {
  resolve(result: IteratorResult<readonly Item[], undefined>): void;
  reject(error: unknown): void;
}

/**
 * Makes a queue for one consumer. It takes one promise for each batch, where an async generator takes several for each
 * item. `onTake` is told whenever the batch was emptied.
 */
export function createBatchQueue<Item>(onTake: () => void): BatchQueue<Item> {
  let items: Item[] = [];
  let ending: { readonly error?: unknown } | undefined;
  let waiter: Waiter<Item> | undefined;
  let waking = false;

  function take(): readonly Item[] {
    const batch = items;
    items = [];
    onTake();
    return batch;
  }

  function deliver(): void {
    waking = false;
    if (waiter === undefined) return;
    const { resolve, reject } = waiter;
    waiter = undefined;
    if (items.length > 0) resolve({ value: take(), done: false });
    else if (ending !== undefined && 'error' in ending) reject(ending.error);
    else resolve({ value: undefined, done: true });
  }

  // One read of a socket makes many callbacks in a row; the microtask runs after the last of them.
  function wake(): void {
    if (waiter === undefined || waking) return;
    waking = true;
    queueMicrotask(deliver);
  }

  function end(how: { readonly error?: unknown }): void {
    ending ??= how;
    wake();
  }

  return {
    get items() {
      return items;
    },
    wake,
    finish() {
      end({});
    },
    fail(error) {
      end({ error });
    },
    clear() {
      items = [];
    },
    next() {
      return new Promise((resolve, reject) => {
        waiter = { resolve, reject };
        if (items.length > 0 || ending !== undefined) deliver();
      });
    },
  };
}
