import Bot from '@lucide/svelte/icons/bot';
import BookOpenText from '@lucide/svelte/icons/book-open-text';
import Landmark from '@lucide/svelte/icons/landmark';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import LayoutGrid from '@lucide/svelte/icons/layout-grid';
import MessagesSquare from '@lucide/svelte/icons/messages-square';
import TableProperties from '@lucide/svelte/icons/table-properties';
import { m } from '#lib/paraglide/messages.js';
import type { Session } from './session.ts';

/** One entry of the navigation. */
export interface Area {
  readonly href: string;
  readonly label: string;
  readonly icon: typeof Bot;
  /** Further addresses that belong to it. */
  readonly also?: readonly string[];
}

/** The areas that somebody can reach, in the order of the navigation. */
export function listAreas({ isCreator, isAdmin }: Pick<Session, 'isCreator' | 'isAdmin'>): Area[] {
  const assistants = {
    href: '/assistants',
    label: m.shell_nav_assistants(),
    icon: Bot,
    also: ['/multi-tool-assistants'],
  };
  const creating = [
    { href: '/knowledge-bases', label: m.shell_nav_knowledge_bases(), icon: BookOpenText },
    { href: '/rubrics', label: m.shell_nav_rubrics(), icon: TableProperties },
    { href: '/files', label: m.shell_nav_files(), icon: FolderOpen },
  ];
  return [
    ...(isCreator ? [assistants] : []),
    { href: '/chats', label: m.shell_nav_chats(), icon: MessagesSquare },
    { href: '/gallery', label: m.shell_nav_gallery(), icon: LayoutGrid },
    ...(isCreator ? creating : []),
    ...(isAdmin ? [{ href: '/organization', label: m.shell_nav_organization(), icon: Landmark }] : []),
  ];
}

/** Where somebody begins. */
export function findHome({ isCreator }: Pick<Session, 'isCreator'>): string {
  return isCreator ? '/assistants' : '/gallery';
}

/** Whether an address lies within an area. */
export function isWithin({ href, also = [] }: Area, path: string): boolean {
  return [href, ...also].some((start) => path === start || path.startsWith(`${start}/`));
}
