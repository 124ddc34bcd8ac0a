import MessageCirclePlus from '@lucide/svelte/icons/message-circle-plus';
import { m } from '#lib/paraglide/messages.js';
import type { ListCommands } from '#lib/shell/command.ts';

/** What the command palette offers from this area. */
export const listCommands: ListCommands = () => [
  { label: m.chat_command_new(), icon: MessageCirclePlus, run: '/gallery' },
];
