import { startFaultyServer, type FaultyServer } from '../http/start-faulty-server.ts';
import { answerKbRequest, type HitsKey } from './answer-kb-request.ts';
import { createKbStore, type KbDocument } from './create-kb-store.ts';

export interface KbServerOptions {
  /** Default: a free one. */
  port?: number;
  /** The bearer token. Default: `kb-token`. */
  token?: string;
  /** What a query calls its hits. Default `results`. */
  hitsKey?: HitsKey;
}

export interface KbServer extends FaultyServer {
  token: string;
  /** Makes a collection with these texts and returns its id. */
  addCollection(name: string, documents?: KbDocument[]): number;
}

/** Starts a knowledge-base server with real, if naive, retrieval. A reset keeps its collections. */
export async function startKbServer(options: KbServerOptions = {}): Promise<KbServer> {
  const token = options.token ?? 'kb-token';
  const hitsKey = options.hitsKey ?? 'results';
  const store = createKbStore();
  const server = await startFaultyServer({
    port: options.port,
    describeError: (status) => ({ detail: `Scripted error ${status}.` }),
    async answer(request) {
      if (request.path !== '/health' && request.headers.authorization !== `Bearer ${token}`) {
        const body = { detail: 'Invalid authentication token' };
        return { status: 401, body, headers: { 'www-authenticate': 'Bearer' } };
      }
      const contentType = request.headers['content-type'] ?? '';
      return await answerKbRequest(store, { ...request, contentType }, hitsKey);
    },
  });
  return {
    ...server,
    token,
    addCollection(name, documents = []) {
      const collection = store.addCollection(name);
      store.addDocuments(collection, documents);
      return collection.id;
    },
  };
}
