import { toProblem } from './read-problem.ts';

/** Sends a form and tells how far it is, between 0 and 1, which fetch cannot. */
export function uploadForm(
  path: string,
  form: FormData,
  { onprogress, signal }: { onprogress?: (share: number) => void; signal?: AbortSignal } = {},
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      if (total > 0) onprogress?.(loaded / total);
    });
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300)
        resolve(request.responseText === '' ? null : JSON.parse(request.responseText));
      else reject(toProblem(request.status, request.responseText));
    });
    request.addEventListener('error', () => reject(new TypeError('network: the upload was cut off')));
    request.addEventListener('abort', () => reject(new DOMException('The upload was stopped.', 'AbortError')));
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}
