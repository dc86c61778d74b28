import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { packageRoot } from '../../package-root.ts';
import type { AddRoutes } from './add-routes.ts';

/** The page at `/` and what it needs: read once at start, so no path of a request ever meets the disk. */
export const pageRoutes: AddRoutes = (router) => {
  for (const [path, page] of pages(join(packageRoot, 'web'))) {
    router.get(path, (ctx) => {
      ctx.status = 200;
      ctx.set('ETag', page.etag);
      ctx.set('Cache-Control', 'no-cache');
      if (ctx.fresh) {
        ctx.status = 304;
        return;
      }
      ctx.set('Content-Type', page.type);
      ctx.body = page.bytes;
    });
  }
};

type Page = { type: string; etag: string; bytes: Buffer };

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The files right in the folder, of the types above; `index.html` is `/`. */
function pages(folder: string): Map<string, Page> {
  const found = new Map<string, Page>();
  for (const name of readdirSync(folder)) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const bytes = readFileSync(join(folder, name));
    const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`;
    found.set(name === 'index.html' ? '/' : `/${name}`, { type, etag, bytes });
  }
  return found;
}
