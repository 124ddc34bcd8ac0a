import { api, unwrap } from '#lib/api/client.ts';
import { m } from '#lib/paraglide/messages.js';
import { tellError } from '#lib/ui/tell.ts';

/** Saves an assistant as a file that every LAMB can import. */
export async function exportAssistant({ id, name }: { id: number; name: string }): Promise<void> {
  try {
    const file = await unwrap(api.GET('/lamb/v1/assistants/{id}/export', { params: { path: { id: String(id) } } }));
    const url = URL.createObjectURL(new Blob([JSON.stringify(file, null, 2)], { type: 'application/json' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = `${name.replaceAll(/[^\p{L}\p{N}_-]+/gu, '-').replaceAll(/^-+|-+$/g, '') || 'assistant'}.json`;
    link.click();
    URL.revokeObjectURL(url);
  } catch (error) {
    tellError(error, m.assistants_export_failed({ name }));
  }
}
