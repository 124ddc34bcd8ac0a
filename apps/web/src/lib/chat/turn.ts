import type { LiveAnswer } from './live-answer.svelte.ts';

/** A question and its answer. */
export interface Turn {
  readonly key: string;
  readonly question: string;
  /** How many images came with the question. */
  readonly images?: number;
  /** Of a chat that is kept: the question's number there. */
  readonly messageId?: number | undefined;
  /** Undefined until the server has taken the question. */
  readonly live: LiveAnswer | undefined;
}
