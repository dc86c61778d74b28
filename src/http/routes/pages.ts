import { detail } from '../../words/details.ts';
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { answerPage, pagePaths } from '../app-pages.ts';
import { linkQuerySchema, querySchema } from '../feed/upgrade.ts';
import { clientFrame } from '../feed/frames.ts';
import { serverFrame } from '../openapi/other-answers.ts';
import { Problem, notFound } from '../problems.ts';
import { loadOnce, packageRoot } from '../../shared/package.ts';
import { perApp, type Route, routesOf } from '../route.ts';
import { type GuideReader, guideList, guideScriptPath, guideStylePath } from '../guide-page.ts';
import { languageOfPage } from '../readers-language.ts';
import { file, guideQuery } from './guide.ts';

const assets = '/assets/docs';
const folder = join(packageRoot, 'dist/docs');

/** As for all pages, but its style sheet holds small pictures as `data:`. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const page = (reader: GuideReader) => `<!doctype html>
<html lang="en" data-reader="${reader.language}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Mitschrift: interface</title>
    <link rel="icon" href="/mitschrift.svg" />
    <link rel="stylesheet" href="${assets}/swagger-ui.css" />
    <link rel="stylesheet" href="${guideStylePath}" />
    <script src="${guideScriptPath}"></script>
  </head>
  <body>
    ${guideList(reader)}
    <div id="docs"></div>
    <script src="${assets}/swagger-ui-bundle.js"></script>
    <script src="${assets}/start.js"></script>
  </body>
</html>
`;

/** A token that is typed in is forgotten with the page. */
const start = `window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

const route = routesOf({ tag: 'Server', access: 'public' });

const markup = {
  200: { description: 'The page.', media: ['text/html'] },
  304: { description: 'Not changed since.' },
};

/** Pages of the web app and of the interface, and the WebSocket. */
export const pageRoutes = [
  ...pagePaths.map(([path, id, summary]) =>
    route('get', path, {
      id,
      summary,
      answers: markup,
      async run({ ctx }) {
        if (await answerPage(ctx)) return;
        throw notFound(detail('web-app-missing'));
      },
    }),
  ),
  // `GET /docs`: the interface to read and to try, by Swagger UI from this service's own files. Files are
  // named here, so no path of a request ever meets the disk; each is read when it is first asked for.
  route('get', '/docs', {
    id: 'docs',
    summary: 'This document, to read and to try',
    query: guideQuery,
    answers: markup,
    run({ ctx, query: { lang } }) {
      ctx.set('Content-Security-Policy', policy);
      ctx.vary('Accept-Language');
      return page({ language: languageOfPage(ctx, lang), named: lang !== undefined });
    },
  }),
  file(`${assets}/start.js`, 'text/javascript', async () => start),
  file(`${assets}/swagger-ui.css`, 'text/css', fileOnce('swagger-ui.css')),
  file(`${assets}/swagger-ui-bundle.js`, 'text/javascript', fileOnce('swagger-ui-bundle.js')),
  // `GET /ws` without an upgrade; real WebSockets never get here.
  routesOf({ tag: 'Status' })('get', '/ws', {
    id: 'webSocket',
    summary: 'What happens, as it happens: a WebSocket',
    description:
      'Every frame from the server is a `ServerFrame`: first `status` at position P; with `after` ' +
      'everything durable in (after, P]; then what happens, without gap or double. Close codes: 1001 ' +
      'the server stops, or two-step login is needed first, 1008 the session ended, 1009 message too ' +
      'large, 1011 the server could not go on, 1013 too slow, or too many refused messages: come back with `after`. The token goes into `?token=`, into the ' +
      'subprotocols (`Sec-WebSocket-Protocol: mitschrift, <token>`), or, from other clients than browsers, into ' +
      '`Authorization`.',
    query: querySchema.extend({
      token: z.string().optional(),
      ticket: z
        .string()
        .optional()
        .describe(
          'of `POST /shared`: instead of a token; `shared` and `utterance` of its recording',
        ),
      ...linkQuerySchema.shape,
    }),
    answers: {
      101: {
        description: 'A WebSocket from here on; its messages are frames of these forms.',
        json: z.union([serverFrame, clientFrame]),
      },
    },
    problems: [
      'upgrade-required',
      'too-many-connections',
      'not-admin',
      'cross-origin',
      'not-found',
    ],
    run() {
      throw new Problem('upgrade-required', { headers: { Upgrade: 'websocket' } });
    },
  }),
];

/** The document of all routes: made when it is first asked for, and again when a limit that it states has changed. */
export const openApiRoute = (routes: () => readonly Route[]): Route => {
  const kept = perApp((): { uploadMb?: number; bytes?: Buffer } => ({}));
  return route('get', '/openapi.json', {
    id: 'openapi',
    summary: 'This document',
    answers: { 200: { description: 'OpenAPI 3.1.', json: z.record(z.string(), z.unknown()) } },
    async run(_, services) {
      const made = kept(services);
      const uploadMb = services.settings()['limits.upload_mb'];
      if (made.uploadMb !== uploadMb) {
        const { openApiDocument } = await import('../openapi/document.ts');
        const { version } = services;
        const text = JSON.stringify(openApiDocument(routes(), { version, uploadMb }));
        Object.assign(made, { uploadMb, bytes: Buffer.from(text) });
      }
      return made.bytes;
    },
  });
};

function fileOnce(name: string): () => Promise<Buffer> {
  return loadOnce(async () => await readFile(join(folder, name)));
}
