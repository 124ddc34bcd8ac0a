import { AppError } from '@lamb/contract';
import type { FastifyInstance } from 'fastify';
import type { Services } from '../services.ts';
import { createRequestLimiter } from './create-request-limiter.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route starts a turn of an assistant, and counts towards the organisation's requests per minute. */
    startsTurn?: boolean;
  }
}

/** Holds every key and every user to the requests per minute that their organisation allows. Comes after the caller is known. */
export function limitRequests(app: FastifyInstance, { budgets }: Pick<Services, 'budgets'>): void {
  const limiter = createRequestLimiter();
  app.addHook('onRequest', async ({ routeOptions, principal }) => {
    if (routeOptions.config.startsTurn !== true) return;
    const { organizationId, userId, keyId } = principal;
    const { requestsPerMinute } = await budgets.findPolicy(organizationId);
    const limits = [
      ['key', keyId, requestsPerMinute.key],
      ['user', userId, requestsPerMinute.user],
    ] as const;
    for (const [limit, id, perMinute] of limits) {
      if (id === undefined || perMinute === undefined) continue;
      const seconds = limiter.take(`${limit}:${organizationId}:${id}`, perMinute);
      if (seconds === undefined) continue;
      const whose = limit === 'key' ? 'This key' : 'You';
      throw new AppError('rate_limited', {
        message: `${whose} may make ${String(perMinute)} requests per minute.`,
        details: { limit: `${limit}_requests_per_minute`, requests_per_minute: perMinute, retry_after: seconds },
      });
    }
  });
}
