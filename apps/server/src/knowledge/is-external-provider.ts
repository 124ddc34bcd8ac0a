import { isIP } from 'node:net';
import type { Config } from '../config.ts';
import { isPublicAddress } from '../outbound/is-public-address.ts';
import { parseAllowList } from '../outbound/parse-allow-list.ts';

/**
 * Whether texts that are sent to this address leave for somebody else: it is neither this machine, nor a private
 * address, nor one that the operator allowed by name, as one does for one's own services. What cannot be read counts as external.
 */
export function isExternalProvider(baseUrl: string, { outboundAllow }: Pick<Config, 'outboundAllow'>): boolean {
  const url = URL.parse(baseUrl);
  if (!url) return true;
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return false;
  if (parseAllowList(outboundAllow).has(`${hostname}:${port}`)) return false;
  return isIP(hostname) === 0 || isPublicAddress(hostname);
}
