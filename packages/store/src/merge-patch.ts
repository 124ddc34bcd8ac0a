type JsonObject = Record<string, unknown>;

/** Applies a JSON merge patch (RFC 7396): null removes, objects are merged, everything else is replaced. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    const before = merged.get(key);
    if (value === null) merged.delete(key);
    else if (isObject(value)) merged.set(key, mergePatch(isObject(before) ? before : {}, value));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
