import CircleUser from '@lucide/svelte/icons/circle-user';
import KeyRound from '@lucide/svelte/icons/key-round';
import { m } from '#lib/paraglide/messages.js';
import type { ListCommands } from '#lib/shell/command.ts';
import { listSections } from './sections.ts';

/** What the command palette offers from this area. */
export const listCommands: ListCommands = ({ isAdmin }) => [
  { label: m.admin_account(), icon: CircleUser, run: '/account' },
  { label: m.admin_account_keys(), icon: KeyRound, run: '/account/keys' },
  ...(isAdmin
    ? listSections()
        .slice(1)
        .map(({ label, icon, href }) => ({
          label: m.admin_command({ section: label }),
          icon,
          run: href,
        }))
    : []),
];
