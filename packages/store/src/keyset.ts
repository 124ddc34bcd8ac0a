import { AppError } from '@lamb/contract';
import { sql, type RawBuilder } from 'kysely';

/** One page of a list; `nextCursor` is null on the last. */
export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

export interface PageRequest {
  limit: number;
  cursor?: string | undefined;
}

/** Where a page ended: the value it was sorted by, and the id that makes it unique. */
export interface Position {
  value: string;
  id: string;
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.(\d{3}|\d{6})Z$/;
const rowCounts = [11, 26, 51, 101, 201];

/** Cuts off what was read to see whether there is a next page. */
export function cutPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  sort: string,
  locate: (row: Row) => Position,
  convert: (row: Row) => Item,
): Page<Item> {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items: kept.map(convert), nextCursor: more ? encodeCursor(sort, locate(last)) : null };
}

/**
 * How many rows to read for a page: at least one more than it holds. It becomes part of the statement, since the planner
 * needs to know it; a few fixed sizes keep the number of prepared statements small.
 */
export function chooseRowCount(limit: number): number {
  const count = rowCounts.find((each) => each > limit);
  if (count === undefined || !Number.isInteger(limit) || limit < 1) {
    throw new RangeError(`A page has 1 to ${Math.max(...rowCounts) - 1} items, not ${limit}.`);
  }
  return count;
}

export function decodeCursor(sort: string, cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw invalidCursor();
  }
  if (!Array.isArray(parts)) throw invalidCursor();
  const [cursorSort, value, id] = parts as unknown[];
  if (cursorSort !== sort || typeof value !== 'string' || typeof id !== 'string') throw invalidCursor();
  return { value, id };
}

/** The position of a list sorted by a time. */
export function readTime(position: Position): Date {
  const time = new Date(position.value);
  if (!isoTime.test(position.value) || Number.isNaN(time.getTime())) throw invalidCursor();
  // JavaScript knows a 30th of February and a year 0, PostgreSQL does not.
  const isReal = time.toISOString().slice(0, 23) === position.value.slice(0, 23) && time.getUTCFullYear() > 0;
  if (!isReal) throw invalidCursor();
  return time;
}

/** Where a row stands in a list sorted by one of better-auth's times: they have microseconds, which a JavaScript date would cut off and the cursor would then skip. */
export function tellExactTime(column: string): RawBuilder<string> {
  return sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** The position of a list sorted by such a time. */
export function readExactTime(position: Position): string {
  readTime(position);
  return position.value;
}

/** The position's id where ids are numbers. */
export function readNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw invalidCursor();
  return Number(text);
}

/** The position's id where ids are UUIDs. */
export function readUuid(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) throw invalidCursor();
  return text;
}

function encodeCursor(sort: string, { value, id }: Position): string {
  return Buffer.from(JSON.stringify([sort, value, id])).toString('base64url');
}

function invalidCursor(): AppError {
  return new AppError('invalid_request', {
    message: 'This cursor is not one of this list. Start again without a cursor.',
    details: { field: 'cursor' },
  });
}
