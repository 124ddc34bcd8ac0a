import { AppError } from '@lamb/contract';
import { readMigrationStatus } from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Services } from '../services.ts';

const tags = ['Operating'];
const Health = z.object({ status: z.literal('ok') });

/** What operators and orchestrators ask. */
export function healthRoutes({ db, metrics, config }: Services): FastifyPluginCallbackZod {
  return (app, _options, done) => {
    app.get(
      '/health/live',
      { config: { access: 'public' }, schema: { tags, summary: 'The process runs', response: { 200: Health } } },
      () => ({ status: 'ok' as const }),
    );

    app.get(
      '/health/ready',
      {
        config: { access: 'public' },
        schema: { tags, summary: 'It can answer: the database is there and migrated', response: { 200: Health } },
      },
      async () => {
        const status = await readMigrationStatus(db);
        if (status.pending.length > 0) {
          throw new AppError('service_unavailable', {
            message: `The database lacks ${String(status.pending.length)} migrations. Run \`npm run migrate\`.`,
          });
        }
        return { status: 'ok' as const };
      },
    );

    app.get(
      '/metrics',
      {
        config: { access: 'operator' },
        schema: { tags, summary: 'Figures for Prometheus', response: { 200: z.string() } },
      },
      async (request, reply) => {
        const authorized =
          config.metricsToken === undefined
            ? isLoopback(request.ip)
            : isSame(request.headers.authorization ?? '', `Bearer ${config.metricsToken}`);
        if (!authorized) throw new AppError('unauthenticated', { message: 'The metrics are for the operator.' });
        return await reply
          .type(metrics.registry.contentType)
          .serializer((text: string) => text)
          .send(await metrics.registry.metrics());
      },
    );
    done();
  };
}

function isLoopback(ip: string): boolean {
  return ip === '127.0.0.1' || ip === '::1' || ip === '::ffff:127.0.0.1';
}

function isSame(given: string, wanted: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(wanted)];
  return left.length === right.length && timingSafeEqual(left, right);
}
