/** What went wrong, in words that say what to do. Exit codes: 1, it could not be done; 2, the command is not understood. */
export class CliError extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, { exitCode = 1, cause }: { exitCode?: 1 | 2; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}
