import { crc32 } from 'node:zlib';

export interface ZipEntry {
  /** Relative and without `..`: whoever unpacks it may trust it as little as we do. */
  readonly path: string;
  readonly content: Uint8Array;
  readonly time: Date;
}

const VERSION = 20;
const NAMES_ARE_UTF8 = 0x0800;
const STORED = 0;
/** Otherwise some readers take the names for those of old DOS, in spite of the flag. */
const MADE_ON_UNIX = 3 << 8;
const ORDINARY_FILE = 0o100644 * 0x10000;
const MAX_ENTRIES = 0xffff;

/** A zip archive of small files, not compressed: its readers are everywhere, and it costs next to nothing to write. */
export function createZip(entries: readonly ZipEntry[]): Buffer {
  if (entries.length > MAX_ENTRIES) throw new RangeError('An archive of this kind has 65,535 entries at most.');
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.path);
    const facts = describe(entry, name);
    const local = Buffer.concat([fields([4, 0x04034b50]), facts, name]);
    directory.push(
      Buffer.concat([
        fields([4, 0x02014b50], [2, MADE_ON_UNIX | VERSION]),
        facts,
        // No comment, the first disk, no attributes of other systems, and where the entry starts.
        fields([2, 0], [2, 0], [2, 0], [4, ORDINARY_FILE], [4, offset]),
        name,
      ]),
    );
    parts.push(local, Buffer.from(entry.content));
    offset += local.length + entry.content.length;
  }
  const listing = Buffer.concat(directory);
  const end = fields(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, entries.length],
    [2, entries.length],
    [4, listing.length],
    [4, offset],
    [2, 0],
  );
  return Buffer.concat([...parts, listing, end]);
}

/** What both headers of an entry say in the same order. */
function describe({ content, time }: ZipEntry, name: Buffer): Buffer {
  return fields(
    [2, VERSION],
    [2, NAMES_ARE_UTF8],
    [2, STORED],
    [2, (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1)],
    [2, ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate()],
    [4, crc32(content)],
    [4, content.length],
    [4, content.length],
    [2, name.length],
    [2, 0],
  );
}

function fields(...values: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer {
  return Buffer.concat(
    values.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
}
