import { AppError, type RunEvent } from '@lamb/contract';

/**
 * Tells a run to a client that can take nothing back. When a step is begun again, by a process that took the run over, what
 * it had said is not said twice. When it now says something else, the telling ends with `answer_restarted`; the run goes on.
 */
export async function* skipRepeatedText(events: AsyncIterable<RunEvent>): AsyncGenerator<RunEvent> {
  const text = createEcho();
  const reasoning = createEcho();
  for await (const event of events) {
    switch (event.type) {
      case 'step.restarted':
        text.restart(event.step);
        reasoning.restart(event.step);
        yield event;
        break;
      case 'text.delta': {
        const news = text.isCutShort(event.step) ? undefined : text.hear(event.step, event.text);
        if (news === undefined) {
          yield failBecauseItDiffers(event);
          return;
        }
        if (news !== '') yield { ...event, text: news };
        break;
      }
      case 'reasoning.delta': {
        // Thoughts that differ this time are no reason to end an answer that does not.
        const news = reasoning.hear(event.step, event.text);
        if (news !== undefined && news !== '') yield { ...event, text: news };
        break;
      }
      case 'run.finished':
        yield text.isCutShort('') ? failBecauseItDiffers(event) : event;
        break;
      default:
        yield event;
    }
  }
}

interface Echo {
  restart(step: string): void;
  /** What is new of the next piece of a step; undefined: it is not what the step had said before. */
  hear(step: string, piece: string): string | undefined;
  /** Whether a step that was begun again has not repeated all that it had said, now that another one goes on. */
  isCutShort(nextStep: string): boolean;
}

function createEcho(): Echo {
  let speaking = '';
  let said = '';
  let repeated = 0;
  let differs = false;
  return {
    restart(step) {
      if (step !== speaking) return;
      repeated = 0;
      differs = false;
    },
    hear(step, piece) {
      if (step !== speaking) {
        speaking = step;
        said = '';
        repeated = 0;
        differs = false;
      }
      const expected = repeated === said.length ? '' : said.slice(repeated, repeated + piece.length);
      differs ||= !piece.startsWith(expected);
      if (differs) return undefined;
      const news = piece.slice(expected.length);
      said += news;
      repeated += piece.length;
      return news;
    },
    isCutShort: (nextStep) => nextStep !== speaking && repeated < said.length,
  };
}

function failBecauseItDiffers({ run_id, seq, time, step, attempt }: RunEvent): RunEvent {
  const details = { run_id, answer_url: `/lamb/v1/runs/${run_id}/answer` };
  const { code, message } = new AppError('answer_restarted');
  return { type: 'run.failed', run_id, seq, time, step, attempt, code, message, details };
}
