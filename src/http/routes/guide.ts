import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { germanGuides, guidePath, guides } from '../../doctor/guide.ts';
import { keysOf } from '../../shared/keys-of.ts';
import {
  guidePage,
  guideScript,
  guideScriptPath,
  guideStyle,
  guideStylePath,
  guideTitles,
} from '../guide-page.ts';
import { languageOfPage } from '../readers-language.ts';
import { type Route, routesOf } from '../route.ts';

const route = routesOf({ tag: 'Server', access: 'public' });

/** `lang` counts for more than the language of the account and of the browser. */
export const guideQuery = z.object({
  lang: z.string().optional().describe('`en` or `de`; else the language of the browser'),
});

/**
 * The pages that explain this release, to which the doctor links, in the reader's language where there is one. Files are
 * named in `guides`, so no path of a request ever meets the disk.
 */
export const guideRoutes = [
  ...keysOf(guides).map((name) =>
    route('get', `/docs/${name}`, {
      id: `guide${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      summary: `Guide: ${guideTitles[name].en}`,
      query: guideQuery,
      answers: { 200: { description: 'The page.', media: ['text/html'] } },
      async run({ ctx, query: { lang } }) {
        ctx.set('Cache-Control', 'no-cache');
        ctx.vary('Accept-Language');
        const reader = languageOfPage(ctx, lang);
        const read = async (file: string) => await readFile(guidePath(file), 'utf8');
        const english = await read(guides[name]);
        const german = reader === 'de' ? germanGuides[name] : undefined;
        return await guidePage(
          name,
          { language: reader, named: lang !== undefined },
          {
            language: german === undefined ? 'en' : 'de',
            markdown: german === undefined ? english : await read(german),
            english,
          },
        );
      },
    }),
  ),
  file(guideStylePath, 'text/css', async () => guideStyle),
  file(guideScriptPath, 'text/javascript', async () => guideScript),
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
