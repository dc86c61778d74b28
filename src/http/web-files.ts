/**
 * The web app as it was built (`dist/web/`). The folder is listed once, so that no path of a request ever
 * meets the disk; a file is read when it is first asked for, and kept.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { Context } from 'koa';

export type WebFiles = {
  /** Paths from the web app's root, without a slash before them. */
  paths: readonly string[];
  /** Answers with a file, in the best encoding that it was built in. */
  send(ctx: Context, path: string): Promise<void>;
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

  return {
    paths: [...names].filter((name) => types[extname(name)] !== undefined),
    async send(ctx, path) {
      const offered = encodings.filter(([, ending]) => names.has(path + ending));
      // Browsers name all they know as equally welcome: the best of them is ours to choose.
      const chosen = offered.find(([name]) => ctx.acceptsEncodings(name) === name);
      const [encoding, ending] = chosen ?? ['identity', ''];
      const { bytes, etag } = await read(path + ending);
      ctx.status = 200;
      ctx.set('ETag', etag);
      ctx.set('Cache-Control', path.startsWith('assets/') ? forever : 'no-cache');
      if (offered.length > 0) ctx.vary('Accept-Encoding');
      if (ctx.fresh) {
        ctx.status = 304;
        return;
      }
      if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
      ctx.set('Content-Type', types[extname(path)]!);
      ctx.body = bytes;
    },
  };
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

/** Made by the build, best first. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Names below `assets/` hold a hash of what is in them. */
const forever = 'public, max-age=31536000, immutable';

function listed(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function readKept(path: string): Promise<Kept> {
  const bytes = await readFile(path);
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"` };
}
