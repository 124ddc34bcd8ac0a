/** A piece of a document, in reading order. `page` counts from 1 and is missing where the format has no pages. */
export type Block =
  | { kind: 'heading'; level: number; text: string; page?: number }
  | { kind: 'paragraph'; text: string; page?: number }
  /** A row of a table; `header` marks the first row of each table. */
  | { kind: 'row'; cells: string[]; header?: true; page?: number };

/** What was read from a file. Slides count as pages; sheets do not. */
export interface ExtractedDocument {
  title: string | null;
  pages: number | null;
  blocks: Block[];
}
