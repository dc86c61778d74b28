import type { Context } from 'koa';
import { join, extname, relative, sep } from 'node:path';
import { packageRoot } from '../shared/package.ts';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Encoding, encodingFor, encodings } from './middleware/compress.ts';
import { ifMissing } from '../shared/files.ts';

/** Addresses of the web app's pages (http.md, "Who may call"), and the part of the app that is at each. */
export const pagePaths = [
  ['/', 'page', 'Notes and recording', 'home/HomePage'],
  ['/login', 'loginPage', 'Log in', 'login/LoginPage'],
  ['/setup', 'setupPage', 'Creates the first administrator, for people', 'setup/SetupPage'],
  ['/notes/{id}', 'notePage', 'A recording', 'recording/RecordingPage'],
  ['/speakers', 'speakersPage', 'Who spoke', 'speakers/SpeakersPage'],
  ['/organise', 'organisePage', 'Folders and tags', 'organise/OrganisePage'],
  ['/settings', 'settingsPage', 'Settings', 'settings/SettingsPage'],
  ['/account', 'accountPage', 'The account of who is logged in', 'account/AccountPage'],
  ['/s', 'linkPage', 'A note that a link opens', 'link/LinkPage'],
  ['/debug', 'statechartPage', 'The statechart', 'statechart/StatechartPage'],
] as const;

/** An address at which are a page, for browsers that open it, and an answer, for programs. */
const shared = { path: '/search', part: 'search/SearchPage' };

/** Whether that page is meant: who opens an address asks for HTML first. */
const opensShared = (path: string, accept: string | undefined): boolean =>
  path === shared.path && accept?.startsWith('text/html') === true;

/** Listed and kept with the first request for one. */
let webFiles: WebFiles | undefined;
const openedFiles = (): WebFiles => (webFiles ??= openWebFiles(join(packageRoot, 'dist/web')));

/** Whether a page is at a path, or a file that pages are made of. @param accept the header */
export const isPageOrFile = (path: string, accept: string | undefined): boolean =>
  path === shared.path
    ? opensShared(path, accept)
    : pageAt(path) !== undefined || openedFiles().paths.has(path.slice(1));

/** Answers who opens a page where programs are answered too. */
export async function answerSharedPage(ctx: Context): Promise<boolean> {
  if (ctx.path !== shared.path) return false;
  ctx.vary('Accept');
  return await answerPage(ctx);
}

/** Answers with a page of the app, or with one of the files that it is made of. @returns false: neither is there */
export async function answerPage(ctx: Context): Promise<boolean> {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return false;
  if (ctx.path === shared.path && !opensShared(ctx.path, ctx.get('Accept'))) return false;
  const files = openedFiles();
  const page = pageAt(ctx.path);
  const path = page ? 'index.html' : ctx.path.slice(1);
  if (!files.paths.has(path)) return false;
  const link = page ? files.linkTo(`pages/${page.part}.svelte`) : '';
  if (link !== '') ctx.set('Link', link);
  // What strangers open is in no search engine.
  if (ctx.path === '/s') ctx.set('X-Robots-Tag', 'noindex');
  await files.send(ctx, path);
  return true;
}

/**
 * Answers a person whose browser asks for an address at which nothing is: with the app, which says so, as 404. What
 * is a page but for a slash behind it leads to that page.
 * @returns false: the app is not built
 */
export async function answerVisit(ctx: Context): Promise<boolean> {
  const files = openedFiles();
  if (!files.paths.has('index.html')) return false;
  const page = ctx.path.replace(/\/$/, '');
  if (page !== ctx.path && pageAt(page)) {
    ctx.status = 308;
    ctx.redirect(page + ctx.search);
    return true;
  }
  await files.send(ctx, 'index.html', 404);
  return true;
}

const pages = [...pagePaths.map(([path, , , part]) => ({ path, part })), shared].map(
  ({ path, part }) => ({ pattern: new RegExp(`^${path.replace('{id}', '[^/]+')}$`), part }),
);
const pageAt = (path: string) => pages.find(({ pattern }) => pattern.test(path));

/**
 * The web app as it was built (`dist/web/`). The folder is listed once, so that no path of a request ever
 * meets the disk; a file is read when it is first asked for, and kept.
 */
type WebFiles = {
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
function openWebFiles(folder: string): WebFiles {
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
      ctx.set('Content-Type', types[extname(path)] ?? 'application/octet-stream');
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
