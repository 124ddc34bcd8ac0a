import type { ChatMessage, Rubric, Source } from '@lamb/contract';

/** One passage that a knowledge base found. */
export interface KnowledgeHit {
  readonly text: string;
  readonly similarity: number;
  readonly title: string;
  readonly url?: string;
  readonly page?: number;
}

/** A course of the learning management system. */
export interface MoodleCourse {
  readonly id: number;
  readonly shortName: string;
  readonly fullName: string;
  readonly summary: string;
}

/** A reply from outside, read whole, within the limits of the server. */
export interface FetchedReply {
  readonly status: number;
  readonly text: string;
}

/** A text file of a workspace. `version` changes with every write. */
export interface WorkspaceFile {
  readonly path: string;
  readonly text: string;
  readonly version: number;
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
  readonly assistants: {
    /** Asks another assistant, with all its rules, and gives its whole answer. Refusals are `ToolFailure`s. */
    run(
      input: { assistantId: number; query: string },
      signal: AbortSignal,
    ): Promise<{ content: string; sources: readonly Source[] }>;
  };
  readonly moodle: {
    /** The courses of the person in front of the screen; nobody else's can be asked for. */
    courses(signal: AbortSignal): Promise<readonly MoodleCourse[]>;
  };
  readonly model: {
    /** Asks the assistant's own model one thing. Its tokens are the turn's. */
    ask(messages: readonly ChatMessage[], signal: AbortSignal): Promise<string>;
  };
  readonly images: {
    /** Makes an image and stores it as a file of the assistant's owner. */
    generate(prompt: string, signal: AbortSignal): Promise<{ url: string; mediaType: string }>;
  };
  readonly workspace: {
    /** A text file of the workspace, or undefined. */
    read(path: string, signal: AbortSignal): Promise<WorkspaceFile | undefined>;
    /** Replaces a file that is still at `version`, keeping what it was as a backup; a `ToolFailure` when somebody else was faster. */
    replace(file: WorkspaceFile, signal: AbortSignal): Promise<void>;
  };
  /** Fetches a public address; private ones are refused, and the reply is bounded. */
  fetch(url: string, signal: AbortSignal): Promise<FetchedReply>;
}
