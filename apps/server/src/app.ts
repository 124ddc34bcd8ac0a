import cors from '@fastify/cors';
import swagger from '@fastify/swagger';
import { AppError } from '@lamb/contract';
import scalar from '@scalar/fastify-api-reference';
import Fastify, { LogController, type FastifyInstance } from 'fastify';
import {
  jsonSchemaTransform,
  jsonSchemaTransformObject,
  serializerCompiler,
  validatorCompiler,
} from 'fastify-type-provider-zod';
import { randomUUID } from 'node:crypto';
import { limitRequests } from './budget/limit-requests.ts';
import { closeSpareConnections } from './http/close-spare-connections.ts';
import { BODY_LIMIT, readJsonBodies } from './http/read-json-bodies.ts';
import { guardRoutes } from './http/route-access.ts';
import { sendError } from './http/send-error.ts';
import { budgetRoutes } from './routes/budgets.ts';
import { assistantConversionRoutes } from './routes/assistant-conversion.ts';
import { assistantDraftRoutes } from './routes/assistant-drafts.ts';
import { assistantSharingRoutes } from './routes/assistant-sharing.ts';
import { assistantRoutes } from './routes/assistants.ts';
import { chatSharingRoutes } from './routes/chat-sharing.ts';
import { chatRoutes } from './routes/chats.ts';
import { collectionEventRoutes } from './routes/collection-events.ts';
import { collectionSharingRoutes } from './routes/collection-sharing.ts';
import { collectionRoutes } from './routes/collections.ts';
import { completionRoutes } from './routes/completions.ts';
import { documentIngestionRoutes } from './routes/documents-ingestion.ts';
import { documentRoutes } from './routes/documents.ts';
import { fileRoutes } from './routes/files.ts';
import { healthRoutes } from './routes/health.ts';
import { kbInterfaceFileRoutes } from './routes/kb-interface-files.ts';
import { kbInterfaceJobRoutes } from './routes/kb-interface-jobs.ts';
import { kbInterfaceRoutes } from './routes/kb-interface.ts';
import { keyRoutes } from './routes/keys.ts';
import { meRoutes } from './routes/me.ts';
import { memberRoutes } from './routes/members.ts';
import { openAiRoutes } from './routes/openai.ts';
import { organizationRoutes } from './routes/organizations.ts';
import { providerRoutes } from './routes/providers.ts';
import { rubricRoutes } from './routes/rubrics.ts';
import { runXrayRoutes } from './routes/run-xray.ts';
import { runRoutes } from './routes/runs.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { signUpRoutes } from './routes/sign-up.ts';
import { usageRoutes } from './routes/usage.ts';
import { workspaceRoutes } from './routes/workspaces.ts';
import type { Services } from './services.ts';
import { openPassagePages } from './web/open-passage-pages.ts';
import { webRoutes } from './web/web-routes.ts';

/** Builds the HTTP application; it needs no port, so tests talk to it directly. */
export async function createApp(services: Services): Promise<FastifyInstance> {
  const { config, metrics, authenticator, log } = services;
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    trustProxy: config.trustProxy,
    exposeHeadRoutes: false,
    genReqId: () => randomUUID(),
    requestTimeout: 120_000,
    // Who asks on an open connection while the server stops is still answered.
    return503OnClosing: false,
    frameworkErrors: sendError,
  });
  readJsonBodies(app);
  closeSpareConnections(app);
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler((error, request, reply) => {
    sendError(error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    const message = `There is no ${request.method} ${request.url.split('?')[0] ?? ''}. /docs lists what there is.`;
    sendError(new AppError('not_found', { message }), request, reply);
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    void reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff' });
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    const labels = { method: request.method, route, status: String(reply.statusCode) };
    metrics.requests.observe(labels, reply.elapsedTime / 1000);
    request.log.info({ ...labels, ms: Math.round(reply.elapsedTime) }, 'request');
    done();
  });
  if (config.trustedOrigins.length > 0) {
    // Before the guard: a trusted site also reads why it was refused.
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
    await app.register(cors, { origin: [...config.trustedOrigins], credentials: true, methods });
  }
  openPassagePages(app);
  guardRoutes(app, authenticator);
  limitRequests(app, services);

  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'LAMB', description: 'Learning Assistants Manager and Builder', version: '0.1.0' },
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: { url: '/openapi.json', telemetry: false, withDefaultFonts: false },
  });
  await app.register(signInRoutes(services));
  for (const routes of [
    openAiRoutes,
    completionRoutes,
    assistantRoutes,
    assistantSharingRoutes,
    assistantConversionRoutes,
    assistantDraftRoutes,
    rubricRoutes,
    collectionRoutes,
    collectionEventRoutes,
    collectionSharingRoutes,
    documentIngestionRoutes,
    kbInterfaceRoutes,
    kbInterfaceJobRoutes,
    keyRoutes,
    meRoutes,
    signUpRoutes,
    organizationRoutes,
    memberRoutes,
    providerRoutes,
    usageRoutes,
    budgetRoutes,
    runRoutes,
    runXrayRoutes,
    chatRoutes,
    chatSharingRoutes,
    workspaceRoutes,
    healthRoutes,
  ]) {
    await app.register(routes(services));
  }
  for (const routes of [fileRoutes, documentRoutes, kbInterfaceFileRoutes]) await app.register(routes(services));
  await app.register(webRoutes(services));
  app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, () => app.swagger());
  return app;
}
