import { ProblemBody } from '@lamb/contract';
import type { z } from 'zod';
import { CliError } from './cli-error.ts';

/** The server, as the holder of a key sees it. */
export interface ServerClient {
  /** Asks the server; a form is an upload, anything else goes as JSON. */
  call<Schema extends z.ZodType>(
    reply: Schema,
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body?: unknown,
  ): Promise<z.infer<Schema>>;
}

/** Makes a client of a server; what the server refuses is thrown in its own words. */
export function createServerClient({
  url,
  key,
  signal,
}: {
  url: string;
  key: string;
  signal: AbortSignal;
}): ServerClient {
  return {
    async call(reply, method, path, body) {
      const isForm = body instanceof FormData;
      const response = await send(new URL(path, url), {
        method,
        signal,
        headers: {
          authorization: `Bearer ${key}`,
          accept: 'application/json',
          ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw explainRefusal(response.status, text);
      const parsed = reply.safeParse(parseJson(text));
      if (parsed.success) return parsed.data;
      throw new CliError(
        `${url} answered ${method} ${path} with something else than expected. Is it a LAMB server of this version?`,
        { cause: parsed.error },
      );
    },
  };
}

async function send(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    const reason = cause instanceof Error && cause.cause instanceof Error ? ` (${cause.cause.message})` : '';
    throw new CliError(
      `The server at ${url.origin} cannot be reached${reason}. Check LAMB_URL or --url, and that the server runs.`,
      { cause },
    );
  }
}

function explainRefusal(status: number, text: string): CliError {
  const problem = ProblemBody.safeParse(parseJson(text));
  if (!problem.success) return new CliError(`The server answered with status ${String(status)} and no explanation.`);
  const { title, next, request_id: requestId } = problem.data;
  const request = status >= 500 ? ` (request ${requestId})` : '';
  return new CliError(`${title} ${next}${request}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
