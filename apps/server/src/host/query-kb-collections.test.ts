import { startKbServer } from '@lamb/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOutboundDispatcher } from '../outbound/create-outbound-dispatcher.ts';
import { createOutboundFetch } from '../outbound/create-outbound-fetch.ts';
import { queryKbCollections } from './query-kb-collections.ts';

let kb: Awaited<ReturnType<typeof startKbServer>>;
let dispatcher: ReturnType<typeof createOutboundDispatcher>;
let physics: string;
let algebra: string;

beforeAll(async () => {
  kb = await startKbServer();
  dispatcher = createOutboundDispatcher({ allow: [new URL(kb.url).host] });
  const add = (name: string, ...texts: string[]) =>
    String(
      kb.addCollection(
        name,
        texts.map((text) => ({ text, metadata: { filename: `${name}.pdf` } })),
      ),
    );
  physics = add('physics', 'a vector has a length', 'a force');
  algebra = add('algebra', 'a vector', 'a vector has coordinates');
});
afterAll(async () => {
  await dispatcher.destroy();
  await kb.stop();
});

function search(collections: readonly string[], topK = 2, signal = new AbortController().signal) {
  const fetch = createOutboundFetch(dispatcher);
  const query = { query: 'a vector has a length', topK, threshold: 0.01, fetch, signal };
  return queryKbCollections({ baseUrl: kb.url, apiKey: kb.token, collections, ...query });
}

test('passages of all collections come by their rank, at most so many of each', async () => {
  const { hits, problems } = await search([algebra, physics]);
  expect(problems).toEqual([]);
  expect(hits[0]).toMatchObject({ collection: physics, text: 'a vector has a length', title: 'physics.pdf' });
  expect(hits.map(({ collection }) => collection)).toEqual([physics, algebra, algebra, physics]);
  const { hits: fewer } = await search([algebra, physics], 1);
  expect(fewer.map(({ collection }) => collection).toSorted()).toEqual([algebra, physics].toSorted());
});

test('a collection that is missing does not lose the others', async () => {
  const { hits, problems } = await search([physics, '999', '../1']);
  expect(hits.length).toBeGreaterThan(0);
  expect(problems).toEqual([
    {
      collection: '999',
      message: 'Collection 999 could not be queried: the knowledge-base server has no such collection.',
    },
    { collection: '../1', message: expect.stringContaining('letters, digits') as string },
  ]);
});

test('an abort is no problem of a collection', async () => {
  const controller = new AbortController();
  const searching = search([physics], 1, controller.signal);
  controller.abort();
  await expect(searching).rejects.toBe(controller.signal.reason);
});
