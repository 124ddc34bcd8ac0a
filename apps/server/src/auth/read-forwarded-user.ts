import type { EndUser } from '@lamb/contract';
import type { IncomingHttpHeaders } from 'node:http';

/** The person a chat gateway speaks for. To be asked only when the key is a trusted gateway's. */
export function readForwardedUser(headers: IncomingHttpHeaders): EndUser | undefined {
  const id = read(headers, 'x-openwebui-user-id');
  const email = read(headers, 'x-openwebui-user-email');
  const name = read(headers, 'x-openwebui-user-name');
  const known = id ?? email;
  if (known === undefined) return undefined;
  return {
    id: known,
    ...(email === undefined ? {} : { email, emailConfirmed: true }),
    ...(name === undefined ? {} : { name }),
  };
}

const MAX_LENGTH = 320;

function read(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  if (typeof value !== 'string' || value === '' || value.length > MAX_LENGTH) return undefined;
  try {
    // Gateways percent-encode names that do not fit into a header.
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
