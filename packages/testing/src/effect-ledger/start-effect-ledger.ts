import { parseJson } from '../http/parse-json.ts';
import { readObject } from '../http/read-json.ts';
import { startFaultyServer, type FaultyServer } from '../http/start-faulty-server.ts';

/** One effect, as it was sent. */
export interface Effect extends Record<string, unknown> {
  key: string;
  /** From 1, over all keys. */
  serial: number;
  /** The how manieth of its key; more than 1 is an effect that happened twice. */
  count: number;
}

export interface EffectLedger extends FaultyServer {
  effects: Effect[];
}

/**
 * Starts the world in which tools have effects: `POST /effects {key, …}` appends one and says the how manieth of its key
 * it is, `GET /effects` returns all. It never refuses a repetition: that there is none is what a test shows.
 */
export async function startEffectLedger(options: { port?: number } = {}): Promise<EffectLedger> {
  const effects: Effect[] = [];
  const counts = new Map<string, number>();
  const server = await startFaultyServer({
    port: options.port,
    describeError: (status) => ({ error: `Scripted error ${status}.` }),
    answer({ method, path, body }) {
      if (path !== '/effects') return { status: 404, body: { error: 'There is only /effects.' } };
      if (method === 'GET') return { status: 200, body: effects };
      const given = readObject(parseJson(body.toString()));
      const { key } = given;
      if (method !== 'POST' || typeof key !== 'string' || key === '') {
        return { status: 400, body: { error: 'Send a JSON object with a key, by POST.' } };
      }
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      const effect: Effect = { ...given, key, serial: effects.length + 1, count };
      effects.push(effect);
      return { status: 201, body: effect };
    },
  });
  return {
    ...server,
    effects,
    reset() {
      server.reset();
      effects.length = 0;
      counts.clear();
    },
  };
}
