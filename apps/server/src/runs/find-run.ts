import { AppError, type Principal } from '@lamb/contract';
import type { OwnedRun, Runs } from '@lamb/runs';
import { z } from 'zod';
import { authorize } from '../access/authorize.ts';
import type { OwnedStanding } from '../access/decide.ts';
import type { Services } from '../services.ts';
import { RunInput } from './run-input.ts';

/** A run that the principal may do this to. */
export async function findRun(
  { runs }: Services,
  principal: Principal,
  id: string,
  action: 'run.read' | 'run.control',
): Promise<{ run: OwnedRun; runs: Runs }> {
  const run = z.uuid().safeParse(id).success ? await runs?.find(principal.organizationId, id) : undefined;
  authorize(principal, action, run && standingOf(run, principal));
  if (!run || !runs) throw new AppError('not_found');
  return { run, runs };
}

/** What a principal is to a run. */
export function standingOf({ userId, input }: Pick<OwnedRun, 'userId' | 'input'>, principal: Principal): OwnedStanding {
  const { keyId } = RunInput.shape.principal.pick({ keyId: true }).parse((input as RunInput).principal);
  return { isOwner: userId === principal.userId, isPublic: false, startedWith: keyId };
}
