import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { tempDir } from '../support/temp-dir.ts';

const root = join(import.meta.dirname, '../..');

/**
 * The pages built with the pseudo-language (`web/words/pseudo.ts`), which those that people install do not have.
 * @returns lets a page that is not opened yet have these files, and everything else from its service
 */
export async function buildPseudoPages(t: TestContext): Promise<(page: Page) => Promise<void>> {
  const folder = await tempDir(t);
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const options = ['--mode', 'pseudo', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'];
  await promisify(execFile)(process.execPath, [vite, 'build', 'web', ...options], { cwd: root });
  const index = await readFile(join(folder, 'index.html'), 'utf8');
  return async (page) => {
    await page.route('**/*', async (route) => {
      const { pathname } = new URL(route.request().url());
      if (route.request().resourceType() === 'document') {
        // With its headers (the Content-Security-Policy), but for those of its own files.
        const answered = await route.fetch();
        const { link: _, 'content-encoding': __, ...headers } = answered.headers();
        await route.fulfill({ status: answered.status(), headers, body: index });
      } else if (pathname.startsWith('/assets/')) {
        await route.fulfill({ path: join(folder, pathname) });
      } else {
        await route.continue();
      }
    });
  };
}
