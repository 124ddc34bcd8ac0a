import type { Person, TestServer } from '../../test-server/start-test-server.ts';

/** Uploads a file as its owner's browser would. */
export async function uploadFile(
  lamb: Pick<TestServer, 'url'>,
  owner: Person,
  path: string,
  content: string | Uint8Array<ArrayBuffer>,
): Promise<void> {
  const form = new FormData();
  form.append('path', path);
  form.append('file', new Blob([content]), 'upload');
  const response = await fetch(`${lamb.url}/lamb/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.key}` },
    body: form,
  });
  if (response.status !== 201) throw new Error(`${path} was not stored: ${await response.text()}`);
}
