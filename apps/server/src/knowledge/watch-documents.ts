import { toCollectionTopic } from '@lamb/knowledge';
import type { Runs } from '@lamb/runs';
import { listDocumentsById, listUnfinishedDocuments, withTenant, type Db, type StoredDocument } from '@lamb/store';

/** What happened to documents of a collection. */
export interface DocumentNews {
  readonly documents: readonly StoredDocument[];
  /** The ids of those that are gone. */
  readonly deleted: readonly string[];
}

export type OnDocuments = (news: DocumentNews) => void;

/** Tells everybody who watches a collection's documents what happens to them, and reads them once for all of them. */
export interface DocumentWatch {
  /** First tells what is under way, then what happens. Returns how to stop. */
  watch(collection: { readonly organizationId: string; readonly id: number }, onDocuments: OnDocuments): () => void;
}

interface Watched {
  readonly watchers: Set<OnDocuments>;
  readonly changed: Set<string>;
  /** Everybody is to be told what is under way: news may have been missed. */
  isBehind: boolean;
  isReading: boolean;
  stop: () => void;
}

/** Makes the watch of one process. */
export function createDocumentWatch(
  runs: Pick<Runs, 'watch'>,
  { db, onError }: { readonly db: Db; readonly onError: (error: unknown) => void },
): DocumentWatch {
  const collections = new Map<number, Watched>();

  const read = async (organizationId: string, id: number, watched: Watched): Promise<void> => {
    if (watched.isReading) return;
    watched.isReading = true;
    try {
      while ((watched.changed.size > 0 || watched.isBehind) && watched.watchers.size > 0) {
        const wanted = [...watched.changed];
        const { isBehind } = watched;
        watched.changed.clear();
        watched.isBehind = false;
        const { named, unfinished } = await withTenant(db, organizationId, async (tx) => ({
          named: await listDocumentsById(tx, wanted),
          unfinished: isBehind ? await listUnfinishedDocuments(tx, id) : [],
        }));
        const known = new Set(named.map((document) => document.id));
        const news: DocumentNews = {
          documents: [...named, ...unfinished.filter((document) => !known.has(document.id))],
          deleted: wanted.filter((one) => !known.has(one)),
        };
        for (const onDocuments of watched.watchers) onDocuments(news);
      }
    } catch (error) {
      watched.isBehind = true;
      onError(error);
    } finally {
      watched.isReading = false;
    }
  };

  return {
    watch({ organizationId, id }, onDocuments) {
      const watched: Watched = collections.get(id) ?? {
        watchers: new Set(),
        changed: new Set(),
        isBehind: true,
        isReading: false,
        stop: () => undefined,
      };
      if (watched.watchers.size === 0) {
        collections.set(id, watched);
        watched.stop = runs.watch(toCollectionTopic(id), (news) => {
          if (news === undefined || news === 'all') watched.isBehind = true;
          else watched.changed.add(news);
          void read(organizationId, id, watched);
        });
      }
      watched.watchers.add(onDocuments);
      watched.isBehind = true;
      void read(organizationId, id, watched);
      return () => {
        watched.watchers.delete(onDocuments);
        if (watched.watchers.size > 0) return;
        watched.stop();
        if (collections.get(id) === watched) collections.delete(id);
      };
    },
  };
}
