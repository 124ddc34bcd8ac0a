import type { Chunk } from './split-blocks.ts';

/** What is embedded and searched for a chunk: its headings, then its text. */
export function indexText({ headingPath, content }: Pick<Chunk, 'headingPath' | 'content'>): string {
  return headingPath.length === 0 ? content : `${headingPath.join(' > ')}\n${content}`;
}
