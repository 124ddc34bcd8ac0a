import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { sendJson } from './send-json.ts';

/** What goes wrong with a request. As JSON, this is what `POST /__fail` takes. */
export interface ServerFault {
  /** Text that occurs in the path, e.g. `/query` or `/collections/3/`. Default: any request. */
  path?: string;
  /** How many requests it meets. Default 1. */
  times?: number | 'always';
  /** Answer this much later, and then properly unless something else is wrong. */
  delayMs?: number;
  status?: number;
  /** Never answer. */
  hang?: boolean;
  /** Answer 200 with something that is no JSON. */
  garbage?: boolean;
}

/** Takes the first fault that fits the path, counting down its `times`. */
export function takeFault(queue: ServerFault[], path: string): ServerFault | undefined {
  const index = queue.findIndex((fault) => path.includes(fault.path ?? ''));
  const fault = queue[index];
  if (fault === undefined || fault.times === 'always') return fault;
  const left = (fault.times ?? 1) - 1;
  if (left > 0) queue[index] = { ...fault, times: left };
  else queue.splice(index, 1);
  return fault;
}

/** Does what the fault says; returns whether the request still wants its proper answer. */
export async function applyFault(
  fault: ServerFault,
  response: ServerResponse,
  describeError: (status: number) => unknown,
): Promise<boolean> {
  if (fault.delayMs !== undefined) {
    const left = new AbortController();
    response.once('close', () => {
      left.abort();
    });
    await wait(fault.delayMs, undefined, { signal: left.signal });
  }
  if (fault.hang === true) return false;
  if (fault.status !== undefined) {
    sendJson(response, fault.status, describeError(fault.status));
    return false;
  }
  if (fault.garbage === true) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"results": [{"similarity": 0.9, "da');
    return false;
  }
  return true;
}
