import { AppError } from '@lamb/contract';
import { sql, type ColumnType, type Generated } from 'kysely';
import { cutPage, decodeCursor, chooseRowCount, readTime, readUuid, type Page, type PageRequest } from './keyset.ts';
import { executePrepared } from './prepared-statements.ts';
import type { TenantTx } from './with-tenant.ts';

export interface RubricTable {
  rubric_id: Generated<string>;
  organization_id: Generated<string>;
  legacy_id: number | null;
  owner_id: string;
  title: string;
  description: Generated<string>;
  data: ColumnType<Record<string, unknown>, string, string>;
  is_public: Generated<boolean>;
  is_showcase: Generated<boolean>;
  parent_id: string | null;
  version: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

/** A rubric in a list: without its document. */
export interface RubricSummary {
  rubricId: string;
  ownerId: string;
  ownerEmail: string;
  title: string;
  description: string;
  isPublic: boolean;
  isShowcase: boolean;
  parentId: string | null;
  /** Counts the changes; pass it back to refuse overwriting somebody else's. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

export interface StoredRubric extends RubricSummary {
  legacyId: number | null;
  /** The rubric document, as it was saved. */
  data: Record<string, unknown>;
}

export interface RubricContent {
  title: string;
  description: string;
  data: Record<string, unknown>;
  isPublic: boolean;
  isShowcase: boolean;
}

export interface NewRubric extends Partial<RubricContent> {
  ownerId: string;
  title: string;
  data: Record<string, unknown>;
  rubricId?: string;
  legacyId?: number;
  parentId?: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export async function createRubric(tx: TenantTx, input: NewRubric): Promise<StoredRubric> {
  const { rubric_id } = await tx
    .insertInto('lamb.rubrics')
    .values({
      owner_id: input.ownerId,
      title: input.title,
      data: JSON.stringify(input.data),
      ...(input.description !== undefined && { description: input.description }),
      ...(input.isPublic !== undefined && { is_public: input.isPublic }),
      ...(input.isShowcase !== undefined && { is_showcase: input.isShowcase }),
      ...(input.rubricId !== undefined && { rubric_id: input.rubricId }),
      ...(input.legacyId !== undefined && { legacy_id: input.legacyId }),
      ...(input.parentId !== undefined && { parent_id: input.parentId }),
    })
    .returning('rubric_id')
    .executeTakeFirstOrThrow();
  const row = await selectRubrics(tx).where('r.rubric_id', '=', rubric_id).executeTakeFirstOrThrow();
  return toRubric(row);
}

/** The rubric with this id: a UUID, or the number that an older installation gave it. */
export async function getRubric(tx: TenantTx, id: string): Promise<StoredRubric | undefined> {
  const query = selectRubrics(tx);
  const legacy = /^\d{1,15}$/.test(id);
  if (!legacy && !uuid.test(id)) return undefined;
  const [row] = await executePrepared(
    tx,
    legacy ? query.where('r.legacy_id', '=', Number(id)) : query.where('r.rubric_id', '=', id),
  );
  return row === undefined ? undefined : toRubric(row);
}

/** Changes the given fields. Undefined when there is no such rubric; `stale_update` when `expectedVersion` is not its version. */
export async function updateRubric(
  tx: TenantTx,
  rubricId: string,
  change: Partial<RubricContent>,
  expectedVersion?: number,
): Promise<StoredRubric | undefined> {
  let query = tx
    .updateTable('lamb.rubrics')
    .set({
      ...(change.title !== undefined && { title: change.title }),
      ...(change.description !== undefined && { description: change.description }),
      ...(change.data !== undefined && { data: JSON.stringify(change.data) }),
      ...(change.isPublic !== undefined && { is_public: change.isPublic }),
      ...(change.isShowcase !== undefined && { is_showcase: change.isShowcase }),
      updated_at: sql<Date>`now()`,
      version: sql<number>`version + 1`,
    })
    .where('rubric_id', '=', rubricId);
  if (expectedVersion !== undefined) query = query.where('version', '=', expectedVersion);
  const { numUpdatedRows } = await query.executeTakeFirstOrThrow();
  const rubric = await getRubric(tx, rubricId);
  if (numUpdatedRows === 0n && rubric !== undefined) {
    throw new AppError('stale_update', { details: { version: rubric.version } });
  }
  return rubric;
}

export async function deleteRubric(tx: TenantTx, rubricId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('lamb.rubrics')
    .where('rubric_id', '=', rubricId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export interface RubricListRequest extends PageRequest {
  viewerId: string;
  scope: 'mine' | 'public' | 'visible' | 'showcase';
  /** Part of a title or description. */
  search?: string | undefined;
}

/** The viewer's own rubrics, the organisation's public ones, both, or those shown as examples; last changed first. */
export async function listRubrics(tx: TenantTx, request: RubricListRequest): Promise<Page<RubricSummary>> {
  const count = chooseRowCount(request.limit);
  const rows = await executePrepared(
    tx,
    tx
      .with('page', () => selectPage(tx, request, count))
      .selectFrom('page')
      .innerJoin('lamb.rubrics as r', 'r.rubric_id', 'page.rubric_id')
      .innerJoin('auth.user as u', 'u.id', 'r.owner_id')
      .select(summaryColumns)
      .orderBy('page.updated_at', 'desc')
      .orderBy('page.rubric_id', 'desc'),
  );
  return cutPage(
    rows,
    request.limit,
    'updated',
    (row) => ({ value: row.updated_at.toISOString(), id: row.rubric_id }),
    toSummary,
  );
}

function selectPage(tx: TenantTx, request: RubricListRequest, count: number) {
  if (request.scope !== 'visible') return selectBranch(tx, request, request.scope, count);
  const select = (branch: 'mine' | 'public') =>
    tx.selectFrom(selectBranch(tx, request, branch, count).as('b')).select(['b.rubric_id', 'b.updated_at']);
  return tx
    .selectFrom(select('mine').union(select('public')).as('candidate'))
    .select(['candidate.rubric_id', 'candidate.updated_at'])
    .orderBy('candidate.updated_at', 'desc')
    .orderBy('candidate.rubric_id', 'desc')
    .limit(sql.lit(count));
}

function selectBranch(tx: TenantTx, request: RubricListRequest, branch: 'mine' | 'public' | 'showcase', count: number) {
  const after = decodeCursor('updated', request.cursor);
  let query = tx
    .selectFrom('lamb.rubrics as r')
    .select(['r.rubric_id', 'r.updated_at'])
    .orderBy('r.updated_at', 'desc')
    .orderBy('r.rubric_id', 'desc')
    .limit(sql.lit(count));
  query = branch === 'mine' ? query.where('r.owner_id', '=', request.viewerId) : query.where('r.is_public', 'is', true);
  if (branch === 'showcase') query = query.where('r.is_showcase', 'is', true);
  if (request.search !== undefined) {
    query = query.where(sql<boolean>`strpos(lower(r.title || E'\\n' || r.description), lower(${request.search})) > 0`);
  }
  if (after === undefined) return query;
  return query.where(
    sql<boolean>`(r.updated_at, r.rubric_id) < (${readTime(after)}::timestamptz, ${readUuid(after.id)}::uuid)`,
  );
}

const summaryColumns = [
  'r.rubric_id',
  'r.owner_id',
  'u.email as owner_email',
  'r.title',
  'r.description',
  'r.is_public',
  'r.is_showcase',
  'r.parent_id',
  'r.version',
  'r.created_at',
  'r.updated_at',
] as const;

function selectRubrics(tx: TenantTx) {
  return tx
    .selectFrom('lamb.rubrics as r')
    .innerJoin('auth.user as u', 'u.id', 'r.owner_id')
    .select(summaryColumns)
    .select(['r.legacy_id', 'r.data']);
}

type RubricRow = Awaited<ReturnType<ReturnType<typeof selectRubrics>['executeTakeFirstOrThrow']>>;

function toRubric(row: RubricRow): StoredRubric {
  return { ...toSummary(row), legacyId: row.legacy_id, data: row.data };
}

function toSummary(row: Omit<RubricRow, 'legacy_id' | 'data'>): RubricSummary {
  return {
    rubricId: row.rubric_id,
    ownerId: row.owner_id,
    ownerEmail: row.owner_email,
    title: row.title,
    description: row.description,
    isPublic: row.is_public,
    isShowcase: row.is_showcase,
    parentId: row.parent_id,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
