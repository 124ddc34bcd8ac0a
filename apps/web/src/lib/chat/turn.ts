import type { LiveAnswer } from './live-answer.svelte.ts';

/** What is asked; with the key of a turn, in its place. */
export type Asked = Pick<Turn, 'question' | 'pictures'> & Partial<Pick<Turn, 'key'>>;

/** A question and its answer. */
export interface Turn {
  readonly key: string;
  readonly question: string;
  /** The addresses of the pictures that came with the question. */
  readonly pictures: readonly string[];
  /** Of a chat that is kept: the question's number there. */
  readonly messageId?: number | undefined;
  /** Undefined until the server has taken the question. */
  readonly live: LiveAnswer | undefined;
}
