import {
  AppError,
  AuditPage,
  AuditQuery,
  OrganizationConfig,
  OrganizationConfigPatch,
  OrganizationConfigResource,
  OrganizationList,
  UsageQuery,
  UsageTotals,
  type Principal,
} from '@lamb/contract';
import {
  getVersionedConfig,
  listAuditEntries,
  listMembershipsOfUser,
  listSecretNames,
  patchOrganizationConfig,
  putOrganizationConfig,
  recordAudit,
  sumUsage,
  sumUsageBy,
  withTenant,
  type TenantTx,
  type UsageTotal,
} from '@lamb/store';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { toRole } from '../auth/to-role.ts';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';
import { findDefaultSetup } from '../organization/read-organization-setup.ts';
import type { Services } from '../services.ts';

const tags = ['Organisations'];
const MONTH_MS = 30 * 86_400_000;

function toSums(total: UsageTotal) {
  return {
    runs: total.runs,
    prompt_tokens: total.promptTokens,
    completion_tokens: total.completionTokens,
    total_tokens: total.totalTokens,
    cost_micros: total.costMicros,
  };
}

/** The `version` that a change is meant for, so that nobody overwrites what they have not seen. */
const IfMatch = z.looseObject({
  'if-match': z
    .string()
    .regex(/^"?\d{1,9}"?$/, 'must be the version of the configuration')
    .optional(),
});

function readVersion({ 'if-match': version }: { 'if-match'?: string | undefined }): number | undefined {
  return version === undefined ? undefined : Number(version.replaceAll('"', ''));
}

/** What a patch makes of a configuration must be one. */
function checkConfig(config: unknown): void {
  const parsed = OrganizationConfig.safeParse(config);
  if (parsed.success) return;
  const problems = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const [first] = problems;
  throw new AppError('invalid_request', {
    message: `The configuration would not be valid: “${first?.path ?? ''}”: ${first?.message ?? ''}.`,
    details: { problems, param: first?.path },
  });
}

/** The organisation a person works in: its configuration, its people and what they did. */
export function organizationRoutes({ db, secretBox, budgets }: Services): FastifyPluginCallbackZod {
  const inOrganization = <Result>({ organizationId }: Principal, work: (tx: TenantTx) => Promise<Result>) =>
    withTenant(db, organizationId, work);

  async function readConfig(tx: TenantTx, reply: FastifyReply) {
    const { config, version } = await getVersionedConfig(tx);
    const parsed = OrganizationConfig.parse(config);
    void reply.header('etag', `"${String(version)}"`);
    return { config: parsed, secrets: await listSecretNames(tx), version, default_setup: findDefaultSetup(parsed) };
  }

  /** Writes, notes who did, and answers with what is there now. */
  async function changeConfig(principal: Principal, reply: FastifyReply, write: (tx: TenantTx) => Promise<void>) {
    const changed = await inOrganization(principal, async (tx) => {
      await write(tx);
      const subject = `organization:${principal.organizationId}`;
      await recordAudit(tx, { actorId: principal.userId, action: 'organization.configured', subject });
      return await readConfig(tx, reply);
    });
    budgets.forget(principal.organizationId);
    return changed;
  }

  return (app, _options, done) => {
    app.get(
      '/lamb/v1/organizations',
      {
        config: { access: 'organization.list' },
        schema: { tags, summary: 'List your organisations', response: { 200: OrganizationList } },
      },
      async ({ principal }) => {
        const memberships = await listMembershipsOfUser(db, principal.userId);
        return {
          items: memberships.map((membership) => ({
            id: membership.organization.id,
            name: membership.organization.name,
            slug: membership.organization.slug,
            role: toRole(membership),
            current: membership.organization.id === principal.organizationId,
          })),
        };
      },
    );

    app.get(
      '/lamb/v1/organizations/current/config',
      {
        config: { access: 'organization.configure' },
        schema: { tags, summary: 'Read the configuration', response: { 200: OrganizationConfigResource } },
      },
      async ({ principal }, reply) => await inOrganization(principal, (tx) => readConfig(tx, reply)),
    );

    app.put(
      '/lamb/v1/organizations/current/config',
      {
        config: { access: 'organization.configure' },
        schema: {
          tags,
          summary: 'Replace the configuration; a secret that is left out stays, an empty one is forgotten',
          headers: IfMatch,
          body: OrganizationConfig,
          response: { 200: OrganizationConfigResource },
        },
      },
      async ({ principal, body, headers }, reply) =>
        await changeConfig(principal, reply, (tx) => putOrganizationConfig(tx, secretBox, body, readVersion(headers))),
    );

    app.patch(
      '/lamb/v1/organizations/current/config',
      {
        config: { access: 'organization.configure' },
        schema: {
          tags,
          summary: 'Change parts of the configuration (JSON merge patch)',
          headers: IfMatch,
          body: OrganizationConfigPatch,
          response: { 200: OrganizationConfigResource },
        },
      },
      async ({ principal, body, headers }, reply) =>
        await changeConfig(principal, reply, (tx) =>
          patchOrganizationConfig(tx, secretBox, body, { expectedVersion: readVersion(headers), check: checkConfig }),
        ),
    );

    app.get(
      '/lamb/v1/organizations/current/usage',
      {
        config: { access: 'usage.read' },
        schema: { tags, summary: 'Sum up the usage', querystring: UsageQuery, response: { 200: UsageTotals } },
      },
      async ({ principal, query }) => {
        const to = query.to === undefined ? new Date() : new Date(query.to * 1000);
        const from = query.from === undefined ? new Date(to.getTime() - MONTH_MS) : new Date(query.from * 1000);
        const range = { from, to, assistantId: query.assistant };
        const { group_by: by } = query;
        return await inOrganization(principal, async (tx) => ({
          from: toUnixSeconds(from),
          to: toUnixSeconds(to),
          ...toSums(await sumUsage(tx, range)),
          ...(by
            ? { groups: (await sumUsageBy(tx, range, by)).map(({ key, ...sums }) => ({ key, ...toSums(sums) })) }
            : {}),
        }));
      },
    );

    app.get(
      '/lamb/v1/organizations/current/audit',
      {
        config: { access: 'audit.read' },
        schema: { tags, summary: 'Read the audit log', querystring: AuditQuery, response: { 200: AuditPage } },
      },
      async ({ principal, query }) => {
        const { actor: actorId, from, to, ...request } = query;
        const toDate = (seconds: number | undefined) => (seconds === undefined ? undefined : new Date(seconds * 1000));
        const wanted = { ...request, actorId, from: toDate(from), to: toDate(to) };
        const page = await inOrganization(principal, (tx) => listAuditEntries(tx, wanted));
        const items = page.items.map(
          ({ id, actorId: actor, actorEmail, actorName, action, subject, details, createdAt }) => ({
            id,
            actor_id: actor,
            actor_email: actorEmail,
            actor_name: actorName,
            action,
            subject,
            details,
            created_at: toUnixSeconds(createdAt),
          }),
        );
        return { items, next_cursor: page.nextCursor };
      },
    );
    done();
  };
}
