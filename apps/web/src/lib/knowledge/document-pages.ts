import type { DocumentResource } from '@lamb/contract';
import type { InfiniteData } from '@tanstack/svelte-query';

/** The list of a collection's documents, as far as it is loaded. */
export type DocumentPages = InfiniteData<{ items: DocumentResource[]; next_cursor: string | null }, string | undefined>;

/** The list with a document as it is now; one that is new comes first. */
export function putDocument(data: DocumentPages, document: DocumentResource): DocumentPages {
  const isListed = data.pages.some(({ items }) => items.some(({ id }) => id === document.id));
  return {
    ...data,
    pages: data.pages.map((page, index) =>
      isListed
        ? { ...page, items: page.items.map((item) => (item.id === document.id ? document : item)) }
        : index === 0
          ? { ...page, items: [document, ...page.items] }
          : page,
    ),
  };
}

/** The list without a document. */
export function dropDocument(data: DocumentPages, documentId: string): DocumentPages {
  return {
    ...data,
    pages: data.pages.map((page) => ({ ...page, items: page.items.filter(({ id }) => id !== documentId) })),
  };
}
