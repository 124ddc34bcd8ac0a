type JsonObject = Record<string, unknown>;

const secretKeys = new Set(['api_key', 'api_token', 'client_secret', 'password', 'secret', 'signup_key', 'token']);

/** The secrets of a configuration by their JSON pointers: a text to keep, null to forget. */
export type SecretChanges = Map<string, string | null>;

/** Takes the secrets out of a configuration. An empty or null one is a wish to forget it. */
export function separateSecrets(config: JsonObject): { config: JsonObject; secrets: SecretChanges } {
  const secrets: SecretChanges = new Map();
  const walk = (value: unknown, pointer: string): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => walk(item, `${pointer}/${index}`));
    if (!isObject(value)) return value;
    const entries = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
      const place = `${pointer}/${escapeStep(key)}`;
      if (!secretKeys.has(key) || (typeof item !== 'string' && item !== null)) return [[key, walk(item, place)]];
      secrets.set(place, item === '' ? null : item);
      return [];
    });
    return Object.fromEntries(entries);
  };
  return { config: walk(config, '') as JsonObject, secrets };
}

/** Puts secrets back where they were taken from; one whose place is gone is left out. */
export function insertSecrets(config: JsonObject, secrets: ReadonlyMap<string, string>): JsonObject {
  const filled = structuredClone(config);
  for (const [pointer, secret] of secrets) {
    const found = findPlace(filled, pointer);
    if (found !== undefined) found.parent[found.key] = secret;
  }
  return filled;
}

/** Whether a configuration still has the object that a secret was taken from. */
export function hasPlaceFor(config: JsonObject, pointer: string): boolean {
  return findPlace(config, pointer) !== undefined;
}

/** The fields beside a secret that say where it is sent. */
const addressKeys = ['base_url', 'server_url', 'url'];

/** Whether what a secret is sent to is at another origin than before; no address at all is the service's own. */
export function hasMoved(before: JsonObject, after: JsonObject, pointer: string): boolean {
  const from = findPlace(before, pointer)?.parent;
  const to = findPlace(after, pointer)?.parent;
  if (from === undefined || to === undefined) return false;
  return addressKeys.some((key) => readOrigin(from[key]) !== readOrigin(to[key]));
}

function readOrigin(address: unknown): string {
  if (typeof address !== 'string') return '';
  // What is no address stands for itself, so that it differs from every other.
  return URL.canParse(address) ? new URL(address).origin : address;
}

function findPlace(config: JsonObject, pointer: string): { parent: JsonObject; key: string } | undefined {
  const steps = pointer.split('/').slice(1).map(unescapeStep);
  const key = steps.pop();
  if (key === undefined || !secretKeys.has(key)) return undefined;
  let parent: unknown = config;
  for (const step of steps) {
    if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, step)) return undefined;
    parent = (parent as JsonObject)[step];
  }
  return isObject(parent) ? { parent, key } : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
