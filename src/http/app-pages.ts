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
  ['/settings', 'settingsPage', 'Settings', 'settings/SettingsPage'],
  ['/account', 'accountPage', 'The account of who is logged in', 'account/AccountPage'],
  ['/debug', 'statechartPage', 'The statechart', 'statechart/StatechartPage'],
] as const;

/** Listed and kept once for all routers that answer with them. */
let webFiles: WebFiles | undefined;

/** Its files. */
export const openedFiles = (): WebFiles =>
  (webFiles ??= openWebFiles(join(packageRoot, 'dist/web')));
/** Whether the app was built. */
export const isBuiltOf = (files: WebFiles): boolean => files.paths.includes('index.html');

/**
 * Answers a person whose browser asks for an address at which nothing is: with the app, which says so, as 404. What
 * is a page but for a slash behind it leads to that page.
 * @returns false: the app is not built
 */
export async function answerVisit(ctx: Context): Promise<boolean> {
  const files = openedFiles();
  if (!isBuiltOf(files)) return false;
  const page = ctx.path.replace(/\/$/, '');
  if (page !== ctx.path && isPage(page)) {
    ctx.status = 308;
    ctx.redirect(page + ctx.search);
    return true;
  }
  await files.send(ctx, 'index.html', 404);
  return true;
}

const pagePatterns = pagePaths.map(([path]) => new RegExp(`^${path.replace('{id}', '[^/]+')}$`));
const isPage = (path: string): boolean => pagePatterns.some((pattern) => pattern.test(path));
