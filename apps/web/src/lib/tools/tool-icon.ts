import Bot from '@lucide/svelte/icons/bot';
import FileText from '@lucide/svelte/icons/file-text';
import GraduationCap from '@lucide/svelte/icons/graduation-cap';
import Library from '@lucide/svelte/icons/library';
import ListChecks from '@lucide/svelte/icons/list-checks';
import Puzzle from '@lucide/svelte/icons/puzzle';
import Wrench from '@lucide/svelte/icons/wrench';
import type { Component } from 'svelte';

type Icon = Component<{ class?: string; 'aria-hidden'?: 'true' }>;

const icons: Readonly<Record<string, Icon>> = {
  knowledge: Library,
  rubric: ListChecks,
  file: FileText,
  assistant: Bot,
  lms: GraduationCap,
  utility: Wrench,
};

/** The picture of a kind of tools. */
export function toolIcon(category: string | undefined): Icon {
  return category !== undefined && Object.hasOwn(icons, category) ? (icons[category] ?? Puzzle) : Puzzle;
}
