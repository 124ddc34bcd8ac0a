import { fromNodeHeaders } from 'better-auth/node';
import type { FastifyPluginCallback } from 'fastify';
import type { Services } from '../services.ts';

/** Sign-in, sessions and organisations: better-auth's own routes. */
export function signInRoutes({ auth, config }: Services): FastifyPluginCallback {
  return (app, _options, done) => {
    // better-auth reads the body itself, so it must arrive as it came.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 100_000 }, (_request, body, parsed) => {
      parsed(null, body);
    });
    app.route({
      method: ['GET', 'POST'],
      url: '/api/auth/*',
      schema: { hide: true },
      handler: async (request, reply) => {
        const body = request.body as Buffer | undefined;
        const response = await auth.handler(
          new Request(new URL(request.url, config.publicUrl), {
            method: request.method,
            headers: fromNodeHeaders(request.headers),
            ...(body === undefined || body.length === 0 ? {} : { body: new Uint8Array(body) }),
          }),
        );
        reply.code(response.status);
        for (const [name, value] of response.headers) {
          if (name !== 'set-cookie') reply.header(name, value);
        }
        const cookies = response.headers.getSetCookie();
        if (cookies.length > 0) reply.header('set-cookie', cookies);
        return await reply.send(response.body === null ? null : Buffer.from(await response.arrayBuffer()));
      },
    });
    done();
  };
}
