import type { FastifyRequest } from 'fastify';

/** Whether a browser opens this address; programs do not ask for pages. */
export function acceptsHtml({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') ?? false;
}
