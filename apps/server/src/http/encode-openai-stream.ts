import { AppError, type RunEvent, type Usage } from '@lamb/contract';
import { addUsage } from '@lamb/engine';
import { toOpenAiError } from './send-error.ts';

interface StreamOptions {
  readonly model: string;
  readonly created: number;
  readonly requestId: string;
  readonly includeUsage: boolean;
  readonly status: 'events' | 'reasoning' | 'none';
}

/** Turns run events into OpenAI chunks, as server-sent frames; an event with nothing to say gives ''. */
export function createOpenAiEncoder(options: StreamOptions): (event: RunEvent) => string {
  const { model, created, requestId, includeUsage, status } = options;
  let head = '';
  let contentHead = '';
  /** Held back until there is something to follow, so that a turn that fails at once can still be an error response. */
  let opening = '';
  /** The usage chunk follows the one with the finish reason, as OpenAI sends it. */
  let closing = '';
  let used: Usage | undefined;

  const frame = (choices: string, extra = '') => `${head}"choices":[${choices}]${extra}}\n\n`;
  const delta = (content: string, extra = '') => frame(`{"index":0,"delta":${content},"finish_reason":null}`, extra);
  const lamb = (event: RunEvent) => (status === 'events' ? delta('{}', `,"lamb":${toJsonLine(event)}`) : '');
  const afterOpening = (text: string) => {
    if (opening === '' || text === '') return text;
    const both = opening + text;
    opening = '';
    return both;
  };

  return (event) => {
    switch (event.type) {
      case 'text.delta':
        return afterOpening(`${contentHead}${toJsonLine(event.text)}},"finish_reason":null}]}\n\n`);
      case 'run.started': {
        const id = `chatcmpl-${event.run_id}`;
        head = `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created, model }).slice(0, -1)},`;
        contentHead = `${head}"choices":[{"index":0,"delta":{"content":`;
        opening = delta('{"role":"assistant","content":""}') + lamb(event);
        return '';
      }
      case 'reasoning.delta':
        return afterOpening(delta(`{"reasoning_content":${toJsonLine(event.text)}}`));
      case 'status':
        if (status !== 'reasoning') return afterOpening(lamb(event));
        return afterOpening(delta(`{"reasoning_content":${toJsonLine(`${event.text}\n`)}}`));
      case 'call.approval_required': {
        // A person may take days: the client is not left without a word until then.
        const told = opening + lamb(event);
        opening = '';
        return told;
      }
      case 'call.requested':
      case 'call.finished':
      case 'step.restarted':
      case 'tool.started':
      case 'tool.finished':
      case 'source':
        return afterOpening(lamb(event));
      case 'prompt.rendered':
        if (opening === '') return lamb(event);
        opening += lamb(event);
        return '';
      case 'usage':
        used = used ? addUsage(used, event.usage) : event.usage;
        if (includeUsage) closing = frame('', `,"usage":${JSON.stringify(toUsage(used))}`);
        return '';
      case 'run.finished': {
        // Which numbers the answer cites is known only now, and goes out before the chunk that ends it.
        const cited = event.citations ? lamb(event) : '';
        const finish = cited + frame(`{"index":0,"delta":{},"finish_reason":${toJsonLine(event.finish_reason)}}`);
        return afterOpening(`${finish}${closing}data: [DONE]\n\n`);
      }
      case 'run.failed': {
        const { code, message, details = {} } = event;
        return `data: ${toJsonLine(toOpenAiError(new AppError(code, { message, details }), requestId))}\n\n`;
      }
      case 'run.cancelled':
        return '';
    }
  };
}

/** These end a line for some clients (`splitlines` in Python does it), and JSON does not escape them. */
const otherLineEnds = /[\u0085\u2028\u2029]/g;

/** JSON that is one line for every client, whatever is in it. */
function toJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(otherLineEnds, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function toUsage({ prompt_tokens, completion_tokens, total_tokens }: Usage) {
  return { prompt_tokens, completion_tokens, total_tokens };
}
