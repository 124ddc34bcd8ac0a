/** What the journal keeps of a job. */
export interface JobRef {
  readonly jobId: string;
  readonly organizationId: string;
}
