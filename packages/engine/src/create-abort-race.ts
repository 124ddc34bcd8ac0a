/**
 * Makes a function that waits for work, but not beyond the abort of the signal. Work that is left behind may end as it
 * likes; nobody hears it.
 */
export function createAbortRace(signal: AbortSignal): <Result>(work: PromiseLike<Result>) => Promise<Result> {
  let giveUp: (reason: unknown) => void = () => undefined;
  // One listener for all the waits of a stream: adding and removing one for each would cost more than the wait.
  signal.addEventListener('abort', () => giveUp(signal.reason), { once: true });
  return (work) =>
    new Promise((resolve, reject) => {
      giveUp = reject;
      if (signal.aborted) reject(signal.reason as Error);
      work.then(resolve, reject);
    });
}
