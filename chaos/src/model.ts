import { startLlmServer } from '@lamb/testing';
import { readRunNumber, scriptRun, usageOf } from './runs/script-run.ts';

/** Between two tokens: long enough that a run is under way when somebody is killed. */
const INTERVAL_MS = 20;

interface Message {
  readonly role: string;
  readonly content: string;
}

// A model that knows from the conversation which run it speaks in, so that it says the same whoever asks, and how often.
const server = await startLlmServer();
server.script((request) => {
  const { messages } = request.body as { messages: Message[] };
  const number = readRunNumber(JSON.stringify(messages));
  if (number === undefined) return undefined;
  const turn = messages.some(({ role }) => role === 'tool') ? 2 : 1;
  const { first, calls, second } = scriptRun(number);
  const usage = usageOf(number, turn);
  if (turn === 2) return { chunks: second, usage, intervalMs: INTERVAL_MS };
  const toolCalls = Array.from({ length: calls }, (_, part) => ({ name: 'effect', arguments: { number, part } }));
  return { chunks: first, toolCalls, usage, intervalMs: INTERVAL_MS };
});
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
process.stdout.write(`listening on ${server.url}\n`);
