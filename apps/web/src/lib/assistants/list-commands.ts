import Import from '@lucide/svelte/icons/import';
import Plus from '@lucide/svelte/icons/plus';
import { m } from '#lib/paraglide/messages.js';
import type { ListCommands } from '#lib/shell/command.ts';

/** What the command palette offers from this area. */
export const listCommands: ListCommands = ({ isCreator }) =>
  isCreator
    ? [
        { label: m.assistants_new(), icon: Plus, run: '/assistants/new' },
        { label: m.assistants_import(), icon: Import, run: '/assistants?import' },
      ]
    : [];
