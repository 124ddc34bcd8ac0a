import { toast } from 'svelte-sonner';
import { describeError } from '#lib/api/describe-error.ts';
import { m } from '#lib/paraglide/messages.js';

/** Says that something was done; with `undo` it can be taken back for ten seconds. */
export function tellDone(
  text: string,
  options: { description?: string; undo?: () => void | Promise<void> } = {},
): void {
  const { description, undo } = options;
  toast.success(text, {
    ...(description === undefined ? {} : { description }),
    ...(undo === undefined ? {} : { duration: 10_000, action: { label: m.ui_undo(), onClick: () => void undo() } }),
  });
}

/** Says that something failed, and what to try. */
export function tellError(error: unknown, title?: string): void {
  const { what, next } = describeError(error);
  toast.error(title ?? what, { description: title === undefined ? next : `${what} ${next}`, duration: 10_000 });
}
