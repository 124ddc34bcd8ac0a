import type { ToolHost } from '../tool-host.ts';

type Door = (...args: readonly unknown[]) => Promise<never>;

/** A host of the same shape on which everything fails with an error that carries a canary. */
export function breakHost(host: ToolHost, canary: string): { host: ToolHost; error: Error; wasAsked: () => boolean } {
  const error = new Error(`connection to db.internal failed, password ${canary}`);
  let asked = false;
  const door: Door = () => {
    asked = true;
    return Promise.reject(error);
  };
  return { host: replaceDoors(host, door), error, wasAsked: () => asked };
}

/** A host of the same shape that answers nothing until the signal it was given is aborted; `waiting` settles at its first call. */
export function hangHost(host: ToolHost): { host: ToolHost; waiting: Promise<void> } {
  const { promise: waiting, resolve: startWaiting } = Promise.withResolvers<undefined>();
  const door: Door = (...args) =>
    new Promise((_, reject) => {
      startWaiting(undefined);
      for (const signal of args.filter((arg) => arg instanceof AbortSignal)) {
        const stop = () => {
          reject(new DOMException('aborted', 'AbortError'));
        };
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop, { once: true });
      }
    });
  return { host: replaceDoors(host, door), waiting };
}

function replaceDoors(host: ToolHost, door: Door): ToolHost {
  const replaced = Object.entries(host).map(([room, doors]: [string, object]) => [
    room,
    typeof doors === 'function' ? door : Object.fromEntries(Object.keys(doors).map((name) => [name, door])),
  ]);
  return Object.fromEntries(replaced) as ToolHost;
}
