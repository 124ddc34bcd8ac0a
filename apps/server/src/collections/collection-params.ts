import { z } from 'zod';

/** A collection's id where it is part of an address. Only plain digits: `1e3` is not another way to write 1000. */
export const CollectionId = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'A collection’s id is a number, as the list of collections shows it')
  .transform(Number);

/** The path of one collection. */
export const CollectionParams = z.object({ id: CollectionId });

/** The path of one document of a collection. */
export const DocumentParams = z.object({ id: CollectionId, document_id: z.string().max(64) });
