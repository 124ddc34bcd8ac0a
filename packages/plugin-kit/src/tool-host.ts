import type { Rubric } from '@lamb/contract';

/** One passage that a knowledge base found. */
export interface KnowledgeHit {
  readonly text: string;
  readonly similarity: number;
  readonly title: string;
  readonly url?: string;
  readonly page?: number;
}

/** What a tool may do. Bound by the server to the assistant's owner and organisation, so a tool cannot forget the check. */
export interface ToolHost {
  readonly knowledge: {
    /** The best passages of one collection, best first. */
    query(
      input: { collection: string; query: string; topK: number; threshold: number },
      signal: AbortSignal,
    ): Promise<readonly KnowledgeHit[]>;
  };
  readonly rubrics: {
    /** A rubric the assistant's owner can read, or undefined. */
    get(id: string, signal: AbortSignal): Promise<Rubric | undefined>;
  };
  readonly files: {
    /** The text of one of the owner's files, cut after `maxChars` characters, or undefined. */
    read(
      path: string,
      options: { maxChars: number },
      signal: AbortSignal,
    ): Promise<{ text: string; truncated: boolean } | undefined>;
  };
}
