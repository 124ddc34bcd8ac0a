import type { ChatMessage, Rubric, Source } from '@lamb/contract';

/** One passage that a knowledge base found, with all that a citation of it needs. */
export interface KnowledgeHit {
  /** The id by which the collection was asked for. */
  readonly collection: string;
  readonly documentId?: string;
  readonly text: string;
  /** From 0 to 1; left out where only words were compared. */
  readonly similarity?: number;
  /** What people call the document: its title or its file name. */
  readonly title: string;
  /** The headings it stands under, outermost first. */
  readonly headingPath?: readonly string[];
  readonly page?: number;
  /** Its last page, when it goes over more than one. */
  readonly pageTo?: number;
  /** Where a person can read it: the stable link of the passage, or else the document. */
  readonly url?: string;
}

/** What a search in several collections gave. One that could not be searched does not lose the others. */
export interface KnowledgeAnswer {
  /** Best first over all collections. */
  readonly hits: readonly KnowledgeHit[];
  /** The collections that could not be searched, each with a sentence that is safe to show. */
  readonly problems: readonly { readonly collection: string; readonly message: string }[];
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
    /** The best passages of the collections, at most `topK` of each. It rejects only when nothing could be tried at all. */
    query(
      input: { collections: readonly string[]; query: string; topK: number; threshold: number },
      signal: AbortSignal,
    ): Promise<KnowledgeAnswer>;
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
    /** Makes an image and stores it as a file of the person who is asking; for the same key it is made once. */
    generate(
      wanted: { readonly prompt: string; readonly key: string },
      signal: AbortSignal,
    ): Promise<{ url: string; mediaType: string }>;
  };
  readonly workspace: {
    /** The paths of all files of the workspace, in order. */
    list(signal: AbortSignal): Promise<readonly string[]>;
    /** A text file of the workspace, or undefined. */
    read(path: string, signal: AbortSignal): Promise<WorkspaceFile | undefined>;
    /** Replaces a file that is still at `version`, keeping what it was as a backup; a `ToolFailure` when somebody else was faster. */
    replace(file: WorkspaceFile, signal: AbortSignal): Promise<void>;
  };
  /** Fetches a public address; private ones are refused, and the reply is bounded. */
  fetch(url: string, signal: AbortSignal): Promise<FetchedReply>;
}
