import { inflateRawSync } from 'node:zlib';
import { ExtractionFailure } from './extraction-failure.ts';

export interface ArchiveEntry {
  name: string;
  method: number;
  packedBytes: number;
  /** As the archive says. */
  unpackedBytes: number;
  offset: number;
  encrypted: boolean;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;

/** Reads the directory at the end of a ZIP archive, without unpacking anything. */
export function listArchive(archive: Buffer): ArchiveEntry[] {
  // The end record has 22 bytes and a comment of up to 64 KB.
  let end = archive.length - 22;
  while (end >= 0 && end >= archive.length - 22 - 0xffff && archive.readUInt32LE(end) !== endSignature) end -= 1;
  if (end < 0 || archive.readUInt32LE(end) !== endSignature) throw new ExtractionFailure('corrupt');
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  const entries: ArchiveEntry[] = [];
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > archive.length || archive.readUInt32LE(at) !== entrySignature) throw new ExtractionFailure('corrupt');
    const nameLength = archive.readUInt16LE(at + 28);
    entries.push({
      name: archive.toString('utf8', at + 46, at + 46 + nameLength),
      encrypted: (archive.readUInt16LE(at + 8) & 1) === 1,
      method: archive.readUInt16LE(at + 10),
      packedBytes: archive.readUInt32LE(at + 20),
      unpackedBytes: archive.readUInt32LE(at + 24),
      offset: archive.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return entries;
}

function packedContent(archive: Buffer, { offset, packedBytes }: ArchiveEntry): Buffer {
  if (offset + 30 > archive.length || archive.readUInt32LE(offset) !== localSignature)
    throw new ExtractionFailure('corrupt');
  const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
  if (start + packedBytes > archive.length) throw new ExtractionFailure('corrupt');
  return archive.subarray(start, start + packedBytes);
}

/** The text of an entry that is known to be small; null when there is none of this name or it is larger. */
export function readSmallEntry(archive: Buffer, entries: ArchiveEntry[], name: string, bytes: number): string | null {
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry === undefined || entry.encrypted) return null;
  const packed = packedContent(archive, entry);
  try {
    const content = entry.method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: bytes });
    return content.length > bytes ? null : content.toString('utf8');
  } catch {
    return null;
  }
}

/**
 * Refuses an archive whose texts come to more than `unpackedBytes`, before anything is unpacked. Pictures and films are
 * left out, since they are never unpacked. An archive may lie here: what really comes out is counted by the parser.
 */
export function checkArchive(entries: ArchiveEntry[], unpackedBytes: number): void {
  if (entries.some(({ encrypted }) => encrypted)) throw new ExtractionFailure('password_protected');
  const texts = entries.filter(({ name }) => /\.(xml|rels)$/i.test(name));
  if (texts.reduce((sum, entry) => sum + entry.unpackedBytes, 0) > unpackedBytes)
    throw new ExtractionFailure('too_large_unpacked');
}
