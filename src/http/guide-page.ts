import { posix } from 'node:path';
import type { MarkedToken, Token } from 'marked';
import { type GuideName, germanGuides, guides, headingId } from '../doctor/guide.ts';
import { keysOf } from '../shared/keys-of.ts';
import { type Language, languages } from '../words/params.ts';
import { escaped } from './problem-answer.ts';

/** The style sheet of these pages. */
export const guideStylePath = '/assets/docs/guide.css';
export const guideStyle = `:root { color-scheme: light dark; --text: light-dark(#22231f, #ecebe4); --soft: light-dark(#5b5d55, #b4b5ac);
  --line: light-dark(#d9d8cf, #43453e); --ground: light-dark(#f7f6f2, #1b1c19); --link: light-dark(#1f6f5c, #7fd3bd); }
.guides, .guide { font-family: system-ui, sans-serif; line-height: 1.55; }
.guides ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; padding: 0; list-style: none; }
.guides [aria-current] { font-weight: 600; color: inherit; text-decoration: none; }
.guide { max-width: 48rem; margin: 1rem auto 4rem; padding: 0 1rem; color: var(--text); background: var(--ground); overflow-wrap: break-word; }
.guide a { color: var(--link); }
.guide > .guides { padding-bottom: 0.5rem; border-bottom: 1px solid var(--line); }
.guide .contents { padding: 0.25rem 1rem; margin: 1.5rem 0; border: 1px solid var(--line); border-radius: 0.5rem; }
.guide .contents p { margin: 0.5rem 0; font-weight: 600; }
.guide .contents ul { margin: 0.5rem 0; padding-inline-start: 1.25rem; }
.guide h1, .guide h2, .guide h3 { line-height: 1.25; margin-block-start: 2rem; }
.guide pre { overflow-x: auto; padding: 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem; }
.guide :not(pre, td) > code { overflow-wrap: anywhere; }
.guide .wide { overflow-x: auto; }
.guide table { border-collapse: collapse; }
.guide td > code { white-space: nowrap; }
.guide td { min-width: 7rem; }
.guide th, .guide td { padding: 0.25rem 0.75rem 0.25rem 0; text-align: start; vertical-align: top; border-bottom: 1px solid var(--line); }
.guide :target { text-decoration: underline; }
`;

/** The script of these pages. */
export const guideScriptPath = '/assets/docs/language.js';
/**
 * The language that was chosen in the account is kept by the browser (`web/words/i18n.ts`). It counts where the address
 * names none.
 */
export const guideScript = `try {
  const chosen = localStorage.getItem('mitschrift.language');
  const address = new URL(location.href);
  const named = address.searchParams.has('lang');
  if (!named && ${JSON.stringify(languages)}.includes(chosen) && chosen !== document.documentElement.dataset.reader) {
    address.searchParams.set('lang', chosen);
    location.replace(address);
  }
} catch {
  // A browser that keeps nothing is answered in its own language.
}
`;

/** What each guide is called in the list of all. */
export const guideTitles: Record<GuideName, Record<Language, string>> = {
  readme: { en: 'First steps', de: 'Erste Schritte' },
  recording: { en: 'Recording', de: 'Aufnehmen' },
  settings: { en: 'Settings and servers', de: 'Einstellungen und Server' },
  administration: { en: 'Administration', de: 'Administration' },
  speech: { en: 'Speech recognition', de: 'Spracherkennung' },
  language: { en: 'Language models', de: 'Sprachmodelle' },
  integrity: { en: 'Damage and loss', de: 'Schäden und Verluste' },
  deploy: { en: 'Several servers', de: 'Mehrere Server' },
  operating: { en: 'Operating several servers', de: 'Mehrere Server betreiben' },
  changes: { en: 'What’s new', de: 'Neuerungen' },
};

const words: Record<Language, Record<'app' | 'guides' | 'contents' | 'interface', string>> = {
  en: {
    app: 'Mitschrift',
    guides: 'Guides',
    contents: 'Contents',
    interface: 'HTTP interface',
  },
  de: {
    app: 'Mitschrift',
    guides: 'Anleitungen',
    contents: 'Inhalt',
    interface: 'HTTP-Schnittstelle',
  },
};

/** What a guide's page is made of: its text, and the English one, by whose headings links find their place. */
export type GuideTexts = { language: Language; markdown: string; english: string };

/** Who reads a guide. `named`: the address says the language, and so do the links of the page. */
export type GuideReader = { language: Language; named: boolean };

/** The list of all guides. @param here the one that is shown */
export function guideList(reader: GuideReader, here?: GuideName): string {
  const { language } = reader;
  const said = words[language];
  const items = keysOf(guides).map((name) => {
    const current = name === here ? ' aria-current="page"' : '';
    return `<li><a href="/docs/${name}${inLanguage(reader)}"${current}>${guideTitles[name][language]}</a></li>`;
  });
  return `<nav class="guides" lang="${language}" aria-label="${said.guides}"><ul>
<li><a href="/">${said.app}</a></li>
${items.join('\n')}
<li><a href="/docs${inLanguage(reader)}">${said.interface}</a></li>
</ul></nav>`;
}

const inLanguage = ({ language, named }: GuideReader): string => (named ? `?lang=${language}` : '');

const contentsList = (language: Language, entries: readonly string[]): string =>
  `<nav class="contents" lang="${language}" aria-label="${words[language].contents}"><p>${words[language].contents}</p><ul>${entries.join('')}</ul></nav>\n`;

/** A guide as a page: its Markdown with the headings as places to link to, a table of contents, and a list of all guides. */
export async function guidePage(
  name: GuideName,
  reader: GuideReader,
  { language, markdown, english }: GuideTexts,
): Promise<string> {
  const { Marked } = await import('marked');
  const ids = headingIds(new Marked().lexer(english));
  const own = headingIds(new Marked().lexer(markdown));
  const contents: string[] = [];
  let headings = 0;
  const page = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const shown = this.parser.parseInline(tokens);
        const other = own[headings] ?? '';
        const id = ids[headings] ?? other;
        headings += 1;
        if (depth === 2) contents.push(`<li><a href="#${id}">${shown}</a></li>`);
        const place = other === id ? '' : `<span id="${other}"></span>`;
        return `<h${depth} id="${id}">${place}${shown}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const shown = this.parser.parseInline(tokens);
        const there = placeOf({ name, reader, language }, href);
        return there === undefined ? shown : `<a href="${escaped(there)}">${shown}</a>`;
      },
      // A narrow screen scrolls it: then keys have to reach it, too.
      code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}\n</code></pre>\n`,
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
<html lang="${reader.language}" data-reader="${reader.language}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <meta name="color-scheme" content="light dark" />
    <title>${escaped(title)}</title>
    <link rel="icon" href="/mitschrift.svg" />
    <link rel="stylesheet" href="${guideStylePath}" />
    <script src="${guideScriptPath}"></script>
  </head>
  <body class="guide">
    ${guideList(reader, name)}
    <main lang="${language}">
${body.replace('</h1>\n', `</h1>\n${contentsList(reader.language, contents)}`)}
    </main>
  </body>
</html>
`;
}

/** The ids of a text's headings, in order, as GitHub makes them: of equal ones the second ends in `-1`. */
function headingIds(tokens: readonly Token[]): string[] {
  const counts = new Map<string, number>();
  return (tokens as MarkedToken[]).flatMap((token) => {
    if (token.type !== 'heading') return [];
    const id = headingId(token.text.replaceAll('`', ''));
    const count = counts.get(id) ?? 0;
    counts.set(id, count + 1);
    return [count === 0 ? id : `${id}-${count}`];
  });
}

/** Where a link of a page leads: to another of the pages, or elsewhere; undefined: to a file that is shown nowhere. */
function placeOf(
  { name, reader, language }: { name: GuideName; reader: GuideReader; language: Language },
  href: string,
): string | undefined {
  if (/^(?:https?:\/\/|mailto:|#)/.test(href)) return href;
  const [path = '', place] = href.split('#');
  const file = posix.join(posix.dirname(guides[name]), path);
  const other = keysOf(guides).find((one) =>
    [guides[one], germanGuides[one], posix.dirname(guides[one])].includes(file),
  );
  const at = place === undefined ? '' : `#${place}`;
  if (other === undefined) return undefined;
  // From a guide to itself is to another language of it, whatever the reader's is.
  const there = file === germanGuides[other] ? 'de' : 'en';
  const isSwitch = other === name && there !== language;
  const asked = isSwitch ? ({ language: there, named: true } as const) : reader;
  return `/docs/${other}${inLanguage(asked)}${at}`;
}
