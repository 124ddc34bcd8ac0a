import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { createReadStream } from 'node:fs';
import type { Services } from '../services.ts';
import { acceptsHtml } from './accepts-html.ts';
import { readWebBuild, type WebBuild, type WebFile } from './read-web-build.ts';

/** Addresses that are never pages: an unknown one among them is answered as the interface answers. */
const notPages = /^\/(_app|api|docs|health|lamb|metrics|openapi\.json|v1)(\/|$)/;
const YEAR_SECONDS = 31_536_000;

/** The web app: its files, and its one page for every other address that a browser opens. */
export function webRoutes({ config, log }: Pick<Services, 'config' | 'log'>): FastifyPluginCallback {
  const build = readWebBuild(config.webFolder);
  if (!build) log.info({ folder: config.webFolder }, 'the web app is not built; `npm run web:build` builds it');

  return (app, _options, done) => {
    app.route({
      method: ['GET', 'HEAD'],
      url: '/*',
      config: { access: 'public' },
      schema: { hide: true },
      handler: (request, reply) => {
        const path = `/${(request.params as { '*': string })['*']}`;
        const file = build?.files.get(path);
        if (file) {
          reply.header('cache-control', file.immutable ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache');
          sendFile(request, reply, file);
        } else if (notPages.test(path) || !acceptsHtml(request)) {
          reply.callNotFound();
        } else if (build) {
          sendPage(request, reply, build, framers(request.url, config.embedOrigins));
        } else {
          void reply
            .code(503)
            .type('text/plain; charset=utf-8')
            .send(
              'The web app is not built. Run `npm run web:build` and start the server again. /docs describes the interface.\n',
            );
        }
      },
    });
    done();
  };
}

/** Who may show the page in a frame: nobody, except the pages made for it, which those may that the configuration names. */
function framers(url: string, embedOrigins: readonly string[]): string {
  return url.startsWith('/embed/') ? ["'self'", ...embedOrigins].join(' ') : "'none'";
}

function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { page, contentPolicy }: WebBuild,
  frames: string,
): void {
  reply.headers({
    'cache-control': 'no-cache',
    'content-security-policy': `${contentPolicy}; frame-ancestors ${frames}`,
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'referrer-policy': 'same-origin',
  });
  sendFile(request, reply, page);
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: WebFile): void {
  const encoding = file.encodings.find(({ name }) => acceptsEncoding(request, name));
  const etag = encoding ? file.etag.replace(/"$/, `-${encoding.name}"`) : file.etag;
  reply.headers({ etag, vary: 'accept-encoding', 'referrer-policy': 'same-origin' });
  if (request.headers['if-none-match']?.includes(etag)) {
    void reply.code(304).send();
    return;
  }
  if (encoding) reply.header('content-encoding', encoding.name);
  reply.type(file.type).header('content-length', encoding?.size ?? file.size);
  void reply.send(request.method === 'HEAD' ? null : createReadStream(encoding?.path ?? file.path));
}

function acceptsEncoding({ headers }: FastifyRequest, name: string): boolean {
  const wanted = headers['accept-encoding'];
  return (
    typeof wanted === 'string' &&
    wanted.split(',').some((item) => {
      const [token = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
      return token === name && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    })
  );
}
