import { DocumentResource, DocumentsAdded } from '@lamb/contract';
import { expect, vi } from 'vitest';
import type { Person, TestServer } from '../../test-server/start-test-server.ts';
import { send } from '../../routes/__fixtures__/send.ts';

/** Uploads files to a collection, as a form does. */
export async function uploadDocuments(
  lamb: TestServer,
  person: Pick<Person, 'key'>,
  collection: number,
  files: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>,
) {
  const form = new FormData();
  for (const [name, content] of Object.entries(files)) form.append('file', new Blob([content]), name);
  const headers = { authorization: `Bearer ${person.key}` };
  return await send(lamb, 'POST', `/lamb/v1/collections/${collection}/documents`, { headers, body: form });
}

/** Uploads one file and waits until it can be searched. */
export async function addDocument(
  lamb: TestServer,
  person: Pick<Person, 'key'>,
  collection: number,
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
): Promise<DocumentResource> {
  const reply = await uploadDocuments(lamb, person, collection, { [name]: content });
  expect(reply.status, reply.text).toBe(201);
  const [added] = DocumentsAdded.parse(reply.body).items;
  if (!added) throw new Error('Nothing was added.');
  return await waitUntilReady(lamb, person, added.document);
}

/** Waits until a document can be searched. */
export async function waitUntilReady(
  lamb: TestServer,
  person: Pick<Person, 'key'>,
  { id, collection_id: collection }: DocumentResource,
): Promise<DocumentResource> {
  return await vi.waitFor(
    async () => {
      const reply = await lamb.call(person, 'GET', `/lamb/v1/collections/${collection}/documents/${id}`);
      const document = DocumentResource.parse(reply.body);
      expect(document.status, JSON.stringify(document)).toBe('ready');
      return document;
    },
    { timeout: 20_000, interval: 50 },
  );
}
