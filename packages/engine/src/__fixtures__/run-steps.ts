import type { EventBody } from '../event-sequence.ts';
import type { RunStep } from '../turn-ports.ts';

/** What an earlier process left behind: the results of completed steps, as JSON, and the names of steps with an effect that had begun. */
export interface Journal {
  readonly results: ReadonlyMap<string, string>;
  readonly begun: ReadonlySet<string>;
}

export interface StepRunner {
  readonly step: RunStep;
  /** The names of the steps in the order they were completed. */
  readonly completed: string[];
  /** The names of the steps that were run, not taken from the journal. */
  readonly ran: string[];
  readonly events: (EventBody & { step: string })[];
  readonly journal: { results: Map<string, string>; begun: Set<string> };
}

/** Thrown in place of a killed process. */
export class Killed extends Error {}

interface RunnerOptions {
  readonly journal?: Journal;
  /** Kills the run when so many steps have been completed. */
  readonly killAfter?: number;
  /** Kills the run inside this step, right after it said that its effect begins. */
  readonly killAtBegin?: string;
  readonly signal?: AbortSignal;
}

/** Runs steps as a durable runner would: completed ones are not run again, and results survive only as JSON. */
export function createStepRunner(options: RunnerOptions = {}): StepRunner {
  const { killAfter = Number.POSITIVE_INFINITY, killAtBegin, signal = new AbortController().signal } = options;
  const results = new Map(options.journal?.results);
  const begun = new Set(options.journal?.begun);
  const completed: string[] = [];
  const ran: string[] = [];
  const events: StepRunner['events'] = [];
  const asked = new Set<string>();
  let dead = false;
  const isDead = () => dead;
  const step: RunStep = async (name, work) => {
    if (asked.has(name)) throw new Error(`There are two steps ${name}.`);
    asked.add(name);
    if (dead) throw new Killed();
    const known = results.get(name);
    // The work is what gives the type; JSON is all that is left of it.
    if (known !== undefined) return JSON.parse(known) as Awaited<ReturnType<typeof work>>;
    ran.push(name);
    const result = await work({
      emit: (body) => {
        if (!dead) events.push({ ...body, step: name });
      },
      ready: () => undefined,
      begin: () => {
        const before = begun.has(name);
        begun.add(name);
        if (killAtBegin === name) dead = true;
        return dead ? Promise.reject(new Killed()) : Promise.resolve(before ? 'restarted' : 'fresh');
      },
      signal,
    });
    if (isDead()) throw new Killed();
    results.set(name, JSON.stringify(result));
    completed.push(name);
    if (completed.length >= killAfter) dead = true;
    return result;
  };
  return { step, completed, ran, events, journal: { results, begun } };
}
