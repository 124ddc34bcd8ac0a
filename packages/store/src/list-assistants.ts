import { sql } from 'kysely';
import { hasShares, isOwner, isShared } from './assistant-access.ts';
import { toPublication, type AssistantPublication, type AssistantType } from './assistants.ts';
import {
  cutPage,
  decodeCursor,
  chooseRowCount,
  readNumber,
  readTime,
  type Page,
  type PageRequest,
  type Position,
} from './keyset.ts';
import { executePrepared } from './prepared-statements.ts';
import type { TenantTx } from './with-tenant.ts';

export type AssistantScope = 'mine' | 'shared' | 'published' | 'visible' | 'organization';
export type AssistantSort = 'updated' | 'created' | 'name';

export interface AssistantListRequest extends PageRequest {
  viewerId: string;
  /** `visible`: mine, shared with me and published. `organization`: all, for those who administer it. */
  scope: AssistantScope;
  /** Times sort newest first, names from A to Z. */
  sort: AssistantSort;
  type?: AssistantType | undefined;
  /** A part of the name or the description. */
  search?: string | undefined;
}

/** An assistant in a list: without its prompts. */
export interface AssistantSummary {
  id: number;
  ownerId: string;
  ownerEmail: string;
  ownerName: string;
  name: string;
  description: string;
  type: AssistantType;
  metadata: string;
  published: AssistantPublication | null;
  isOwner: boolean;
  isShared: boolean;
  hasShares: boolean;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

const sorts = {
  updated: { column: 'a.updated_at', direction: 'desc' },
  created: { column: 'a.created_at', direction: 'desc' },
  name: { column: 'a.name', direction: 'asc' },
} as const;

export async function listAssistants(tx: TenantTx, request: AssistantListRequest): Promise<Page<AssistantSummary>> {
  const count = chooseRowCount(request.limit);
  const { direction } = sorts[request.sort];
  // The page is found by its ids first: a limited walk along an index, whatever the final joins look like.
  const query = tx
    .with('page', () => selectPage(tx, request, count))
    .selectFrom('page')
    .innerJoin('lamb.assistants as a', 'a.id', 'page.id')
    .innerJoin('auth.user as u', 'u.id', 'a.owner_id')
    .select(['a.id', 'a.owner_id', 'u.email as owner_email', 'u.name as owner_name', 'a.name', 'a.description'])
    .select(['a.assistant_type', 'a.api_callback', 'a.version', 'a.created_at', 'a.updated_at'])
    .select(['a.published_name', 'a.published_at', 'a.group_id', 'a.group_name', 'a.oauth_consumer_name'])
    .select([isOwner(request.viewerId).as('is_owner'), isShared(request.viewerId).as('is_shared')])
    .select(hasShares.as('has_shares'))
    .orderBy('page.sort_value', direction)
    .orderBy('page.id', direction);
  const rows = await executePrepared(tx, query);
  return cutPage(
    rows,
    request.limit,
    request.sort,
    (row) => ({ value: readSortValue(row, request.sort), id: String(row.id) }),
    (row) => ({
      id: row.id,
      ownerId: row.owner_id,
      ownerEmail: row.owner_email,
      ownerName: row.owner_name,
      name: row.name,
      description: row.description,
      type: row.assistant_type,
      metadata: row.api_callback,
      published: toPublication(row),
      isOwner: row.is_owner,
      isShared: row.is_shared,
      hasShares: row.has_shares,
      version: row.version,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    }),
  );
}

type Branch = 'mine' | 'shared' | 'published' | 'organization';

function selectPage(tx: TenantTx, request: AssistantListRequest, count: number) {
  if (request.scope !== 'visible') return selectBranch(tx, request, request.scope, count);
  // Three short walks instead of one long one: with OR, a page of a member who sees little would walk the organisation.
  const select = (branch: Branch) =>
    tx.selectFrom(selectBranch(tx, request, branch, count).as('branch')).select(['branch.id', 'branch.sort_value']);
  const { direction } = sorts[request.sort];
  return tx
    .selectFrom(select('mine').union(select('shared')).union(select('published')).as('candidate'))
    .select(['candidate.id', 'candidate.sort_value'])
    .orderBy('candidate.sort_value', direction)
    .orderBy('candidate.id', direction)
    .limit(sql.lit(count));
}

function selectBranch(tx: TenantTx, request: AssistantListRequest, branch: Branch, count: number) {
  const { column, direction } = sorts[request.sort];
  const { type, search } = request;
  const after = decodeCursor(request.sort, request.cursor);
  let query = tx
    .selectFrom(selectSource(tx, request.viewerId, branch).as('a'))
    .select(['a.id', sql<Date | string>`${sql.ref(column)}`.as('sort_value')])
    .orderBy(column, direction)
    .orderBy('a.id', direction)
    .limit(sql.lit(count));
  if (type !== undefined) query = query.where('a.assistant_type', '=', type);
  if (search !== undefined) query = query.where(matchesSearch(search));
  if (after !== undefined) query = query.where(isAfter(after, request.sort));
  return query;
}

function selectSource(tx: TenantTx, viewerId: string, branch: Branch) {
  const query = tx
    .selectFrom('lamb.assistants as a')
    .select(['a.id', 'a.name', 'a.search_text', 'a.assistant_type', 'a.created_at', 'a.updated_at'])
    .where('a.deleted_at', 'is', null);
  if (branch === 'mine') return query.where('a.owner_id', '=', viewerId);
  if (branch === 'published') return query.where('a.published_at', 'is not', null);
  if (branch === 'organization') return query;
  return (
    query
      .innerJoin('lamb.assistant_shares as share', 'share.assistant_id', 'a.id')
      .where('share.user_id', '=', viewerId)
      // Keeps the cursor out of the join: the planner would look each share up along the sort order, not by its id.
      .offset(sql.lit(0))
  );
}

function isAfter(position: Position, sort: AssistantSort) {
  const id = readNumber(position.id);
  // The index is used from this row on only when the comparison is of the whole row.
  if (sort === 'name') return sql<boolean>`(a.name, a.id) > (${position.value}, ${id}::bigint)`;
  return sql<boolean>`(${sql.ref(sorts[sort].column)}, a.id) < (${readTime(position)}::timestamptz, ${id}::bigint)`;
}

function matchesSearch(text: string) {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`a.search_text like lower(${pattern} collate "und-x-icu") collate "C"`;
}

function readSortValue(row: { name: string; created_at: Date; updated_at: Date }, sort: AssistantSort): string {
  if (sort === 'name') return row.name;
  return (sort === 'created' ? row.created_at : row.updated_at).toISOString();
}
