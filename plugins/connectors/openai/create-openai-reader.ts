import { AppError } from '@lamb/contract';
import type { ModelEvent } from '@lamb/plugin-kit';
import { createParser } from 'eventsource-parser';
import { createUtf8Decoder } from '../wire/create-utf8-decoder.ts';
import type { WireReader } from '../wire/wire-reader.ts';
import { createChunkTemplate } from './create-chunk-template.ts';
import { readOpenAiChunk, type OpenAiEnding } from './read-openai-chunk.ts';

/** Far above any chunk that makes sense, a megabyte of tool arguments included. */
const longestEvent = 8 * 1024 * 1024;

/** Reads a stream of `chat.completion.chunk` events. The key is kept out of error messages. */
export function createOpenAiReader(apiKey: string | undefined): WireReader {
  const decode = createUtf8Decoder();
  const template = createChunkTemplate();
  const ending: OpenAiEnding = { reason: undefined, usage: undefined };
  let events: ModelEvent[] = [];
  let done = false;

  const parser = createParser({
    maxBufferSize: longestEvent,
    onEvent({ data }) {
      if (done) return;
      const text = template.match(data);
      if (text !== undefined) {
        if (text !== '') events.push({ type: 'text', text });
      } else if (data === '[DONE]') finish();
      else readChunk(data);
    },
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw new AppError('provider_stream_broken', { cause: error });
    },
  });

  function readChunk(data: string): void {
    const before = events.length;
    readOpenAiChunk(data, ending, events, apiKey);
    const added = events[before];
    if (added?.type === 'text') template.learn(data, added.text);
  }

  function finish(): void {
    if (ending.reason === undefined) throw new AppError('provider_stream_broken');
    done = true;
    if (ending.usage !== undefined) events.push({ type: 'usage', ...ending.usage });
    events.push({ type: 'finish', reason: ending.reason });
  }

  return {
    read(bytes, into) {
      events = into;
      parser.feed(decode(bytes));
    },
    end(into) {
      events = into;
      parser.feed('\n\n');
      if (!done) finish();
    },
  };
}
