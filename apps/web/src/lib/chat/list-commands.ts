import type { ListCommands } from '#lib/shell/command.ts';

/** What the command palette offers from this area. */
export const listCommands: ListCommands = () => [];
