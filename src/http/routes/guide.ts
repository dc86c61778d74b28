import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { type GuideName, guides, headingId } from '../../doctor/guide.ts';
import { keysOf } from '../../shared/keys-of.ts';
import { packageRoot } from '../../shared/package.ts';
import { type Route, routesOf } from '../route.ts';
import { escaped } from '../problems.ts';

const stylePath = '/assets/docs/guide.css';
const style = `:root { color-scheme: light dark; }
body { max-width: 48rem; margin: 2rem auto; padding: 0 1rem; font-family: system-ui, sans-serif; line-height: 1.55; }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid; border-radius: 0.5rem; }
code { overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: 0.25rem 0.75rem 0.25rem 0; text-align: start; vertical-align: top; border-bottom: 1px solid; }
:target { text-decoration: underline; }
`;

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

const route = routesOf({ tag: 'Service', access: 'public' });

/**
 * The pages that explain this release, to which the doctor links: rendered, with their headings as places to link to and a
 * table of contents. Files are named here, so no path of a request ever meets the disk.
 */
export const guideRoutes = [
  ...keysOf(guides).map((name) =>
    route('get', `/docs/${name}`, {
      id: `guide${name[0]!.toUpperCase()}${name.slice(1)}`,
      summary: titles[name],
      answers: { 200: { description: 'The page.', media: ['text/html'] } },
      async run({ ctx }) {
        ctx.set('Cache-Control', 'no-cache');
        return await pageOf(name, await readFile(join(packageRoot, guides[name]), 'utf8'));
      },
    }),
  ),
  file(stylePath, 'text/css', async () => style),
];

/** A file of these pages, by its path. */
export function file(path: string, media: string, read: () => Promise<string | Buffer>): Route {
  return route('get', path, {
    id: path,
    summary: '',
    hidden: true,
    answers: { 200: { description: '', media: [media] } },
    async run({ ctx }) {
      ctx.set('Cache-Control', 'public, max-age=3600');
      return await read();
    },
  });
}

async function pageOf(name: GuideName, markdown: string): Promise<string> {
  const { Marked } = await import('marked');
  const contents: string[] = [];
  const page = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const shown = this.parser.parseInline(tokens);
        const id = headingId(text.replaceAll('`', ''));
        if (depth === 2) contents.push(`<li><a href="#${id}">${shown}</a></li>`);
        return `<h${depth} id="${id}">${shown}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const shown = this.parser.parseInline(tokens);
        const there = placeOf(name, href);
        return there === undefined ? shown : `<a href="${escaped(there)}">${shown}</a>`;
      },
      // Pictures are of the repository.
      image: () => '',
      html: () => '',
      table(token) {
        const cells = (row: typeof token.header, tag: 'th' | 'td') =>
          row.map((one) => `<${tag}>${this.parser.parseInline(one.tokens)}</${tag}>`).join('');
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
        const head = `<thead><tr>${cells(token.header, 'th')}</tr></thead>`;
        return `<div class="wide" tabindex="0"><table>${head}<tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  const body = await page.parse(markdown);
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
    <nav aria-label="Contents"><ul>${contents.join('')}</ul></nav>
    <main>
${body}
    </main>
  </body>
</html>
`;
}

/** Where a link of a page leads: to another of the pages, or elsewhere; undefined: to a file that is shown nowhere. */
function placeOf(name: GuideName, href: string): string | undefined {
  if (/^(?:https?:\/\/|mailto:|#)/.test(href)) return href;
  const [path = '', place] = href.split('#');
  const file = posix.join(posix.dirname(guides[name]), path);
  const other = keysOf(guides).find(
    (one) => guides[one] === file || posix.dirname(guides[one]) === file,
  );
  const at = place === undefined ? '' : `#${place}`;
  return other === undefined ? undefined : `/docs/${other}${at}`;
}
