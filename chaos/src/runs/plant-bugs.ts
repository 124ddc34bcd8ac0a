import pg from 'pg';

/** Changes a statement on its way to the database; null keeps it from getting there. */
type Meddle = (text: string, values: unknown[]) => unknown[] | null;

const bugs: Record<string, Meddle> = {
  /** One token of each run is not written to the log. */
  I2: (text, values) => {
    if (!text.includes('insert into lamb.run_events')) return values;
    const events = values[4] as string[];
    const isKept = events.map((event) => !/"text":"[^"]*b7 "/.test(event));
    return values.map((column) =>
      Array.isArray(column) && column.length === events.length ? column.filter((_, index) => isKept[index]) : column,
    );
  },
  /** What is said in chats is not kept, although it is acknowledged. */
  I3: (text, values) => (/lamb\.(begin|end)_run\(/.test(text) ? values.with(5, null) : values),
  /** What a dead process had under way is not taken over. */
  I5: (text, values) =>
    /SET started_at_epoch_ms = NULL,\s+status = \$1,\s+owner_xid = NULL/.test(text) ? null : values,
  /** What was used is not booked. */
  I6: (text, values) => (text.startsWith('insert into "lamb"."usage_ledger"') ? null : values),
  /** Every third start of a run fails inside. */
  I7: (text, values) => {
    if (!text.includes('lamb.begin_run(')) return values;
    starts += 1;
    return starts % 3 === 0 ? values.with(1, 'not an id') : values;
  },
};
let starts = 0;

type Query = (...args: unknown[]) => unknown;

/** Plants bugs into this process, below everything else: at its door to the database. For showing that the invariants can fail. */
export function plantBugs(names: readonly string[]): void {
  const planted = names.flatMap((name) => bugs[name] ?? []);
  if (planted.length === 0) return;
  const client = pg.Client.prototype as unknown as { query: Query };
  const query = client.query;
  client.query = function (this: unknown, ...args: unknown[]) {
    const [first, second] = args;
    const text = typeof first === 'string' ? first : (first as { text?: string } | undefined)?.text;
    const values = typeof first === 'string' ? second : (first as { values?: unknown } | undefined)?.values;
    if (text === undefined || !Array.isArray(values)) return query.apply(this, args);
    let changed: unknown[] | null = values;
    for (const meddle of planted) changed &&= meddle(text, changed);
    if (changed === null) {
      const nothing = { rows: [], rowCount: 0, command: 'INSERT', fields: [] };
      const done = args.at(-1);
      // pg's own pool calls with a callback.
      if (typeof done !== 'function') return Promise.resolve(nothing);
      process.nextTick(done, null, nothing);
      return undefined;
    }
    if (typeof first === 'string') return query.call(this, first, changed, ...args.slice(2));
    return query.call(this, { ...(first as object), values: changed }, ...args.slice(1));
  };
}
