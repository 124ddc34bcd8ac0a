/** What went wrong with a conversation that goes on nevertheless. */
export interface ChatProblem {
  /** What was being done: “The question could not be sent.” */
  readonly title: string;
  readonly error: unknown;
  /** Where nothing else is there to press. */
  readonly retry?: () => void;
}
