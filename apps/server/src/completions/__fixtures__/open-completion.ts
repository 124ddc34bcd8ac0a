import type { Person, TestServer } from '../../test-server/start-test-server.ts';

export interface OpenCompletion {
  /** Reads until this text has come. */
  readUntil(text: string): Promise<void>;
  /** Closes the connection, as a browser tab does, and gives the time. */
  leave(): number;
}

/** Asks an assistant and leaves the reading, and the leaving, to the test. */
export function openCompletion(
  lamb: Pick<TestServer, 'url'>,
  person: Pick<Person, 'key'>,
  body: { readonly model: string } & Record<string, unknown>,
): OpenCompletion {
  const gone = new AbortController();
  const response = fetch(`${lamb.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'What is a force?' }], ...body }),
    signal: gone.signal,
  });
  // A test that leaves before there is a response does not wait for it.
  response.catch(() => undefined);
  return {
    async readUntil(text) {
      const reader = (await response).body?.pipeThrough(new TextDecoderStream()).getReader();
      let received = '';
      while (!received.includes(text)) {
        const step = await reader?.read();
        if (!step || step.done) throw new Error(`“${text}” never came, but: ${received}`);
        received += step.value;
      }
    },
    leave() {
      gone.abort();
      return Date.now();
    },
  };
}
