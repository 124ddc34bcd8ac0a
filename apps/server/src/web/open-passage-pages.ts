import type { FastifyInstance } from 'fastify';
import { acceptsHtml } from './accepts-html.ts';

const PASSAGE = '/lamb/v1/collections/:id/documents/:document_id/passage';

/** Who follows a citation's address in a browser gets the page that shows the passage, and is asked there to sign in; a program gets the passage itself. */
export function openPassagePages(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.url !== PASSAGE) {
      done();
      return;
    }
    // Beside what sharing with other origins has already said.
    reply.header('vary', [reply.getHeader('vary'), 'accept'].filter(Boolean).join(', '));
    if (acceptsHtml(request)) {
      const { id, document_id } = request.params as { id: string; document_id: string };
      const query = request.url.split('?')[1];
      const page = `/passages/${encodeURIComponent(id)}/${encodeURIComponent(document_id)}`;
      reply.redirect(query === undefined ? page : `${page}?${query}`, 303);
    } else done();
  });
}
