import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { isPublicAddress } from './is-public-address.ts';
import { OutboundRefusedError } from './outbound-refused-error.ts';
import { parseAllowList } from './parse-allow-list.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const HEADERS_TIMEOUT_MS = 60_000;
const BODY_IDLE_TIMEOUT_MS = 120_000;

interface OutboundOptions {
  /** `host:port` of the private services that the operator lets organisations use, such as `ollama:11434`. */
  readonly allow: readonly string[];
  /** Resolves names; the system's resolver unless a test brings its own. */
  readonly lookup?: LookupFunction;
}

/**
 * The one way out of the server: connections to anything but public addresses are refused, except to what the operator
 * allowed by name. The check is made on the very address that the socket then connects to.
 */
export function createOutboundDispatcher({ allow, lookup = systemLookup }: OutboundOptions): Agent {
  const allowed = parseAllowList(allow);
  const connectFreely = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false, lookup });
  const connectGuarded = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false, lookup: guard(lookup) });
  return new Agent({
    headersTimeout: HEADERS_TIMEOUT_MS,
    bodyTimeout: BODY_IDLE_TIMEOUT_MS,
    connect(options, callback) {
      const { hostname, protocol } = options;
      const port = options.port === '' ? (protocol === 'https:' ? '443' : '80') : options.port;
      if (allowed.has(`${hostname}:${port}`)) {
        connectFreely(options, callback);
        return;
      }
      // A literal address is connected to without a lookup.
      if (isIP(hostname) !== 0 && !isPublicAddress(hostname)) {
        queueMicrotask(() => {
          callback(refuse(hostname), null);
        });
        return;
      }
      connectGuarded(options, callback);
    },
  });
}

/** A lookup that answers only when every address it found is public: a name with mixed answers is not to be trusted. */
function guard(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) {
        callback(error, []);
        return;
      }
      const addresses = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
        callback(refuse(hostname), []);
        return;
      }
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function refuse(hostname: string): OutboundRefusedError {
  return new OutboundRefusedError(
    'address',
    `Requests to ${hostname} are refused because it is not a public address. The operator of this installation can allow it.`,
  );
}
