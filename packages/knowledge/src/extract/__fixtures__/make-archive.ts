import { crc32, deflateRawSync } from 'node:zlib';

interface ArchivePart {
  name: string;
  content?: Buffer | string;
  /** Deflated already; then `declaredBytes` says to how much. */
  packed?: Buffer;
  /** The size that the archive claims, if it lies. */
  declaredBytes?: number;
}

/** A ZIP archive that may lie about the size of what it holds. */
function makeArchive(parts: ArchivePart[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', packed: given, declaredBytes } of parts) {
    const whole = Buffer.from(content);
    const packed = given ?? deflateRawSync(whole);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(8, 8);
    header.writeUInt32LE(crc32(whole), 14);
    header.writeUInt32LE(packed.length, 18);
    header.writeUInt32LE(declaredBytes ?? whole.length, 22);
    header.writeUInt16LE(Buffer.byteLength(name), 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    header.copy(entry, 6, 4, 30);
    entry.writeUInt32LE(offset, 42);
    files.push(header, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, list, end]);
}

const relationships = 'http://schemas.openxmlformats.org/package/2006/relationships';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const types = 'http://schemas.openxmlformats.org/package/2006/content-types';
const main = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

/** A DOCX of our own making, around the document part given. */
export function makeDocx(part: Omit<ArchivePart, 'name'>): Buffer {
  return makeArchive([
    {
      name: '[Content_Types].xml',
      content: `<?xml version="1.0"?><Types xmlns="${types}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${main}"/></Types>`,
    },
    {
      name: '_rels/.rels',
      content: `<?xml version="1.0"?><Relationships xmlns="${relationships}"><Relationship Id="r1" Type="${office}/officeDocument" Target="word/document.xml"/></Relationships>`,
    },
    { name: 'word/document.xml', ...part },
  ]);
}

const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

/** The document part of a DOCX that holds one paragraph. */
export function makeDocumentPart(text: string, doctype = ''): string {
  return `<?xml version="1.0"?>${doctype}<w:document xmlns:w="${word}"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`;
}
