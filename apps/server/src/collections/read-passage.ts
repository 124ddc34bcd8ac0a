import { AppError, type Passage, type PassageQuery, type Principal } from '@lamb/contract';
import { findChunkAt, getCollectionAccess, getDocumentText, withTenant } from '@lamb/store';
import type { z } from 'zod';
import { authorize } from '../access/authorize.ts';
import { decide } from '../access/decide.ts';
import type { Services } from '../services.ts';
import { isPassageSignature } from './link-passage.ts';
import { toDocumentResource } from './to-document-resource.ts';
import { findDocument } from './with-collection.ts';

/** Enough to see where one is; a citation does not open the whole document. */
const AROUND = 400;
const MOST_CHARACTERS = 50_000;

/** A stretch of a document, for those who may read the collection and those who were given its signed address. */
export async function readPassage(
  { db, config }: Pick<Services, 'db' | 'config'>,
  principal: Principal,
  { id, document_id }: { readonly id: number; readonly document_id: string },
  { start, end, signature }: z.infer<typeof PassageQuery>,
): Promise<Passage> {
  const { organizationId, userId } = principal;
  return await withTenant(db, organizationId, async (tx) => {
    const access = await getCollectionAccess(tx, id, userId);
    const document = access && (await findDocument(tx, id, document_id));
    if (!access || !document) throw new AppError('not_found');
    const standing = { isOwner: access.isOwner, isPublic: access.isReadable };
    const place = { organizationId, collectionId: id, documentId: document.id, start, end };
    const isOpen = decide(principal, 'collection.read', standing) || isPassageSignature(config, place, signature);
    authorize(principal, 'passage.read', { isOwner: false, isPublic: isOpen });
    const text = (await getDocumentText(tx, document.id)) ?? '';
    if (start >= end || end > text.length || end - start > MOST_CHARACTERS) {
      throw new AppError('not_found', { message: 'The document has no such passage.' });
    }
    const chunk = await findChunkAt(tx, document.id, start);
    return {
      document: toDocumentResource(document),
      before: cutWhole(text, Math.max(0, start - AROUND), start),
      text: text.slice(start, end),
      after: cutWhole(text, end, Math.min(text.length, end + AROUND)),
      heading_path: chunk?.headingPath ?? [],
      page: chunk?.pageFrom ?? null,
    };
  });
}

/** Half of a surrogate pair at either end is no text. */
function cutWhole(text: string, from: number, to: number): string {
  return text
    .slice(from, to)
    .replace(/^[\udc00-\udfff]/, '')
    .replace(/[\ud800-\udbff]$/, '');
}
