import { z } from 'zod';
import { pageOf } from './paging.ts';

const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\:*?"<>|%]/u;

/**
 * A file's path inside its owner's files: relative, `/`-separated, in NFC, no `.` or `..` step, no control or invisible
 * characters, at most 255 bytes a step. A name outside of this is refused, never repaired.
 */
export const FilePath = z
  .string()
  .min(1, 'A file path has at least one character.')
  .max(1000, 'A file path has at most 1000 characters.')
  .refine(
    (path) =>
      path === path.normalize('NFKC') &&
      !FORBIDDEN.test(path) &&
      path
        .split('/')
        .every(
          (step) =>
            step !== '' &&
            step !== '.' &&
            step !== '..' &&
            step === step.trim() &&
            new TextEncoder().encode(step).length <= 255,
        ),
    'A file path is relative, such as notes/week-1.md: no “..”, no leading “/”, no special characters.',
  );

/** A stored file without its content. */
export const FileResource = z
  .object({
    id: z.string(),
    owner: z.string(),
    path: z.string(),
    media_type: z.string(),
    size: z.number().int(),
    created_at: z.number().int(),
  })
  .meta({ id: 'FileResource' });
export type FileResource = z.infer<typeof FileResource>;

/** A page of files. */
export const FilePage = pageOf(FileResource).meta({ id: 'FilePage' });
