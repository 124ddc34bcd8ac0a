/** A query for each address that cannot be asked without one. */
export const sampleQueries: Readonly<Record<string, string>> = {
  '/lamb/v1/assistants/:id/workspace/files': '?path=workspace.md',
  '/lamb/v1/assistants/:id/workspace/backups': '?path=workspace.md',
  '/lamb/v1/collections/:id/documents/:document_id/passage': '?start=0&end=5',
};
