import { z } from 'zod';
import { FilePath } from './files.ts';

/** How many bytes of UTF-8 one file of a workspace may have. */
export const MAX_WORKSPACE_FILE_BYTES = 2_000_000;

/** Which file of a workspace is meant. */
export const WorkspacePathQuery = z.object({ path: FilePath });

const version = z.number().int().min(1).max(2_147_483_647);

/** A file of a workspace without its text. `version` changes with every write. */
export const WorkspaceFileResource = z
  .object({
    path: z.string(),
    size: z.number().int(),
    version: z.number().int(),
    written_at: z.number().int(),
    /** The function call that wrote this version; null when a person did. */
    call: z.string().nullable(),
  })
  .meta({ id: 'WorkspaceFileResource' });
export type WorkspaceFileResource = z.infer<typeof WorkspaceFileResource>;

/** A file of a workspace with its text. */
export const WorkspaceFileText = WorkspaceFileResource.extend({ text: z.string() }).meta({ id: 'WorkspaceFileText' });

/** A person's workspace with one assistant. Backups count in `used_bytes`. */
export const WorkspaceResource = z
  .object({
    quota_bytes: z.number().int(),
    used_bytes: z.number().int(),
    files: z.array(WorkspaceFileResource),
  })
  .meta({ id: 'WorkspaceResource' });

/** Writes a file; with `version`, only while the file is still at that version. */
export const WorkspaceFileWrite = z
  .object({ text: z.string(), version: version.optional() })
  .meta({ id: 'WorkspaceFileWrite' });

/** The earlier versions of one file, newest first, without their text. */
export const WorkspaceBackupList = z
  .object({ items: z.array(WorkspaceFileResource) })
  .meta({ id: 'WorkspaceBackupList' });

/** Which earlier version of which file comes back. */
export const WorkspaceRestore = z.object({ path: FilePath, version }).meta({ id: 'WorkspaceRestore' });
