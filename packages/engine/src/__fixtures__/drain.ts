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
