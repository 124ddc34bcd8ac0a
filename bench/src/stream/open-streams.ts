import { Agent, request } from 'undici';

/** Opens streams at once and reads them to their ends; each must bring exactly this text. */
export async function openStreams(load: {
  url: string;
  key: string;
  body: unknown;
  streams: number;
  expected: string;
}): Promise<void> {
  const dispatcher = new Agent({ connections: null, pipelining: 1 });
  const body = JSON.stringify(load.body);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${load.key}` };
  try {
    const answers = await Promise.all(
      Array.from({ length: load.streams }, async () => {
        const response = await request(load.url, { method: 'POST', headers, body, dispatcher });
        if (response.statusCode !== 200)
          throw new Error(`${String(response.statusCode)}: ${await response.body.text()}`);
        return await readAnswer(response.body);
      }),
    );
    const wrong = answers.filter((answer) => answer !== load.expected).length;
    if (wrong > 0)
      throw new Error(`${String(wrong)} of ${String(load.streams)} streams did not bring the model’s text.`);
  } finally {
    await dispatcher.close();
  }
}

/** The answer's text; everything is kept until the end, so that reading costs the machine little while the streams run. */
async function readAnswer(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks)
    .toString()
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
    .map((frame) => (JSON.parse(frame.slice('data: '.length)) as Chunk).choices[0]?.delta?.content ?? '')
    .join('');
}

interface Chunk {
  readonly choices: readonly { readonly delta?: { readonly content?: string } }[];
}
