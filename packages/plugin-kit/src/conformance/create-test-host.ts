import type { ToolHost } from '../tool-host.ts';

/** A host for tests: what is not given fails, so that a tool's use of it is noticed. */
export function createTestHost(open: Partial<ToolHost> = {}): ToolHost {
  const closed = () => Promise.reject(new Error('This test did not open that door of the host.'));
  return {
    knowledge: { query: closed },
    rubrics: { get: closed },
    files: { read: closed },
    assistants: { run: closed },
    moodle: { courses: closed },
    model: { ask: closed },
    images: { generate: closed },
    workspace: { list: closed, read: closed, replace: closed },
    fetch: closed,
    ...open,
  };
}
