/**
 * Test files in one process, each a suite of its own, one after the other: what they have in common is loaded, compiled
 * and warmed up once. Arguments: their built paths, as `file-reporter.ts` reads them too.
 */
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

// What these share among files ends with the process, and not with the file that loads them first.
await import('../support/recorded-data.ts');
await import('../support/test-store.ts');
await import('../web/chromium.ts');

for (const path of process.argv.slice(2)) {
  describe(path, async () => {
    await import(pathToFileURL(path).href);
  });
}
