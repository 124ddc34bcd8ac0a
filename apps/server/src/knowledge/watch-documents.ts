import { isDocumentSettled } from '@lamb/contract';
import { toCollectionTopic } from '@lamb/knowledge';
import type { Runs } from '@lamb/runs';
import { listDocumentsById, listUnsettledDocuments, withTenant, type Db, type StoredDocument } from '@lamb/store';

/** What happened to documents of a collection. */
export interface DocumentNews {
  readonly documents: readonly StoredDocument[];
  /** The ids of those that are gone. */
  readonly deleted: readonly string[];
}

export type OnDocuments = (news: DocumentNews) => void;

/** Tells everybody who watches a collection's documents what happens to them, and reads them once for all of them. */
export interface DocumentWatch {
  /** First tells what is under way or was done in the last minute, then what happens. Returns how to stop. */
  watch(collection: { readonly organizationId: string; readonly id: number }, onDocuments: OnDocuments): () => void;
}

interface Watched {
  readonly watchers: Set<OnDocuments>;
  readonly changed: Set<string>;
  /** Those that everybody believes to be under way. */
  readonly underWay: Set<string>;
  readAt: number;
  /** Everybody is to be told what is under way: news may have been missed. */
  isBehind: boolean;
  isReading: boolean;
  stop: () => void;
}

const RETRY_MS = 1000;
/** So long a change may take from its time to when others see it, with what clocks differ. */
const MARGIN_MS = 60_000;

/** Makes the watch of one process. */
export function createDocumentWatch(
  runs: Pick<Runs, 'watch'>,
  { db, onError }: { readonly db: Db; readonly onError: (error: unknown) => void },
): DocumentWatch {
  const collections = new Map<number, Watched>();

  const look = async (
    organizationId: string,
    id: number,
    wanted: readonly string[],
    since: Date | undefined,
  ): Promise<DocumentNews> => {
    const { named, unsettled } = await withTenant(db, organizationId, async (tx) => ({
      named: await listDocumentsById(tx, wanted),
      unsettled: since ? await listUnsettledDocuments(tx, id, since) : [],
    }));
    const known = new Set(named.map((document) => document.id));
    return {
      documents: [...named, ...unsettled.filter((document) => !known.has(document.id))],
      deleted: wanted.filter((one) => !known.has(one)),
    };
  };
  const read = async (organizationId: string, id: number, watched: Watched): Promise<void> => {
    if (watched.isReading) return;
    watched.isReading = true;
    try {
      while ((watched.changed.size > 0 || watched.isBehind) && watched.watchers.size > 0) {
        const { isBehind } = watched;
        if (isBehind) for (const one of watched.underWay) watched.changed.add(one);
        const wanted = [...watched.changed];
        const since = new Date(watched.readAt - MARGIN_MS);
        watched.changed.clear();
        watched.isBehind = false;
        const news = await look(organizationId, id, wanted, isBehind ? since : undefined).catch((error: unknown) => {
          for (const one of wanted) watched.changed.add(one);
          watched.isBehind ||= isBehind;
          throw error;
        });
        watched.readAt = Date.now();
        for (const one of news.deleted) watched.underWay.delete(one);
        for (const { id: one, status } of news.documents) {
          if (isDocumentSettled(status)) watched.underWay.delete(one);
          else watched.underWay.add(one);
        }
        for (const onDocuments of watched.watchers) onDocuments(news);
      }
    } catch (error) {
      onError(error);
      setTimeout(() => void read(organizationId, id, watched), RETRY_MS).unref();
    } finally {
      watched.isReading = false;
    }
  };

  return {
    watch({ organizationId, id }, onDocuments) {
      const watched: Watched = collections.get(id) ?? {
        watchers: new Set(),
        changed: new Set(),
        underWay: new Set(),
        readAt: Date.now(),
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
