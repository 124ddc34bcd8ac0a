import { chunkText } from './chunk-text.ts';
import { scoreOverlap } from './score-overlap.ts';

export interface KbDocument {
  text: string;
  metadata?: Record<string, unknown>;
}

export interface KbFile {
  id: number;
  collectionId: number;
  filename: string;
  text: string;
  contentType: string;
  pluginName: string;
  /** Where it was taken from, if from the web. */
  sourceUrl: string | undefined;
  status: 'completed' | 'failed';
  /** Why it failed. */
  problem: string | undefined;
  chunkCount: number;
  createdAt: string;
}

export interface KbUpload {
  filename: string;
  text: string;
  contentType: string;
  pluginName: string;
  chunkSize: number;
  sourceUrl?: string;
}

export interface KbCollection {
  id: number;
  name: string;
  description: string;
  owner: string;
  createdAt: string;
  documents: Required<KbDocument>[];
}

export interface KbHit {
  similarity: number;
  data: string;
  metadata: Record<string, unknown>;
}

export type KbStore = ReturnType<typeof createKbStore>;

/** Collections of texts in memory. */
export function createKbStore() {
  const collections = new Map<number, KbCollection>();
  const files = new Map<number, KbFile>();
  let lastId = 0;
  let lastFileId = 0;

  return {
    collections,
    files,

    addCollection(name: string, fields: { description?: string; owner?: string } = {}): KbCollection {
      const collection = {
        id: ++lastId,
        name,
        description: fields.description ?? '',
        owner: fields.owner ?? '',
        createdAt: new Date().toISOString(),
        documents: [],
      };
      collections.set(collection.id, collection);
      return collection;
    },

    removeCollection(id: number): void {
      collections.delete(id);
      for (const file of files.values()) if (file.collectionId === id) files.delete(file.id);
    },

    addDocuments(collection: KbCollection, documents: KbDocument[]): void {
      const first = collection.documents.length;
      for (const [index, { text, metadata }] of documents.entries()) {
        collection.documents.push({ text, metadata: { chunk_index: first + index, ...metadata } });
      }
    },

    addFile(collection: KbCollection, upload: KbUpload, describeUrl: (fileId: number) => string): KbFile {
      const { filename, text, contentType, pluginName, sourceUrl } = upload;
      const problem = findProblem(upload);
      const chunks = problem === undefined ? chunkText(text, upload.chunkSize) : [];
      const file: KbFile = {
        id: ++lastFileId,
        collectionId: collection.id,
        filename,
        text,
        contentType,
        pluginName,
        sourceUrl,
        status: problem === undefined ? 'completed' : 'failed',
        problem,
        chunkCount: chunks.length,
        createdAt: new Date().toISOString(),
      };
      files.set(file.id, file);
      for (const [index, chunk] of chunks.entries()) {
        collection.documents.push({
          text: chunk.text,
          metadata: {
            filename,
            file_url: describeUrl(file.id),
            ...(sourceUrl === undefined ? {} : { source_url: sourceUrl }),
            page: chunk.page,
            chunk_index: index,
            chunk_count: chunks.length,
          },
        });
      }
      return file;
    },

    query(collection: KbCollection, text: string, topK: number, threshold: number): KbHit[] {
      return collection.documents
        .map((each) => ({ similarity: scoreOverlap(text, each.text), data: each.text, metadata: each.metadata }))
        .filter((hit) => hit.similarity > 0 && hit.similarity >= threshold)
        .toSorted((left, right) => right.similarity - left.similarity)
        .slice(0, topK);
    },
  };
}

/** It reads text only; what says that it is more must at least be whole. */
function findProblem({ filename, text }: KbUpload): string | undefined {
  if (filename.endsWith('.pdf') && !/^%PDF-.*%%EOF\s*$/s.test(text)) return 'The file is not a whole PDF.';
  return text.trim() === '' ? 'The file has no text.' : undefined;
}
