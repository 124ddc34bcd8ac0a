import { AppError, type Principal } from '@lamb/contract';
import type { FastifyInstance } from 'fastify';
import { mayEver, type Action } from '../access/decide.ts';
import type { Account, Authenticator } from '../auth/authenticate.ts';

/** What a route asks of its caller: nothing, the operator's token, a session of whoever, or an action of the policy. */
export type RouteAccess = 'public' | 'operator' | 'signed_in' | Action;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
  }
  interface FastifyRequest {
    /** Who is asking. Set on every route that names an action. */
    principal: Principal;
    /** Who is signed in. Set on every route that asks for that only. */
    account: Account;
  }
}

/** Routes of mounted packages, which know nothing of our policy and need none. */
const PUBLIC_PREFIXES = ['/docs'];

/** Makes every route say who may call it, and checks the caller before anything else is read. */
export function guardRoutes(app: FastifyInstance, authenticator: Authenticator): void {
  app.decorateRequest('principal');
  app.decorateRequest('account');
  app.addHook('onRoute', (route) => {
    if (route.config?.access !== undefined) return;
    if (!PUBLIC_PREFIXES.some((prefix) => route.url.startsWith(prefix))) {
      throw new Error(`${String(route.method)} ${route.url} does not say who may call it: set config.access.`);
    }
    route.config = { ...route.config, access: 'public' };
  });
  app.addHook('onRequest', async (request) => {
    const access = request.is404 ? 'public' : request.routeOptions.config.access;
    // Only the answer to preflight requests says nothing, because it is registered before this.
    if (access === 'public' || access === 'operator' || access === undefined) return;
    const credentials = { headers: request.headers, method: request.method };
    if (access === 'signed_in') {
      const account = await authenticator.authenticateAccount(credentials);
      if (!account) throw new AppError('unauthenticated');
      request.account = account;
      return;
    }
    const principal = await authenticator.authenticate(credentials);
    if (!principal) throw new AppError('unauthenticated');
    if (!mayEver(principal, access)) throw new AppError('forbidden');
    request.principal = principal;
  });
}
