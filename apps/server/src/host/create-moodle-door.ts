import type { MoodleCourse, ToolHost } from '@lamb/plugin-kit';
import type { RunContext } from '../completions/book-usage.ts';
import type { OutboundFetch } from '../outbound/create-outbound-fetch.ts';
import type { MoodleSite } from './call-moodle.ts';
import { listMoodleCourses } from './list-moodle-courses.ts';

/** What was found in a run, for its later calls; it is forgotten with the run. */
const found = new WeakMap<RunContext, readonly MoodleCourse[]>();

/** The way to the courses of the person who is asking: of the run's principal, and of nobody whom a request or a model names. */
export function createMoodleDoor(
  site: MoodleSite | undefined,
  run: RunContext,
  fetch: OutboundFetch,
): ToolHost['moodle']['courses'] {
  return async (signal) => {
    const known = found.get(run);
    if (known) return known;
    const courses = await listMoodleCourses(site, run.principal.endUser, fetch, signal);
    found.set(run, courses);
    return courses;
  };
}
