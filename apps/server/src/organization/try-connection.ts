import { AppError, type ConnectionTest, type TestOutcome } from '@lamb/contract';
import { ConnectionProblem } from './connection-problem.ts';
import { toConnectionProblem } from './ask-service.ts';

/** What each outcome says, and what to do about it. */
const words: Readonly<Record<TestOutcome, { message: string; next: string | null }>> = {
  ok: { message: 'It works.', next: null },
  not_configured: {
    message: 'The address or the key is missing.',
    next: 'Fill in both. A saved key is only sent to the address it was saved for: with another address, enter it again.',
  },
  address_refused: {
    message: 'This address may not be called.',
    next: 'Use a public https address. For a server inside your network, the operator of this installation can allow it (LAMB_OUTBOUND_ALLOW).',
  },
  unreachable: { message: 'Nobody answers at this address.', next: 'Check the address, and that the server runs.' },
  timed_out: { message: 'There was no answer in time.', next: 'Check the address, or try again later.' },
  credentials_rejected: { message: 'The key was not accepted.', next: 'Enter a valid key for this service.' },
  not_found: {
    message: 'The server answers, but not at this address or not with this model.',
    next: 'Check the end of the address, such as /v1, and the name of the model.',
  },
  rate_limited: { message: 'The service limits requests at the moment.', next: 'Wait a little and try again.' },
  unexpected_answer: {
    message: 'The server gave an answer that this kind of service does not give.',
    next: 'Check that the address belongs to this kind of service.',
  },
};

const outcomes = {
  provider_credentials_rejected: 'credentials_rejected',
  provider_rate_limited: 'rate_limited',
  provider_unavailable: 'unreachable',
  provider_stream_broken: 'unexpected_answer',
  provider_not_configured: 'not_configured',
} as const;

/** Tries a connection and tells how that ended; only what is not about the connection is thrown. */
export async function tryConnection(
  attempt: () => Promise<Pick<ConnectionTest, 'models' | 'missing'>>,
): Promise<ConnectionTest> {
  const startedAt = performance.now();
  const describe = (outcome: TestOutcome, found: Pick<ConnectionTest, 'models' | 'missing'> = {}): ConnectionTest => ({
    ok: outcome === 'ok',
    outcome,
    ...words[outcome],
    milliseconds: Math.round(performance.now() - startedAt),
    ...found,
  });
  try {
    const found = await attempt();
    if (found.missing === undefined || found.missing.length === 0) return describe('ok', found);
    return {
      ...describe('credentials_rejected', found),
      message: `The token may not call ${found.missing.join(', ')}.`,
      next: 'Moodle’s administrator adds these functions to the token’s web service.',
    };
  } catch (error) {
    if (error instanceof ConnectionProblem) return describe(error.outcome);
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'provider_rejected')
      return describe(error.details['provider_status'] === 404 ? 'not_found' : 'unexpected_answer');
    const known = Object.entries(outcomes).find(([code]) => code === error.code)?.[1];
    if (known === undefined) throw error;
    return describe(known === 'unreachable' ? toConnectionProblem(error).outcome : known);
  }
}
