import { send } from '#lib/api/client.ts';
import { m } from '#lib/paraglide/messages.js';
import { tellError } from '#lib/ui/tell.ts';

/** Saves what an address of the server holds as a file. */
export async function download(path: string, name: string): Promise<void> {
  try {
    const url = URL.createObjectURL(await (await send(path)).blob());
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    URL.revokeObjectURL(url);
  } catch (error) {
    tellError(error, m.knowledge_download_failed({ name }));
  }
}
