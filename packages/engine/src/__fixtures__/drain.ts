import { createEventChannel } from '../event-channel.ts';

/** Lets a test read what a function emits, step by step, while it runs. */
export async function* listen<Event, Result>(
  work: (emit: (event: Event) => void) => Promise<Result>,
): AsyncGenerator<Event, Result> {
  const channel = createEventChannel<Event>();
  const running = work(channel.push);
  void running.finally(channel.close).catch(() => undefined);
  for (let step = await channel.next(); !step.done; step = await channel.next()) yield step.value;
  return await running;
}

/** Reads a generator to its end: what it yielded, and what it returned. */
export async function drain<Event, Result>(
  generator: AsyncGenerator<Event, Result>,
): Promise<{ events: Event[]; result: Result }> {
  const events: Event[] = [];
  for (;;) {
    const step = await generator.next();
    if (step.done) return { events, result: step.value };
    events.push(step.value);
  }
}
