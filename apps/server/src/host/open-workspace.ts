import { AppError, FilePath, type Principal } from '@lamb/contract';
import { ToolFailure, type ToolHost } from '@lamb/plugin-kit';
import {
  findWorkspace,
  listWorkspaceFiles,
  readWorkspaceFile,
  replaceWorkspaceFile,
  type Db,
  type TenantTx,
} from '@lamb/store';
import { withAssistant } from '../assistants/with-assistant.ts';
import { UNSAVED } from '../completions/load-draft.ts';
import { keyWorkspace } from '../workspaces/key-workspace.ts';

/** Which workspace a call works in, and for whom. */
export interface WorkspaceContext {
  readonly principal: Principal;
  readonly assistantId: number;
  /** Written beside what the call writes. */
  readonly call: string;
}

/** The workspace of the person who is asking, with this assistant; asked again at every use whether they may use it. */
export function openWorkspace(db: Db, { principal, assistantId, call }: WorkspaceContext): ToolHost['workspace'] {
  const key = keyWorkspace(principal, assistantId);
  const use = async <Result>(signal: AbortSignal, work: (tx: TenantTx) => Promise<Result>) => {
    signal.throwIfAborted();
    if (assistantId === UNSAVED) throw new ToolFailure('An assistant has a workspace once it is saved. Save it first.');
    try {
      return await withAssistant(db, principal, assistantId, 'workspace.use', work);
    } catch (error) {
      if (error instanceof AppError) throw new ToolFailure(error.message, { cause: error });
      throw error;
    }
  };
  const useFile = async <Result>(path: string, signal: AbortSignal, work: (tx: TenantTx) => Promise<Result>) => {
    if (!FilePath.safeParse(path).success) throw new ToolFailure('This is not a path of a file in a workspace.');
    return await use(signal, work);
  };
  return {
    list: (signal) =>
      use(signal, async (tx) => {
        const workspace = await findWorkspace(tx, key);
        const files = workspace ? await listWorkspaceFiles(tx, workspace.id) : [];
        return files.map(({ path }) => path);
      }),
    read: (path, signal) =>
      useFile(path, signal, async (tx) => {
        const workspace = await findWorkspace(tx, key);
        const file = workspace && (await readWorkspaceFile(tx, workspace.id, path));
        return file && { path: file.path, text: file.content, version: file.version };
      }),
    replace: ({ path, text, version }, signal) =>
      useFile(path, signal, async (tx) => {
        const workspace = await findWorkspace(tx, key);
        const written =
          workspace &&
          (await replaceWorkspaceFile(tx, workspace.id, {
            path,
            content: text,
            expectedVersion: version,
            writtenBy: principal.userId,
            call,
          }));
        if (!written) {
          throw new ToolFailure(
            `${path} was changed by someone else meanwhile. Nothing was written; look again first.`,
          );
        }
      }),
  };
}
