/** How one attempt at a call ended. */
export type Outcome<Result> = { readonly value: Result } | { readonly error: unknown };

/** What an outcome says about the target of the call. */
export interface Verdict {
  /** A refusal with reasons is an answer too: who refuses is well. */
  readonly isTargetWell: boolean;
  /** There when another attempt may help; `afterMs` is how long the target asks to wait at least. */
  readonly retry?: { readonly afterMs: number };
}
