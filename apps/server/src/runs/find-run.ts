import { AppError, type Principal } from '@lamb/contract';
import type { OwnedRun, Runs } from '@lamb/runs';
import { z } from 'zod';
import { authorize } from '../access/authorize.ts';
import type { Services } from '../services.ts';

/** A run that the principal may do this to. */
export async function findRun(
  { runs }: Services,
  principal: Principal,
  id: string,
  action: 'run.read' | 'run.control',
): Promise<{ run: OwnedRun; runs: Runs }> {
  const run = z.uuid().safeParse(id).success ? await runs?.find(principal.organizationId, id) : undefined;
  authorize(principal, action, run && { isOwner: run.userId === principal.userId, isPublic: false });
  if (!run || !runs) throw new AppError('not_found');
  return { run, runs };
}
