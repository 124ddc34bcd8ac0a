/** What the scripted model answers to one request, in words that fit every wire format. All of it is optional, and all but `after` JSON. */
export interface LlmReply {
  /** The answer; sent in pieces of one word. */
  text?: string;
  /** The answer in exactly these pieces. Wins over `text`. */
  chunks?: string[];
  /** An answer of this many numbered tokens, `t1 t2 t3 …`, so that a lost or doubled one is seen. */
  tokens?: number;
  /** Thinking, sent before the answer: `reasoning_content`, `thinking` or a thinking block. */
  reasoning?: string;
  toolCalls?: LlmToolCall[];
  /** How many images an image request gets. Default 1, but 0 for Gemini when there is `text`. */
  images?: number;
  /** How long an embedding's vectors are, whatever was asked for. */
  dimensions?: number;
  /** `null`: the provider reports none. Default: counted. */
  usage?: { promptTokens: number; completionTokens: number } | null;
  /** In OpenAI's vocabulary, translated for the others. `null`: the stream ends without one. */
  finishReason?: 'stop' | 'length' | 'tool_calls' | 'content_filter' | null;
  /** Before the headers and the first token. */
  firstDelayMs?: number;
  /** The request is held until this resolves; for tests in the same process. */
  after?: Promise<unknown>;
  /** Between two chunks. Default 0: all at once. */
  intervalMs?: number;
  /** Encode once and send the same bytes, completion id included, to every request: cheap enough for benches. */
  prebuilt?: boolean;
  faults?: LlmFaults;
}

export interface LlmToolCall {
  /** Default: `call_1`, `call_2`, … in OpenAI's and Ollama's format, `toolu_1`, … in Anthropic's. */
  id?: string;
  name: string;
  /** A string is sent as it is, valid JSON or not. */
  arguments: Record<string, unknown> | string;
}

/** What goes wrong. Chunks are counted over thinking, text and tool-call pieces, from 1. */
export interface LlmFaults {
  /** An error instead of an answer, in the wire format's own body. */
  status?: number;
  retryAfterSeconds?: number;
  /** Replaces parts of the error body. */
  error?: { message?: string; type?: string; code?: string };
  /** Accept the request and never answer. */
  hangBeforeHeaders?: boolean;
  /** Send this many chunks, then nothing, with the connection open. Without streaming: half of the body. */
  hangAfterChunks?: number;
  /** Send this many chunks, then close the socket. Without streaming: half of the body. */
  cutAfterChunks?: number;
  /** Send this many chunks, then an error in the stream, as providers do when they fail late. */
  errorAfterChunks?: number;
  /** This chunk is half of its JSON. Without streaming: the body. */
  brokenJsonAtChunk?: number;
  /** Each tool call's arguments end half-way. */
  truncateToolArguments?: boolean;
  toolCallIds?: 'missing' | 'duplicate';
  /** Write this many bytes at a time, also through the middle of a UTF-8 sequence. */
  splitBytes?: number;
  /** Write this many events at a time. */
  eventsPerWrite?: number;
}

/** Numbered tokens as an answer contains them, e.g. to compare with. */
export function numberTokens(count: number): string {
  return listTokens(count).join('');
}

export function listTokens(count: number): string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? 't1' : ` t${index + 1}`));
}
