import type { TestOutcome } from '@lamb/contract';

/** Why a service could not be used. */
export class ConnectionProblem extends Error {
  readonly outcome: Exclude<TestOutcome, 'ok'>;

  constructor(outcome: Exclude<TestOutcome, 'ok'>, options?: ErrorOptions) {
    super(outcome, options);
    this.name = 'ConnectionProblem';
    this.outcome = outcome;
  }
}
