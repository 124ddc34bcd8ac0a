/** A passage that was found, and why it ranked where it did. */
export interface SearchHit {
  collectionId: number;
  documentId: string;
  chunkId: number;
  ordinal: number;
  filename: string;
  title: string | null;
  text: string;
  headingPath: string[];
  pageFrom: number | null;
  pageTo: number | null;
  /** Where it is in the document's text. */
  start: number;
  end: number;
  sourceUrl: string | null;
  /** From 0 to 1; 1: first by words and by meaning. */
  score: number;
  /** Cosine, from 0 to 1; null where only words were compared. */
  similarity: number | null;
  lexicalRank: number | null;
  lexicalScore: number | null;
  denseRank: number | null;
}
