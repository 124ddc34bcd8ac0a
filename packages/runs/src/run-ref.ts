/** What the journal keeps of a run. */
export interface RunRef {
  readonly runId: string;
  readonly organizationId: string;
}
