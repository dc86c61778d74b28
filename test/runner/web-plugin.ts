/**
 * Lets tests import the web app's sources in Node: compiles `.svelte` (https://svelte.dev/docs/svelte/svelte-compiler),
 * and takes the parts of the packages that are meant for browsers. A test that mounts components imports
 * `test/web/components/dom.ts` before them.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { viteImportGlobPlugin } from 'rolldown/experimental';
import { compile, compileModule } from 'svelte/compiler';

/** Packages that are different in browsers, or are made of `.svelte` files. */
export const browserPackages: readonly string[] = ['svelte', 'virtua', '@xyflow/svelte'];

export function webSources(root: string): Plugin[] {
  return [
    {
      name: 'web-sources',
      resolveId: {
        filter: { id: /^svelte(?:\/|$)/ },
        handler: async (id) => await forBrowsers(root, id),
      },
      transform: { filter: { id: /\.svelte(?:\.js)?$/ }, handler: compiled },
    },
    {
      // Styles are looked at in browsers.
      name: 'no-styles',
      load: { filter: { id: /\.css$/ }, handler: () => ({ code: '', moduleType: 'js' as const }) },
    },
    {
      // The address of what Vite makes of a worker's file; no test loads it.
      name: 'worker-addresses',
      resolveId: {
        filter: { id: /\?worker&url$/ },
        handler: (id) => ({ id: `\0${id}` }),
      },
      load: {
        filter: { id: /\?worker&url$/ },
        handler: (id) => ({
          code: `export default ${JSON.stringify(id.slice(1))};`,
          moduleType: 'js' as const,
        }),
      },
    },
    viteImportGlobPlugin({ root, sourcemap: false }) as Plugin,
  ];
}

function compiled(code: string, filename: string) {
  const options = { filename, generate: 'client' } as const;
  const { js } = filename.endsWith('.svelte')
    ? compile(code, { ...options, css: 'injected' })
    : compileModule(code, options);
  return { code: js.code, map: js.map, moduleType: 'js' as const };
}

type Exports = Record<string, { browser?: string; default?: string }>;

async function forBrowsers(root: string, id: string): Promise<string | null> {
  const folder = join(root, 'node_modules/svelte');
  const { exports } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    exports: Exports;
  };
  const found = exports[id.replace(/^svelte/, '.')];
  const path = found?.browser ?? found?.default;
  return path === undefined ? null : join(folder, path);
}
