import { createHash } from 'node:crypto';

/**
 * The name under which a document is drafted. It is the same for every attempt while the collection is indexed in the
 * same way: who tries again goes on where the last attempt has stopped, and a provider recognises its requests.
 */
export function deriveDraftId(documentId: string, indexVersion: number): string {
  const hash = createHash('sha256')
    .update(`${documentId}:${String(indexVersion)}`)
    .digest('hex');
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `a${hash.slice(17, 20)}`];
  return [...parts, hash.slice(20, 32)].join('-');
}
