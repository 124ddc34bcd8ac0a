import { AppError } from '@lamb/contract';
import { fromNodeHeaders } from 'better-auth/node';
import type { FastifyPluginCallback } from 'fastify';
import { z } from 'zod';
import { createSignInLimiter } from '../auth/create-sign-in-limiter.ts';
import { isUnavailable } from '../auth/explain-auth-error.ts';
import type { Services } from '../services.ts';

/**
 * What better-auth answers itself. It has many more routes, for keys, members, organisations and users, which know
 * nothing of our policy: every one that is not named here stays closed.
 */
const routes = [
  ['POST', 'sign-in/email'],
  ['POST', 'sign-in/social'],
  ['GET', 'callback/:id'],
  ['GET', 'error'],
  ['POST', 'sign-out'],
  ['GET', 'get-session'],
  ['GET', 'list-sessions'],
  ['POST', 'revoke-session'],
  ['POST', 'revoke-other-sessions'],
  ['POST', 'change-password'],
  ['POST', 'organization/set-active'],
] as const;

/** Sign-in and sessions. */
export function signInRoutes({ auth, config }: Services): FastifyPluginCallback {
  return (app, _options, done) => {
    const limitSignIn = createSignInLimiter();
    // better-auth reads the body itself, so it must arrive as it came.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 100_000 }, (_request, body, parsed) => {
      parsed(null, body);
    });
    for (const [method, path] of routes) {
      app.route({
        method,
        url: `/api/auth/${path}`,
        config: { access: 'public' },
        schema: { hide: true },
        handler: async (request, reply) => {
          const body = request.body as Buffer | undefined;
          if (path === 'sign-in/email') limitSignIn({ account: readEmail(body), address: request.ip });
          // Whoever found an open session must not find out the password with it.
          if (path === 'change-password') {
            limitSignIn({ account: `session ${request.headers.cookie ?? ''}`, address: request.ip });
          }
          const headers = fromNodeHeaders(request.headers);
          // Whose address this is, is known to us; the header could be anybody's invention.
          headers.set('x-forwarded-for', request.ip);
          const response = await auth.handler(
            new Request(new URL(request.url, config.publicUrl), {
              method: request.method,
              headers,
              ...(body === undefined || body.length === 0 ? {} : { body: new Uint8Array(body) }),
            }),
          );
          const answer = Buffer.from(await response.arrayBuffer());
          if (isUnavailable(response.status, answer)) throw new AppError('service_unavailable');
          reply.code(response.status);
          for (const [name, value] of response.headers) {
            if (name !== 'set-cookie') reply.header(name, value);
          }
          const cookies = response.headers.getSetCookie();
          if (cookies.length > 0) reply.header('set-cookie', cookies);
          return await reply.send(response.body === null ? null : answer);
        },
      });
    }
    done();
  };
}

/** Whom somebody wants to be; better-auth says what is wrong with a body that does not tell. */
function readEmail(body: Buffer | undefined): string {
  try {
    const { email } = z.object({ email: z.string() }).parse(JSON.parse(body?.toString('utf8') ?? ''));
    return email;
  } catch {
    return '';
  }
}
