import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { RouteAccess } from '../../http/route-access.ts';

export interface RecordedRoute {
  readonly method: string;
  readonly path: string;
  /** As it is written in tables: `GET /lamb/v1/me`. */
  readonly name: string;
  readonly access: RouteAccess | undefined;
  readonly schema: FastifySchema & { readonly hide?: boolean };
}

/** Watches applications being built. Call it before one is, and what it returns afterwards: the routes as they were registered. */
export function recordRoutes(): () => RecordedRoute[] {
  const registered: RouteOptions[] = [];
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', (route) => void registered.push(route));
  };
  subscribe('fastify.initialization', watch);
  return () => {
    unsubscribe('fastify.initialization', watch);
    return registered.flatMap((route) =>
      [route.method].flat().map((method) => ({
        method,
        path: route.url,
        name: `${method} ${route.url}`,
        access: route.config?.access,
        schema: route.schema ?? {},
      })),
    );
  };
}
