import { AppError } from '@lamb/contract';
import type { IncomingHttpHeaders } from 'node:http';

/** A cookie is sent by any page the browser shows; only our own pages may act with it. */
export function refuseForeignOrigin(headers: IncomingHttpHeaders, method: string, allowed: ReadonlySet<string>): void {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return;
  const { origin } = headers;
  if (origin !== undefined && allowed.has(origin)) return;
  if (origin === undefined && headers['sec-fetch-site'] === 'same-origin') return;
  throw new AppError('forbidden', { message: 'This request comes from another site.' });
}
