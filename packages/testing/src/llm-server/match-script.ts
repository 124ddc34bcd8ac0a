import type { LlmReply } from './llm-reply.ts';
import { readArray, readObject, readString } from '../http/read-json.ts';
import type { RecordedRequest } from './recorded-request.ts';

/** A reply with the requests it is for. As JSON, this is what `POST /__script` takes. */
export interface ScriptedReply extends LlmReply {
  when?: RequestMatch;
  /** How many requests it answers. Default 1. */
  times?: number | 'always';
}

export interface RequestMatch {
  /** Exactly this path. Needed to script what is no chat or image: `/v1/models`, `/v1/embeddings`, `/api/tags`, `/api/embed`. */
  path?: string;
  model?: string;
  /** Text that occurs in the last message. */
  lastMessage?: string;
  /** Text that occurs anywhere in the body, as JSON. */
  contains?: string;
}

/**
 * Chooses by looking at the request; undefined leaves it to the entries after it. Never used up. A promise keeps the client
 * waiting until the test lets it go on.
 */
export type Responder = (request: RecordedRequest) => LlmReply | Promise<LlmReply> | undefined;

export type ScriptEntry = ScriptedReply | Responder;

/** Takes the first entry that fits the request from the queue, counting down its `times`. */
export function takeReply(
  queue: ScriptEntry[],
  request: RecordedRequest,
  generates: boolean,
): LlmReply | Promise<LlmReply> | undefined {
  for (const [index, entry] of queue.entries()) {
    if (typeof entry === 'function') {
      const reply = entry(request);
      if (reply !== undefined) return reply;
      continue;
    }
    if (!fits(entry.when ?? {}, request, generates)) continue;
    const times = entry.times ?? 1;
    if (times === 'always') return entry;
    if (times > 1) queue[index] = { ...entry, times: times - 1 };
    else queue.splice(index, 1);
    return entry;
  }
  return undefined;
}

function fits(when: RequestMatch, request: RecordedRequest, generates: boolean): boolean {
  if (when.path === undefined ? !generates : when.path !== request.path) return false;
  if (when.model !== undefined && when.model !== readString(readObject(request.body).model)) return false;
  if (when.contains !== undefined && !JSON.stringify(request.body).includes(when.contains)) return false;
  if (when.lastMessage !== undefined) {
    const last = JSON.stringify(readArray(readObject(request.body).messages).at(-1) ?? '');
    if (!last.includes(when.lastMessage)) return false;
  }
  return true;
}
