/** What the server answered instead of what was asked. */
export class ApiError extends Error {
  readonly status: number;
  /** A code of the error catalogue; `unknown` when the answer was not the server's own. */
  readonly code: string;
  readonly requestId: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(problem: {
    status: number;
    code: string;
    title: string;
    requestId?: string | undefined;
    details?: Record<string, unknown>;
  }) {
    super(problem.title);
    this.name = 'ApiError';
    this.status = problem.status;
    this.code = problem.code;
    this.requestId = problem.requestId;
    this.details = problem.details ?? {};
  }
}
