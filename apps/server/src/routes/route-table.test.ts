import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../test-server/start-test-server.ts';
import { recordRoutes, type RecordedRoute } from './__fixtures__/record-routes.ts';
import { send } from './__fixtures__/send.ts';

/** Every route and who may call it. What outsiders see and what opens to whom changes here first. */
const table = `
GET /v1/models: model.list
POST /v1/chat/completions: assistant.use
POST /lamb/v1/completions: assistant.use
GET /lamb/v1/completions/list: catalogue.read
GET /lamb/v1/completions/tools: catalogue.read
GET /lamb/v1/completions/tools/:name: catalogue.read
POST /lamb/v1/completions/tools/:name/validate: catalogue.read
GET /lamb/v1/assistants: assistant.list
POST /lamb/v1/assistants: assistant.create
POST /lamb/v1/assistants/validate: assistant.create
POST /lamb/v1/assistants/drafts/turns: assistant.create
POST /lamb/v1/assistants/import: assistant.create
GET /lamb/v1/assistants/:id: assistant.read
PATCH /lamb/v1/assistants/:id: assistant.edit
DELETE /lamb/v1/assistants/:id: assistant.edit
POST /lamb/v1/assistants/:id/restore: assistant.edit
GET /lamb/v1/assistants/:id/card: assistant.use
POST /lamb/v1/assistants/:id/convert/preview: assistant.edit
POST /lamb/v1/assistants/:id/convert: assistant.edit
POST /lamb/v1/assistants/:id/convert/undo: assistant.edit
POST /lamb/v1/assistants/:id/duplicate: assistant.create
GET /lamb/v1/assistants/:id/export: assistant.read
GET /lamb/v1/assistants/:id/shares: assistant.share
PUT /lamb/v1/assistants/:id/shares: assistant.share
PUT /lamb/v1/assistants/:id/publication: assistant.publish
DELETE /lamb/v1/assistants/:id/publication: assistant.publish
GET /lamb/v1/assistants/:id/workspace: workspace.use
GET /lamb/v1/assistants/:id/workspace/files: workspace.use
PUT /lamb/v1/assistants/:id/workspace/files: workspace.use
DELETE /lamb/v1/assistants/:id/workspace/files: workspace.use
GET /lamb/v1/assistants/:id/workspace/backups: workspace.use
DELETE /lamb/v1/assistants/:id/workspace/backups: workspace.use
POST /lamb/v1/assistants/:id/workspace/restore: workspace.use
GET /lamb/v1/assistants/:id/workspace/archive: workspace.use
GET /lamb/v1/rubrics: rubric.list
POST /lamb/v1/rubrics: rubric.create
POST /lamb/v1/rubrics/import: rubric.create
POST /lamb/v1/rubrics/render: rubric.create
POST /lamb/v1/rubrics/draft: rubric.create
POST /lamb/v1/rubrics/:id/duplicate: rubric.create
PUT /lamb/v1/rubrics/:id/showcase: rubric.showcase
GET /lamb/v1/rubrics/:id/export: rubric.read
GET /lamb/v1/rubrics/:id: rubric.read
PUT /lamb/v1/rubrics/:id: rubric.edit
DELETE /lamb/v1/rubrics/:id: rubric.edit
GET /lamb/v1/rubrics/:id/markdown: rubric.read
GET /lamb/v1/files: file.list
POST /lamb/v1/files: file.create
GET /lamb/v1/files/:id: file.read
GET /lamb/v1/files/:id/content: file.read
DELETE /lamb/v1/files/:id: file.edit
GET /lamb/v1/collections: collection.list
POST /lamb/v1/collections: collection.create
POST /lamb/v1/collections/query: collection.query
GET /lamb/v1/collections/embeddings: collection.create
GET /lamb/v1/collections/:id: collection.read
PATCH /lamb/v1/collections/:id: collection.edit
DELETE /lamb/v1/collections/:id: collection.edit
POST /lamb/v1/collections/:id/query: collection.query
GET /lamb/v1/collections/:id/events: collection.read
GET /lamb/v1/collections/:id/shares: collection.share
PUT /lamb/v1/collections/:id/shares: collection.share
GET /lamb/v1/collections/:id/documents: collection.read
POST /lamb/v1/collections/:id/documents: collection.edit
POST /lamb/v1/collections/:id/documents/url: collection.edit
GET /lamb/v1/collections/:id/documents/:document_id: collection.read
DELETE /lamb/v1/collections/:id/documents/:document_id: collection.edit
GET /lamb/v1/collections/:id/documents/:document_id/content: collection.read
GET /lamb/v1/collections/:id/documents/:document_id/chunks: collection.read
GET /lamb/v1/collections/:id/documents/:document_id/passage: passage.read
POST /lamb/v1/collections/:id/documents/:document_id/retry: collection.edit
POST /lamb/v1/collections/:id/documents/:document_id/cancel: collection.edit
POST /lamb/v1/collections/:id/reindex: collection.edit
GET /health: public
GET /collections: collection.list
POST /collections: collection.create
GET /collections/:id: collection.read
DELETE /collections/:id: collection.edit
POST /collections/:id/query: collection.query
POST /collections/:id/ingest-file: collection.edit
POST /collections/:id/ingest-url: collection.edit
POST /collections/:id/documents: collection.edit
GET /collections/:id/files: collection.read
GET /collections/:id/ingestion-jobs: collection.read
GET /collections/:id/ingestion-jobs/:job: collection.read
POST /collections/:id/ingestion-jobs/:job/retry: collection.edit
POST /collections/:id/ingestion-jobs/:job/cancel: collection.edit
GET /ingestion-jobs: collection.list
GET /ingestion-jobs/:job: collection.read
POST /ingestion-jobs/:job/retry: collection.edit
POST /ingestion-jobs/:job/cancel: collection.edit
GET /files/:id/content: collection.read
GET /lamb/v1/keys: key.list
POST /lamb/v1/keys: key.create
DELETE /lamb/v1/keys/:id: key.revoke
GET /lamb/v1/me: me.read
PATCH /lamb/v1/me: me.edit
GET /lamb/v1/me/organizations: signed_in
POST /lamb/v1/me/organizations: signed_in
PUT /lamb/v1/me/organization: signed_in
POST /lamb/v1/me/invitations: signed_in
GET /lamb/v1/sign-in-options: public
POST /lamb/v1/sign-up: public
POST /lamb/v1/invitations/look-up: public
POST /lamb/v1/invitations/accept: public
GET /lamb/v1/organizations: organization.list
GET /lamb/v1/organizations/current/config: organization.configure
PUT /lamb/v1/organizations/current/config: organization.configure
PATCH /lamb/v1/organizations/current/config: organization.configure
GET /lamb/v1/organizations/current/members: member.list
GET /lamb/v1/organizations/current/members/:id: member.list
PATCH /lamb/v1/organizations/current/members/:id: member.edit
DELETE /lamb/v1/organizations/current/members/:id: member.edit
GET /lamb/v1/organizations/current/invitations: member.invite
POST /lamb/v1/organizations/current/invitations: member.invite
DELETE /lamb/v1/organizations/current/invitations/:id: member.invite
GET /lamb/v1/organizations/current/keys: key.oversee
DELETE /lamb/v1/organizations/current/keys/:id: key.oversee
GET /lamb/v1/organizations/current/providers: organization.configure
GET /lamb/v1/organizations/current/providers/:name/models: organization.configure
POST /lamb/v1/organizations/current/providers/:name/test: organization.configure
POST /lamb/v1/organizations/current/knowledge-server/test: organization.configure
POST /lamb/v1/organizations/current/moodle/test: organization.configure
GET /lamb/v1/organizations/current/usage: usage.read
GET /lamb/v1/organizations/current/usage/series: usage.read
GET /lamb/v1/organizations/current/usage/export: usage.read
GET /lamb/v1/organizations/current/budgets/users: budget.configure
PUT /lamb/v1/organizations/current/budgets/users/:id: budget.configure
DELETE /lamb/v1/organizations/current/budgets/users/:id: budget.configure
GET /lamb/v1/organizations/current/audit: audit.read
GET /lamb/v1/organizations/current/budgets: budget.configure
PUT /lamb/v1/organizations/current/budgets: budget.configure
GET /lamb/v1/organizations/current/prices: budget.configure
PUT /lamb/v1/organizations/current/prices: budget.configure
GET /lamb/v1/me/budget: me.read
GET /lamb/v1/chats: chat.list
POST /lamb/v1/chats: chat.create
GET /lamb/v1/chats/:id: chat.read
PATCH /lamb/v1/chats/:id: chat.edit
DELETE /lamb/v1/chats/:id: chat.edit
POST /lamb/v1/chats/:id/regenerate: chat.edit
PUT /lamb/v1/chats/:id/share: chat.edit
DELETE /lamb/v1/chats/:id/share: chat.edit
GET /lamb/v1/shared-chats/:token: public
POST /lamb/v1/chats/:id/turns: chat.edit
GET /lamb/v1/runs/:id: run.read
GET /lamb/v1/runs/:id/answer: run.read
GET /lamb/v1/runs/:id/events: run.read
POST /lamb/v1/runs/:id/cancel: run.control
POST /lamb/v1/runs/:id/calls/:call_id/decision: run.control
GET /lamb/v1/runs/:id/trace: trace.read
POST /lamb/v1/runs/:id/replay: trace.read
GET /health/live: public
GET /health/ready: public
GET /metrics: operator
GET /*: public
HEAD /*: public
GET /openapi.json: public
GET /docs: public
GET /docs/: public
GET /docs/js/scalar.js: public
POST /api/auth/sign-in/email: public
POST /api/auth/sign-in/social: public
GET /api/auth/callback/:id: public
GET /api/auth/error: public
POST /api/auth/sign-out: public
GET /api/auth/get-session: public
GET /api/auth/list-sessions: public
POST /api/auth/revoke-session: public
POST /api/auth/revoke-other-sessions: public
POST /api/auth/change-password: public
POST /api/auth/organization/set-active: public
`;

interface Operation {
  readonly summary?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: unknown }>> };
  readonly responses: Readonly<Record<string, { readonly description?: string }>>;
}

interface Document {
  readonly openapi: string;
  readonly info: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

let lamb: TestServer;
let routes: RecordedRoute[];
let openapi: Document;

beforeAll(async () => {
  const listRoutes = recordRoutes();
  lamb = await startTestServer();
  routes = listRoutes();
  openapi = (await send(lamb, 'GET', '/openapi.json')).body as Document;
});
afterAll(async () => {
  await lamb.stop();
});

describe('the route table', () => {
  it('is exactly this', () => {
    const actual = routes.map(({ name, access }) => `${name}: ${access ?? 'says nothing'}`);
    expect(actual.toSorted()).toEqual(table.trim().split('\n').toSorted());
  });

  it('lets nobody in without a credential, except where it says public', async () => {
    const answers = await Promise.all(
      routes.map(async ({ method, path, name, access }) => {
        const { status } = await send(lamb, method, path.replace(/:\w+/g, '1'));
        return { name, access, refused: status === 401 };
      }),
    );
    const open = answers.filter(({ access, refused }) => !refused && access !== 'public' && access !== 'operator');
    expect(open.map(({ name }) => name)).toEqual([]);
  });

  it('answers an unknown address as a problem, with where to look', async () => {
    const { status, headers, body } = await send(lamb, 'GET', '/lamb/v1/nothing?secret=1');
    expect(status).toBe(404);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body).toMatchObject({
      code: 'not_found',
      title: 'There is no GET /lamb/v1/nothing. /docs lists what there is.',
    });
    expect((await send(lamb, 'GET', '/v1/nothing')).body).toMatchObject({ error: { code: 'not_found' } });
  });
});

describe('/openapi.json', () => {
  const listOperations = () =>
    Object.entries(openapi.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ path, method, operation, name: `${method} ${path}` })),
    );

  it('has every route that has a schema', () => {
    const shown = routes.filter(({ schema }) => schema.hide !== true);
    const names = listOperations().map(
      ({ path, method }) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
    );
    expect(names.toSorted()).toEqual(shown.map(({ name }) => name).toSorted());
    expect(names.length).toBeGreaterThan(40);
    for (const { name, method, path, schema } of shown) {
      const operation = openapi.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      expect(operation?.summary, name).toEqual(expect.any(String));
      expect(operation?.requestBody !== undefined, `${name} describes its body`).toBe(schema.body !== undefined);
    }
  });

  it('is a valid OpenAPI 3.1 document', () => {
    expect(openapi.openapi).toMatch(/^3\.1\.\d+$/);
    expect(openapi.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
    for (const { path, method, operation, name } of listOperations()) {
      expect(path).toMatch(/^\//);
      expect(['get', 'put', 'post', 'delete', 'patch']).toContain(method);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      const { parameters = [], responses } = operation;
      const required = parameters.filter((each) => each.in === 'path' && each.required === true);
      expect(required.map((each) => each.name).toSorted(), name).toEqual(inPath.toSorted());
      for (const parameter of parameters) expect(['path', 'query', 'header', 'cookie']).toContain(parameter.in);
      expect(Object.keys(responses).length, name).toBeGreaterThan(0);
      for (const [status, { description }] of Object.entries(responses)) {
        expect(status, name).toMatch(/^(default|[1-5](\d\d|XX))$/);
        expect(description, `${name} ${status}`).toEqual(expect.any(String));
      }
    }
  });

  it('refers to nothing that is not there', () => {
    const references = [...JSON.stringify(openapi).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target ?? '');
    expect(references.length).toBeGreaterThan(50);
    for (const reference of new Set(references)) {
      expect(reference).toMatch(/^#\//);
      const steps = reference.slice(2).split('/');
      const target = steps.reduce<unknown>(
        (node, step) => (node as Record<string, unknown> | undefined)?.[step.replaceAll('~1', '/')],
        openapi,
      );
      expect(target, reference).toEqual(expect.any(Object));
    }
  });

  it('describes an upload as multipart', () => {
    expect(openapi.paths['/lamb/v1/files']?.['post']?.requestBody?.content).toEqual({
      'multipart/form-data': {
        schema: expect.objectContaining({
          required: ['file'],
          properties: {
            file: expect.objectContaining({ type: 'string', format: 'binary' }),
            path: expect.objectContaining({ type: 'string' }),
          },
        }),
      },
    });
  });
});

describe('/docs', () => {
  it('is a page whose script comes from us and which asks nobody else for anything', async () => {
    expect((await send(lamb, 'GET', '/docs')).headers.get('location')).toBe('/docs/');
    const page = await send(lamb, 'GET', '/docs/');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source ?? '');
    expect(sources).toEqual(['js/scalar.js']);
    expect(page.text).not.toMatch(/\/\/[a-z0-9-]+\.[a-z]/i);
    expect(page.text).toContain('"url": "/openapi.json"');
    // Otherwise the script would fetch fonts and report usage.
    expect(page.text).toContain('"withDefaultFonts": false');
    expect(page.text).toContain('"telemetry": false');
    const script = await send(lamb, 'GET', '/docs/js/scalar.js');
    expect(script.status).toBe(200);
    expect(script.headers.get('content-type')).toMatch(/javascript/);
    expect(script.text.length).toBeGreaterThan(100_000);
  });
});
