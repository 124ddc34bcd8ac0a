import type { LlmServer } from '@lamb/testing';

/**
 * The first texts of batches that were sent to be embedded although they had been kept: again after a later batch of their
 * document. A document's next batch is asked for only when the former is kept; one that was not yet may be repeated.
 * The provider's own count does not show this, since it counts a request once that is repeated under its key.
 */
export function findAskedAgain(
  { requests }: Pick<LlmServer, 'requests'>,
  documentOf: (text: string) => string | undefined,
): string[] {
  const sent = new Map<string, { readonly known: Set<string>; last: string }>();
  return requests.flatMap(({ body }) => {
    const texts = (body as { input?: readonly string[] }).input ?? [];
    const [first] = texts;
    const document = first === undefined ? undefined : documentOf(first);
    if (first === undefined || document === undefined) return [];
    const { known, last } = sent.get(document) ?? { known: new Set<string>(), last: first };
    const isKept = known.has(first) && last !== first;
    known.add(first);
    sent.set(document, { known, last: first });
    return isKept ? [first] : [];
  });
}
