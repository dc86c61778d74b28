import type { Context } from 'koa';
import { join } from 'node:path';
import { packageRoot } from '../shared/package.ts';
import { type WebFiles, openWebFiles } from './web-files.ts';

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
