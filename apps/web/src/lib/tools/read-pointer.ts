/** What a JSON pointer (`#/properties/top_k/maximum`) points at; undefined where there is nothing. */
export function readPointer(document: unknown, pointer: string): unknown {
  const steps = pointer.replace(/^#\/?/, '').split('/');
  let value = document;
  for (const step of steps) {
    if (step === '') continue;
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
