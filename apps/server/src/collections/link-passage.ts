import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Config } from '../config.ts';

/** A stretch of a document of an organisation. */
export interface PassagePlace {
  readonly organizationId: string;
  readonly collectionId: number;
  readonly documentId: string;
  readonly start: number;
  readonly end: number;
}

/** The address of a passage, for those who may read the collection. It names places in the document's text, so it outlives re-chunking. */
export function linkPassage({ collectionId, documentId, start, end }: PassagePlace): string {
  const path = `/lamb/v1/collections/${String(collectionId)}/documents/${documentId}/passage`;
  return `${path}?start=${String(start)}&end=${String(end)}`;
}

/** The address of a passage that an assistant cited: whoever belongs to the organisation and was given it may read this stretch. */
export function linkCitedPassage(config: Pick<Config, 'authSecret'>, place: PassagePlace): string {
  return `${linkPassage(place)}&signature=${signPassage(config, place)}`;
}

/** Whether this is the signature of exactly this stretch. */
export function isPassageSignature(
  config: Pick<Config, 'authSecret'>,
  place: PassagePlace,
  signature: string | undefined,
): boolean {
  const [given, wanted] = [Buffer.from(signature ?? ''), Buffer.from(signPassage(config, place))];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function signPassage({ authSecret }: Pick<Config, 'authSecret'>, place: PassagePlace): string {
  // A key of its own: what signs links to passages signs nothing else.
  const key = Buffer.from(hkdfSync('sha256', authSecret, '', 'lamb passage links', 32));
  const { organizationId, documentId, start, end } = place;
  const text = [organizationId, documentId, start, end].join('\n');
  return createHmac('sha256', key).update(text).digest('base64url').slice(0, 32);
}
