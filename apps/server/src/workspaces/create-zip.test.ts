import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createZip } from './create-zip.ts';

const time = new Date('2026-11-15T03:04:06Z');
const files = {
  'notes/week-1.md': '# Week 1\n',
  'empty.txt': '',
  'ž/čeština 🐑.txt': 'příliš žluťoučký\r\n',
  'large.txt': 'x'.repeat(300_000),
};
const archive = createZip(Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text), time })));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'zip-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('its headers are those of the format', () => {
  expect(archive.readUInt32LE(0)).toBe(0x04034b50);
  const end = archive.subarray(-22);
  expect(end.readUInt32LE(0)).toBe(0x06054b50);
  expect(end.readUInt16LE(10)).toBe(4);
  expect(archive.readUInt32LE(end.readUInt32LE(16))).toBe(0x02014b50);
  expect(end.readUInt32LE(12) + end.readUInt32LE(16)).toBe(archive.length - 22);
  // CRC-32 of the first file, computed elsewhere.
  expect(archive.readUInt32LE(14).toString(16)).toBe('b978a13d');
});

test('an archive without files is one', () => {
  expect(createZip([]).length).toBe(22);
});

const hasUnzip = spawnSync('unzip', ['-v']).status === 0;

test.skipIf(!hasUnzip)('the program `unzip` finds it sound and unpacks the same', () => {
  const path = join(folder, 'archive.zip');
  writeFileSync(path, archive);
  const checked = spawnSync('unzip', ['-t', path], { encoding: 'utf8' });
  expect(checked.stdout).toContain('No errors detected');
  const unpacked = spawnSync('unzip', ['-q', path, '-d', folder], { encoding: 'utf8', env: { LC_ALL: 'C.UTF-8' } });
  expect(unpacked.stderr).toBe('');
  for (const [name, text] of Object.entries(files)) expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
});
