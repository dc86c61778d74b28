/**
 * The web app as it was built (`dist/web/`). The folder is listed once, so that no path of a request ever
 * meets the disk; a file is read when it is first asked for, and kept.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { Context } from 'koa';
import { type Encoding, encodingFor, encodings } from './middleware/compress.ts';
import { ifMissing } from '../shared/files.ts';

export type WebFiles = {
  /** Paths from the web app's root, without a slash before them. */
  paths: ReadonlySet<string>;
  /** Answers with a file, in the best encoding that it was built in. @param status 404: for what is not there */
  send(ctx: Context, path: string, status?: 200 | 404): Promise<void>;
  /**
   * A `Link` header for what a part of the app is made of beside what `index.html` names, so that a browser asks
   * for all of it at once, not for one file after the other has come.
   * @param source of the part, from `web/`
   */
  linkTo(source: string): string;
};

/** @param folder missing when the app was not built: then there are no files */
export function openWebFiles(folder: string): WebFiles {
  const names = new Set(listed(folder));
  const kept = new Map<string, Promise<Kept>>();
  const read = (name: string): Promise<Kept> => {
    let reading = kept.get(name);
    if (reading === undefined) {
      reading = readKept(join(folder, name));
      kept.set(name, reading);
      reading.catch(() => kept.delete(name));
    }
    return reading;
  };

  const text = (name: string) => (names.has(name) ? readFileSync(join(folder, name), 'utf8') : '');
  const made: Manifest = JSON.parse(text('manifest.json') || '{}');
  const first = text('index.html');

  return {
    linkTo: (source) =>
      [...filesOf(made, source)]
        .filter((file) => !first.includes(file))
        .map(asLink)
        .join(', '),
    paths: new Set([...names].filter((name) => types[extname(name)] !== undefined)),
    async send(ctx, path, status = 200) {
      const offered = encodings.filter((name) => names.has(path + endings[name]));
      const encoding = encodingFor(ctx, offered);
      const { bytes, etag } = await read(encoding === undefined ? path : path + endings[encoding]);
      ctx.status = status;
      if (offered.length > 0) ctx.vary('Accept-Encoding');
      if (status === 200) {
        ctx.set('ETag', etag);
        ctx.set('Cache-Control', path.startsWith('assets/') ? forever : 'no-cache');
        if (ctx.fresh) {
          ctx.status = 304;
          return;
        }
      }
      if (encoding !== undefined) ctx.set('Content-Encoding', encoding);
      ctx.set('Content-Type', types[extname(path)]!);
      ctx.body = bytes;
    },
  };
}

/** Vite's list of what it built, by source. */
type Manifest = Record<string, { file: string; css?: string[]; imports?: string[] }>;

const asLink = (file: string): string =>
  file.endsWith('.css')
    ? `</${file}>; rel=preload; as=style; crossorigin`
    : `</${file}>; rel=modulepreload`;

/** Files of a part and of what it imports, however far. */
function filesOf(made: Manifest, source: string, found = new Set<string>()): Set<string> {
  const part = made[source];
  if (part === undefined || found.has(part.file)) return found;
  for (const file of [part.file, ...(part.css ?? [])]) found.add(file);
  for (const each of part.imports ?? []) filesOf(made, each, found);
  return found;
}

type Kept = { bytes: Buffer; etag: string };

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

/** Of what the build compressed. */
const endings: Record<Encoding, string> = { br: '.br', gzip: '.gz' };

/** Names below `assets/` hold a hash of what is in them. */
const forever = 'public, max-age=31536000, immutable';

function listed(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
  } catch (error) {
    return ifMissing([])(error);
  }
}

async function readKept(path: string): Promise<Kept> {
  const bytes = await readFile(path);
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"` };
}
