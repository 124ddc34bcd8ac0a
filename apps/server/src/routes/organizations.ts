import {
  AuditPage,
  Me,
  MemberPage,
  OrganizationConfig,
  OrganizationConfigResource,
  OrganizationList,
  PageQuery,
  UsageQuery,
  UsageTotals,
  type Principal,
} from '@lamb/contract';
import {
  getOrganizationConfig,
  listAuditEntries,
  listMembers,
  listMembershipsOfUser,
  listSecretNames,
  putOrganizationConfig,
  recordAudit,
  sumUsage,
  sumUsageBy,
  withTenant,
  type TenantTx,
  type UsageTotal,
} from '@lamb/store';
import type { FastifyPluginCallbackZod } from 'fastify-type-provider-zod';
import { toRole } from '../auth/to-role.ts';
import { toUnixSeconds } from '../http/to-unix-seconds.ts';
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

/** The organisation a person works in: its configuration, its people and what they did. */
export function organizationRoutes({ db, secretBox, budgets }: Services): FastifyPluginCallbackZod {
  const inOrganization = <Result>({ organizationId }: Principal, work: (tx: TenantTx) => Promise<Result>) =>
    withTenant(db, organizationId, work);

  async function readConfig(tx: TenantTx) {
    const config = OrganizationConfig.parse(await getOrganizationConfig(tx));
    return { config, secrets: await listSecretNames(tx) };
  }

  return (app, _options, done) => {
    app.get(
      '/lamb/v1/me',
      { config: { access: 'me.read' }, schema: { tags, summary: 'Who am I', response: { 200: Me } } },
      ({ principal }) => ({
        user_id: principal.userId,
        email: principal.email,
        name: principal.name,
        organization_id: principal.organizationId,
        role: principal.role,
        via: principal.via,
      }),
    );

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
      async ({ principal }) => await inOrganization(principal, readConfig),
    );

    app.put(
      '/lamb/v1/organizations/current/config',
      {
        config: { access: 'organization.configure' },
        schema: {
          tags,
          summary: 'Replace the configuration; a secret that is left out stays, an empty one is forgotten',
          body: OrganizationConfig,
          response: { 200: OrganizationConfigResource },
        },
      },
      async ({ principal, body }) => {
        const reply = await inOrganization(principal, async (tx) => {
          await putOrganizationConfig(tx, secretBox, body);
          const subject = `organization:${principal.organizationId}`;
          await recordAudit(tx, { actorId: principal.userId, action: 'organization.configured', subject });
          return await readConfig(tx);
        });
        budgets.forget(principal.organizationId);
        return reply;
      },
    );

    app.get(
      '/lamb/v1/organizations/current/members',
      {
        config: { access: 'member.list' },
        schema: { tags, summary: 'List the members', querystring: PageQuery, response: { 200: MemberPage } },
      },
      async ({ principal, query }) => {
        const page = await inOrganization(principal, (tx) => listMembers(tx, query));
        const items = page.items.map((member) => ({
          user_id: member.id,
          email: member.email,
          name: member.name,
          role: toRole({ user: member, role: member.role }),
          enabled: member.enabled && !member.banned,
        }));
        return { items, next_cursor: page.nextCursor };
      },
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
        schema: { tags, summary: 'Read the audit log', querystring: PageQuery, response: { 200: AuditPage } },
      },
      async ({ principal, query }) => {
        const page = await inOrganization(principal, (tx) => listAuditEntries(tx, query));
        const items = page.items.map(({ id, actorId, action, subject, details, createdAt }) => ({
          id,
          actor_id: actorId,
          action,
          subject,
          details,
          created_at: toUnixSeconds(createdAt),
        }));
        return { items, next_cursor: page.nextCursor };
      },
    );
    done();
  };
}
