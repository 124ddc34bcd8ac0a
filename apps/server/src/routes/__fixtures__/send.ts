import type { Reply, TestServer } from '../../test-server/start-test-server.ts';

interface Outgoing {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData;
}

/** Sends a request exactly as it is given; redirects are not followed. */
export async function send(
  { url }: Pick<TestServer, 'url'>,
  method: string,
  path: string,
  { headers = {}, body }: Outgoing = {},
): Promise<Reply> {
  const response = await fetch(url + path, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}
