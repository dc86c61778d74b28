/**
 * The web app's build: `dist/web/`, compressed ahead of time; `manifest.json` says `src/http/app-pages.ts` which
 * files each page is made of.
 */
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { extname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type ConfigEnv, type Plugin, defineConfig } from 'vite';
import { noteBundled } from '../.build-licences.mjs';

const dir = join(import.meta.dirname, '../dist/web');

export default defineConfig({
  root: import.meta.dirname,
  plugins: [svelte(), bundledNoted(), compressedAhead()],
  build: {
    outDir: dir,
    emptyOutDir: true,
    target: 'es2022',
    // `data:` addresses are not allowed by the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // One file for what every page needs, one for what several share: each request of a chain takes its time.
            { name: 'app', tags: ['$initial'], priority: 2 },
            { name: 'shared', minShareCount: 3, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    // `npm run dev:web` beside `npm run dev`: pages from here, everything else from the service.
    proxy: Object.fromEntries(
      [
        'audio',
        'config',
        'doctor',
        'events',
        'folders',
        'health',
        'library',
        'login',
        'logout',
        'machine',
        'models',
        'open',
        'openapi.json',
        'people',
        'recordings',
        'search',
        'setup',
        'speakers',
        'status',
        'tags',
        'toggle',
        'transcripts',
        'uploads',
        'users',
        'ws',
      ].map((segment) => [
        `^/${segment}(/|$|\\?)`,
        { target: 'http://127.0.0.1:8765', ws: true, bypass: pageInstead },
      ]),
    ),
  },
});

/** A browser that asks for a page gets the app, whatever else has the same address. */
function pageInstead(request: IncomingMessage): string | undefined {
  return request.headers.accept?.includes('text/html') === true ? '/index.html' : undefined;
}

/** Not what a test builds elsewhere, in another mode. */
function isForPeople(_config: unknown, { command, mode }: ConfigEnv): boolean {
  return command === 'build' && mode === 'production';
}

/** The packages whose code is in the pages are noted, for the texts of their licences. */
function bundledNoted(): Plugin {
  return {
    name: 'bundled-noted',
    apply: isForPeople,
    async generateBundle(_options, bundle) {
      const ids = Object.values(bundle).flatMap((one) =>
        one.type === 'chunk' ? one.moduleIds : [...one.originalFileNames],
      );
      await noteBundled(join(dir, '..'), 'web', ids);
    },
  };
}

/** Texts of more than a kilobyte get a `.br` and a `.gz` beside them. */
function compressedAhead(): Plugin {
  return {
    name: 'compressed-ahead',
    apply: isForPeople,
    async closeBundle() {
      const names = await readdir(dir, { recursive: true });
      for (const name of names) {
        if (!/\.(?:html|js|css|svg|webmanifest|json)$/.test(extname(name))) continue;
        const bytes = await readFile(join(dir, name));
        if (bytes.length < 1024) continue;
        await writeFile(join(dir, `${name}.br`), brotliCompressSync(bytes));
        await writeFile(join(dir, `${name}.gz`), gzipSync(bytes, { level: 9 }));
      }
    },
  };
}
