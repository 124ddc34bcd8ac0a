/** A placeholder that can be inserted. */
export interface Offer {
  readonly name: string;
  /** What fills it: a tool, or nothing of the assistant's for the person's message. */
  readonly type: string | undefined;
  /** What it is filled with, in the person's language. */
  readonly text: string;
}
