import { defineTool, type MoodleCourse, type ToolHost, type ToolResult } from '@lamb/plugin-kit';
import { z } from 'zod';

/** Tells which courses of Moodle the person in front of the screen is enrolled in. Nobody else's can be asked for. */
export const moodle = defineTool({
  name: 'moodle',
  version: '1.0',
  category: 'lms',
  title: 'Moodle courses',
  description: 'Tells the assistant which Moodle courses the person who is asking is enrolled in.',
  config: z.object({}),
  context: {
    placeholder: 'moodle_courses',
    status: () => 'reading Moodle courses',
    run: ({ host, signal }) => listCourses(host, signal),
  },
  function: {
    name: () => 'get_moodle_courses',
    description: () => 'Lists the Moodle courses that the person who is asking is enrolled in. It takes no arguments.',
    // What a model sends all the same, a user id for example, is dropped.
    input: z.object({}),
    effect: 'none',
    run: ({ host, signal }) => listCourses(host, signal),
  },
});

async function listCourses(host: ToolHost, signal: AbortSignal): Promise<ToolResult> {
  signal.throwIfAborted();
  const courses = await host.moodle.courses(signal);
  return {
    content: courses.length === 0 ? 'The person is not enrolled in any course.' : courses.map(describe).join('\n'),
    sources: courses.map(({ id, fullName }) => ({ title: fullName, kind: 'moodle', id: String(id) })),
    metadata: { courses: courses.length },
  };
}

function describe({ fullName, shortName, summary }: MoodleCourse): string {
  return `- ${fullName} (${shortName})${summary === '' ? '' : `: ${summary}`}`;
}
