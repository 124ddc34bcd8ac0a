import BookOpenText from '@lucide/svelte/icons/book-open-text';
import Sparkles from '@lucide/svelte/icons/sparkles';
import TableProperties from '@lucide/svelte/icons/table-properties';
import { m } from '#lib/paraglide/messages.js';
import type { ListCommands } from '#lib/shell/command.ts';

/** What the command palette offers from this area. */
export const listCommands: ListCommands = ({ isCreator }) =>
  isCreator
    ? [
        { label: m.knowledge_new(), icon: BookOpenText, run: '/knowledge-bases/new' },
        { label: m.knowledge_rubric_new(), icon: TableProperties, run: '/rubrics/new' },
        { label: m.knowledge_draft(), icon: Sparkles, run: '/rubrics?draft' },
      ]
    : [];
