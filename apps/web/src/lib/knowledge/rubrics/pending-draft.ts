import type { Rubric } from '@lamb/contract';

/** A rubric that the model wrote, on its way from the dialog to the editor. */
interface Draft {
  readonly rubric: Rubric;
  readonly repaired: boolean;
}

let held: Draft | undefined;

export function holdDraft(draft: Draft): void {
  held = draft;
}

/** Gives the draft once. */
export function takeDraft(): Draft | undefined {
  const taken = held;
  held = undefined;
  return taken;
}
