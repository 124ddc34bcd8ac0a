import {
  AppError,
  WorkspaceBackupList,
  WorkspaceFileResource,
  WorkspaceFileText,
  WorkspaceFileWrite,
  WorkspacePathQuery,
  WorkspaceResource,
  WorkspaceRestore,
  type Principal,
} from '@lamb/contract';
import {
  deleteWorkspaceBackups,
  deleteWorkspaceFile,
  ensureWorkspace,
  findWorkspace,
  listWorkspaceBackups,
  listWorkspaceFiles,
  putWorkspaceFile,
  readWorkspaceFile,
  readWorkspaceFiles,
  replaceWorkspaceFile,
  restoreWorkspaceFile,
  sumWorkspace,
  WORKSPACE_QUOTA_BYTES,
  type StoredWorkspaceFile,
  type TenantTx,
  type Workspace,
} from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { withAssistant } from '../assistants/with-assistant.ts';
import { AssistantParams } from '../http/assistant-params.ts';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';
import type { Services } from '../services.ts';
import { createZip } from '../workspaces/create-zip.ts';
import { keyWorkspace } from '../workspaces/key-workspace.ts';

const tags = ['Workspaces'];
const config = { access: 'workspace.use' } as const;
const params = AssistantParams;
const querystring = WorkspacePathQuery;

/** A person's own workspace with an assistant: the text files that `patch_file` changes. Nobody else reaches it. */
export function workspaceRoutes({ db }: Services): FastifyPluginCallbackZod {
  /** Runs `work` with the caller's workspace, which is there from its first file on. */
  const withWorkspace = async <Result>(
    principal: Principal,
    assistantId: number,
    work: (tx: TenantTx, workspace: Workspace | undefined) => Promise<Result>,
  ): Promise<Result> =>
    await withAssistant(db, principal, assistantId, 'workspace.use', async (tx) =>
      work(tx, await findWorkspace(tx, keyWorkspace(principal, assistantId))),
    );

  return (app, _options, done) => {
    app.get(
      '/lamb/v1/assistants/:id/workspace',
      {
        config,
        schema: { tags, summary: 'List the files of your workspace', params, response: { 200: WorkspaceResource } },
      },
      async ({ principal, params: { id } }) =>
        await withWorkspace(principal, id, async (tx, workspace) => {
          if (!workspace) return { quota_bytes: WORKSPACE_QUOTA_BYTES, used_bytes: 0, files: [] };
          const files = await listWorkspaceFiles(tx, workspace.id);
          const used = await sumWorkspace(tx, workspace.id);
          return { quota_bytes: workspace.quotaBytes, used_bytes: used, files: files.map(toResource) };
        }),
    );

    app.get(
      '/lamb/v1/assistants/:id/workspace/files',
      { config, schema: { tags, summary: 'Read a file', params, querystring, response: { 200: WorkspaceFileText } } },
      async ({ principal, params: { id }, query: { path } }) =>
        await withWorkspace(principal, id, async (tx, workspace) => {
          const file = workspace && (await readWorkspaceFile(tx, workspace.id, path));
          if (!file) throw noSuchFile(path);
          return { ...toResource(file), text: file.content };
        }),
    );

    app.put(
      '/lamb/v1/assistants/:id/workspace/files',
      {
        config,
        schema: {
          tags,
          summary: 'Write a file; what was there becomes a backup',
          params,
          querystring,
          body: WorkspaceFileWrite,
          response: { 200: WorkspaceFileResource },
        },
      },
      async ({ principal, params: { id }, query: { path }, body }) =>
        await withAssistant(db, principal, id, 'workspace.use', async (tx) => {
          const workspace = await ensureWorkspace(tx, keyWorkspace(principal, id));
          const file = { path, content: body.text, writtenBy: principal.userId };
          const written =
            body.version === undefined
              ? await putWorkspaceFile(tx, workspace.id, file)
              : await replaceWorkspaceFile(tx, workspace.id, { ...file, expectedVersion: body.version });
          if (!written) throw new AppError('stale_update');
          return toResource(written);
        }),
    );

    app.delete(
      '/lamb/v1/assistants/:id/workspace/files',
      {
        config,
        schema: { tags, summary: 'Delete a file and its backups', params, querystring, response: { 204: z.null() } },
      },
      async ({ principal, params: { id }, query: { path } }, reply) => {
        await withWorkspace(principal, id, async (tx, workspace) => {
          if (!workspace || !(await deleteWorkspaceFile(tx, workspace.id, path))) throw noSuchFile(path);
        });
        return await reply.code(204).send(null);
      },
    );

    app.get(
      '/lamb/v1/assistants/:id/workspace/backups',
      {
        config,
        schema: {
          tags,
          summary: 'List what a file was before',
          params,
          querystring,
          response: { 200: WorkspaceBackupList },
        },
      },
      async ({ principal, params: { id }, query: { path } }) =>
        await withWorkspace(principal, id, async (tx, workspace) => {
          const backups = workspace ? await listWorkspaceBackups(tx, workspace.id, path) : [];
          return { items: backups.map(toResource) };
        }),
    );

    app.delete(
      '/lamb/v1/assistants/:id/workspace/backups',
      {
        config,
        schema: { tags, summary: 'Forget what a file was before', params, querystring, response: { 204: z.null() } },
      },
      async ({ principal, params: { id }, query: { path } }, reply) => {
        await withWorkspace(principal, id, async (tx, workspace) => {
          if (workspace) await deleteWorkspaceBackups(tx, workspace.id, path);
        });
        return await reply.code(204).send(null);
      },
    );

    app.post(
      '/lamb/v1/assistants/:id/workspace/restore',
      {
        config,
        schema: {
          tags,
          summary: 'Bring back what a file was before; what it is now becomes a backup',
          params,
          body: WorkspaceRestore,
          response: { 200: WorkspaceFileResource },
        },
      },
      async ({ principal, params: { id }, body: { path, version } }) =>
        await withWorkspace(principal, id, async (tx, workspace) => {
          const writtenBy = principal.userId;
          const restored = workspace && (await restoreWorkspaceFile(tx, workspace.id, { path, version, writtenBy }));
          if (restored) return toResource(restored);
          throw new AppError('not_found', { message: `There is no version ${version} of “${path}” to bring back.` });
        }),
    );

    app.get(
      '/lamb/v1/assistants/:id/workspace/archive',
      {
        config,
        schema: {
          tags,
          summary: 'Download all files as a zip archive',
          params,
          response: { 200: { content: { 'application/zip': { schema: z.any() } } } },
        },
      },
      async ({ principal, params: { id } }, reply) => {
        const files = await withWorkspace(principal, id, async (tx, workspace) =>
          workspace ? await readWorkspaceFiles(tx, workspace.id) : [],
        );
        const archive = createZip(
          files.map(({ path, content, writtenAt }) => ({ path, content: Buffer.from(content), time: writtenAt })),
        );
        return await reply
          .header('content-disposition', 'attachment; filename="workspace.zip"')
          .type('application/zip')
          .send(archive);
      },
    );
    done();
  };
}

function noSuchFile(path: string): AppError {
  return new AppError('not_found', { message: `There is no file “${path}” in this workspace.` });
}

function toResource(file: StoredWorkspaceFile): WorkspaceFileResource {
  return {
    path: file.path,
    size: file.size,
    version: file.version,
    written_at: toUnixSeconds(file.writtenAt),
    call: file.call,
  };
}
