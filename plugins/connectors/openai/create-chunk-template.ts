import type { ModelEvent } from '@lamb/plugin-kit';
import { readOpenAiChunk, type OpenAiEnding } from './read-openai-chunk.ts';

/** Knows what all text chunks of one stream have in common, so that only their text needs to be read. */
export interface ChunkTemplate {
  /** The text of a chunk that is like the learnt one in everything else; undefined when it must be parsed. */
  match(data: string): string | undefined;
  /** Learns from a chunk that was parsed and gave nothing but this text. */
  learn(data: string, text: string): void;
}

// A stream whose chunks keep differing elsewhere (a time, random padding) is not worth more attempts.
const mostLessons = 4;
const probe = 'lamb probe';
// eslint-disable-next-line no-control-regex -- these are the characters that JSON must escape
const escapedInJson = /["\\\u0000-\u001f]/u;

/**
 * Parsing a chunk's JSON costs more than all else that is done with it, and the chunks of a stream differ in one string.
 *
 * A chunk is split at that string into prefix and suffix. The split is accepted when the parser, given the same chunk
 * with a string that occurs nowhere in it, reads exactly that string: then the place between prefix and suffix is the
 * value that is read as text. JSON in which one string value is replaced by another one is the same JSON but for that
 * value, so any chunk with this prefix and suffix and a string without escapes in between needs no parsing.
 */
export function createChunkTemplate(): ChunkTemplate {
  let prefix: string | undefined;
  let suffix = '';
  let lessons = 0;

  return {
    match(data) {
      if (prefix === undefined) return undefined;
      const end = data.length - suffix.length;
      if (end < prefix.length) return undefined;
      // Comparing slices takes half the time of startsWith and endsWith.
      const [head, tail] = [data.slice(0, prefix.length), data.slice(end)];
      if (head !== prefix || tail !== suffix) return undefined;
      const text = data.slice(prefix.length, end);
      return escapedInJson.test(text) ? undefined : text;
    },
    learn(data, text) {
      if (lessons === mostLessons || escapedInJson.test(text)) return;
      const start = data.indexOf(`"${text}"`, data.indexOf('"content"') + '"content"'.length) + 1;
      if (start === 0 || data.includes(probe)) return;
      lessons++;
      const before = data.slice(0, start);
      const after = data.slice(start + text.length);
      if (!readsProbe(`${before}${probe}${after}`)) return;
      prefix = before;
      suffix = after;
    },
  };
}

function readsProbe(data: string): boolean {
  const ending: OpenAiEnding = { reason: undefined, usage: undefined };
  const events: ModelEvent[] = [];
  try {
    readOpenAiChunk(data, ending, events, undefined);
  } catch {
    return false;
  }
  const [event] = events;
  const onlyText = events.length === 1 && event?.type === 'text' && event.text === probe;
  return onlyText && ending.reason === undefined && ending.usage === undefined;
}
