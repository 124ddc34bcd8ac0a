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
  chunkCount: number;
  createdAt: string;
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

    addFile(
      collection: KbCollection,
      upload: { filename: string; text: string; contentType: string; pluginName: string; chunkSize: number },
      describeUrl: (fileId: number) => string,
    ): KbFile {
      const { filename, text, contentType, pluginName } = upload;
      const chunks = chunkText(text, upload.chunkSize);
      const file: KbFile = {
        id: ++lastFileId,
        collectionId: collection.id,
        filename,
        text,
        contentType,
        pluginName,
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
