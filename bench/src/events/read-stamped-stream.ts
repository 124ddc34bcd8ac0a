import { StringDecoder } from 'node:string_decoder';
import { request, type Dispatcher } from 'undici';

const STAMPED = / (\d+)@(\d{13})/g;

/** Reads one answer of the stamping model to its end and gives each token's delay in milliseconds; a lost, doubled or misplaced token is an error. */
export async function readStampedStream(
  ask: { url: string; key: string; body: unknown; dispatcher: Dispatcher },
  tokens: number,
): Promise<number[]> {
  const { statusCode, body } = await request(ask.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ask.key}` },
    body: JSON.stringify(ask.body),
    dispatcher: ask.dispatcher,
  });
  if (statusCode !== 200) throw new Error(`${String(statusCode)}: ${await body.text()}`);
  const delays: number[] = [];
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of body) {
    const now = Date.now();
    const text = rest + decoder.write(chunk as Buffer);
    // A token may be cut anywhere; frames end with an empty line.
    const end = text.lastIndexOf('\n\n') + 1;
    rest = text.slice(end);
    for (const [, number, sentAt] of text.slice(0, end).matchAll(STAMPED)) {
      if (Number(number) !== delays.length + 1) {
        throw new Error(`Token ${number ?? '?'} came where ${String(delays.length + 1)} was due.`);
      }
      delays.push(now - Number(sentAt));
    }
  }
  if (delays.length !== tokens) throw new Error(`${String(delays.length)} of ${String(tokens)} tokens came.`);
  return delays;
}
