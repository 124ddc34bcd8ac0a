import type { AssistantBody, Problem } from '@lamb/contract';
import { api, unwrap } from '#lib/api/client.ts';

/** Long enough not to ask at every letter, short enough to be an answer to what was just written. */
const WAIT_MS = 400;

/** Asks the server, a moment later, what is wrong with an assistant as it stands; returns how to give up. */
export function watchProblems(body: AssistantBody, tell: (problems: Problem[]) => void): () => void {
  const abort = new AbortController();
  const timer = setTimeout(() => void ask(), WAIT_MS);

  async function ask(): Promise<void> {
    try {
      const { problems } = await unwrap(
        // A name that is still missing is told where it is entered.
        api.POST('/lamb/v1/assistants/validate', {
          body: { ...body, name: body.name.trim() === '' ? '-' : body.name.slice(0, 200) },
          signal: abort.signal,
        }),
      );
      if (!abort.signal.aborted) tell(problems);
    } catch {
      // Nothing is known then; what is wrong is said again on saving.
    }
  }

  return () => {
    clearTimeout(timer);
    abort.abort();
  };
}
