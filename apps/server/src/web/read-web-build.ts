import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** One file of the built web app, with the compressed forms that lie beside it. */
export interface WebFile {
  readonly path: string;
  readonly type: string;
  /** Its name changes with its content, so it never has to be asked for again. */
  readonly immutable: boolean;
  readonly etag: string;
  readonly size: number;
  readonly encodings: readonly { readonly name: 'br' | 'gzip'; readonly path: string; readonly size: number }[];
}

/** The built web app. */
export interface WebBuild {
  /** By the address that it is asked for at. */
  readonly files: ReadonlyMap<string, WebFile>;
  /** The page that every other address of the app gets. */
  readonly page: WebFile;
  /** What the page may load and run, as the build has computed it. */
  readonly contentPolicy: string;
}

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  map: 'application/json; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml; charset=utf-8',
  ttf: 'font/ttf',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  webmanifest: 'application/manifest+json; charset=utf-8',
  webp: 'image/webp',
  woff: 'font/woff',
  woff2: 'font/woff2',
};
const compressed = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Lists what there is once, so that a request can only ever reach a file of the build. Undefined when nothing is built. */
export function readWebBuild(folder: string): WebBuild | undefined {
  const files = new Map<string, WebFile>();
  for (const path of listFiles(folder)) {
    if (/\.(br|gz)$/.test(path)) continue;
    files.set(`/${relative(folder, path).split(sep).join('/')}`, describeFile(folder, path));
  }
  const page = files.get('/200.html');
  if (!page) return undefined;
  const [, contentPolicy] =
    /http-equiv="content-security-policy" content="([^"]+)"/.exec(readFileSync(page.path, 'utf8')) ?? [];
  if (contentPolicy === undefined) throw new Error(`${page.path} has no content security policy; build it anew.`);
  files.delete('/200.html');
  return { files, page, contentPolicy };
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}

function describeFile(folder: string, path: string): WebFile {
  const immutable = relative(folder, path).split(sep).join('/').startsWith('_app/immutable/');
  return {
    path,
    type: types[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    immutable,
    etag: `"${createHash('sha256').update(readFileSync(path)).digest('base64url').slice(0, 22)}"`,
    size: statSync(path).size,
    encodings: compressed.flatMap(([name, ending]) => {
      const size = statSync(path + ending, { throwIfNoEntry: false })?.size;
      return size === undefined ? [] : [{ name, path: path + ending, size }];
    }),
  };
}
