import { sql } from 'kysely';
import { isCollectionOwner } from './collection-access.ts';
import { selectCollections, toCollection, type Collection } from './collections.ts';
import {
  chooseRowCount,
  cutPage,
  decodeCursor,
  readNumber,
  readTime,
  type Page,
  type PageRequest,
  type Position,
} from './keyset.ts';
import { executePrepared } from './prepared-statements.ts';
import type { TenantTx } from './with-tenant.ts';

export interface CollectionListRequest extends PageRequest {
  viewerId: string;
  /** `shared`: with me. `visible`: mine, shared with me and open to the organisation. */
  scope: 'mine' | 'shared' | 'visible';
  /** A part of the name or the description. */
  search?: string | undefined;
}

/** Collections, last changed first. */
export async function listCollections(tx: TenantTx, request: CollectionListRequest): Promise<Page<Collection>> {
  const count = chooseRowCount(request.limit);
  const rows = await executePrepared(
    tx,
    // The page first, so that documents are counted for its collections only.
    selectCollections(tx)
      .innerJoin(selectPage(tx, request, count).as('page'), 'page.id', 'c.id')
      .orderBy('page.updated_at', 'desc')
      .orderBy('page.id', 'desc'),
  );
  return cutPage(
    rows,
    request.limit,
    'updated',
    (row) => ({ value: row.updated_at.toISOString(), id: String(row.id) }),
    toCollection,
  );
}

type Branch = 'mine' | 'shared' | 'organization';

function selectPage(tx: TenantTx, request: CollectionListRequest, count: number) {
  if (request.scope !== 'visible') return selectBranch(tx, request, request.scope, count);
  const select = (branch: Branch) =>
    tx.selectFrom(selectBranch(tx, request, branch, count).as('branch')).select(['branch.id', 'branch.updated_at']);
  return tx
    .selectFrom(select('mine').union(select('shared')).union(select('organization')).as('candidate'))
    .select(['candidate.id', 'candidate.updated_at'])
    .orderBy('candidate.updated_at', 'desc')
    .orderBy('candidate.id', 'desc')
    .limit(sql.lit(count));
}

function selectBranch(tx: TenantTx, request: CollectionListRequest, branch: Branch, count: number) {
  const after = decodeCursor('updated', request.cursor);
  let query = tx
    .selectFrom('lamb.collections as c')
    .select(['c.id', 'c.updated_at'])
    .orderBy('c.updated_at', 'desc')
    .orderBy('c.id', 'desc')
    .limit(sql.lit(count));
  if (branch === 'mine') query = query.where(isCollectionOwner(request.viewerId));
  if (branch === 'organization') query = query.where('c.visibility', '=', 'organization');
  if (branch === 'shared') {
    query = query.where(
      sql<boolean>`c.id in (select s.collection_id from lamb.collection_shares s where s.user_id = ${request.viewerId}::uuid)`,
    );
  }
  if (request.search !== undefined) query = query.where(matchesSearch(request.search));
  return after === undefined ? query : query.where(isAfter(after));
}

function isAfter(position: Position) {
  return sql<boolean>`(c.updated_at, c.id) < (${readTime(position)}::timestamptz, ${readNumber(position.id)}::bigint)`;
}

function matchesSearch(text: string) {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`c.search_text like lower(${pattern} collate "und-x-icu") collate "C"`;
}
