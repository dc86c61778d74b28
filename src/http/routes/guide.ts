import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type GuideName, guides, headingId } from '../../doctor/guide.ts';
import { keysOf } from '../../shared/keys-of.ts';
import { packageRoot } from '../../shared/package.ts';
import type { Operation } from '../openapi/describe-operation.ts';
import { escaped } from '../problems.ts';
import type { AddRoutes } from '../services.ts';

/**
 * `GET /docs/{name}`: the pages that explain this release, as they stand in it, with their headings as places to
 * link to. Files are named here, so no path of a request ever meets the disk.
 */
export const guideRoutes: AddRoutes = (router) => {
  router.get(stylePath, (ctx) => {
    ctx.type = 'text/css; charset=utf-8';
    ctx.set('Cache-Control', 'public, max-age=3600');
    ctx.body = style;
  });
  for (const name of keysOf(guides)) {
    router.get(`/docs/${name}`, async (ctx) => {
      ctx.type = 'text/html; charset=utf-8';
      ctx.set('Cache-Control', 'no-cache');
      ctx.body = pageOf(await readFile(join(packageRoot, guides[name]), 'utf8'));
    });
  }
};

const stylePath = '/assets/docs/guide.css';
const style = `:root { color-scheme: light dark; }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; font-family: system-ui, sans-serif; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5; }
:target { text-decoration: underline; }
`;

/** Markdown is written to be read as it is: only headings are marked up. */
function pageOf(markdown: string): string {
  const parts: string[] = [];
  let text: string[] = [];
  let inCode = false;
  const close = () => {
    if (text.some((line) => line.trim() !== ''))
      parts.push(`<pre>${escaped(text.join('\n').trim())}</pre>`);
    text = [];
  };
  for (const line of markdown.split('\n')) {
    if (line.trim().startsWith('```')) inCode = !inCode;
    const heading = inCode ? null : /^(#{1,4}) (.+)$/.exec(line);
    if (!heading) {
      text.push(line);
      continue;
    }
    close();
    const level = heading[1]!.length;
    parts.push(`<h${level} id="${headingId(heading[2]!)}">${escaped(heading[2]!)}</h${level}>`);
  }
  close();
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? 'Mitschrift';
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>${escaped(title)}</title>
    <link rel="stylesheet" href="${stylePath}" />
  </head>
  <body>
    <main>
${parts.join('\n')}
    </main>
  </body>
</html>
`;
}

const titles: Record<GuideName, string> = {
  readme: 'What Mitschrift is, what it needs, first steps',
  administration: 'Running it as a service, https, backups',
  recording: 'Recording by hotkey, tray and browser',
  settings: 'Settings, and which servers work',
  integrity: 'What is noticed when something is lost, and how',
  speech: 'Speech to text, and local models',
  language: 'Language models',
  deploy: 'From one machine to many',
};

/** The pages that the doctor links to. */
export const guideOperations: readonly Operation[] = keysOf(guides).map((name) => ({
  method: 'get',
  path: `/docs/${name}`,
  id: `guide${name[0]!.toUpperCase()}${name.slice(1)}`,
  tag: 'Service',
  summary: titles[name],
  answers: { 200: { description: 'The page.', media: ['text/html'] } },
}));
