import type { Router } from '@koa/router';
import { dirname, join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddRoutes } from '../services.ts';
import type { State } from '../state.ts';
import { Problem } from '../problems.ts';
import * as z from 'zod';
import { isBuiltOf, openedFiles, pagePaths } from '../app-pages.ts';
import { querySchema } from '../feed/upgrade.ts';
import { clientFrame, serverFrame } from '../openapi/other-answers.ts';
import type { Operation } from '../openapi/describe-operation.ts';

/** The web app: its pages, and the files it is made of. */
export const pageRoutes = (router: Router<State>): void => {
  const files = openedFiles();
  const isBuilt = isBuiltOf(files);
  for (const [path, , , part] of pagePaths) {
    const link = files.linkTo(`pages/${part}.svelte`);
    router.get(path.replace('{id}', ':id'), async (ctx) => {
      if (!isBuilt) throw new Problem('not-found', 'The web app is not built: run npm run build.');
      if (link !== '') ctx.set('Link', link);
      await files.send(ctx, 'index.html');
    });
  }
  for (const path of files.paths.filter((name) => name !== 'index.html')) {
    router.get(`/${path}`, async (ctx) => await files.send(ctx, path));
  }
};

/**
 * `GET /docs`: the interface to read and to try, by Swagger UI from this service's own files. Files are
 * named here, so no path of a request ever meets the disk; each is read when it is first asked for.
 */
export const docsRoutes: AddRoutes = (router) => {
  router.get('/docs', (ctx) => {
    ctx.set('Content-Security-Policy', policy);
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = page;
  });
  router.get(`${assets}/start.js`, (ctx) => {
    ctx.type = 'text/javascript; charset=utf-8';
    ctx.body = start;
  });
  for (const [name, type] of Object.entries(files)) {
    let read: Promise<Buffer> | undefined;
    router.get(`${assets}/${name}`, async (ctx) => {
      read ??= readFile(join(folder, name));
      ctx.type = type;
      ctx.set('Cache-Control', 'public, max-age=3600');
      ctx.body = await read;
    });
  }
};

/** Below what `accessTo` calls public. */
const assets = '/assets/docs';
const files = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};
const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** As for all pages, but its style sheet holds small pictures as `data:`. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Mitschrift: interface</title>
    <link rel="icon" href="/mitschrift.svg" />
    <link rel="stylesheet" href="${assets}/swagger-ui.css" />
  </head>
  <body>
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

/** `GET /openapi.json`: made when it is first asked for, and again when a limit it states has changed. */
export const openApiRoutes: AddRoutes = (router, { version, settings }) => {
  let made: { uploadMb: number; bytes: Buffer } | undefined;
  router.get('/openapi.json', async (ctx) => {
    const uploadMb = settings()['limits.upload_mb'];
    if (made?.uploadMb !== uploadMb) {
      const { openApiDocument } = await import('../openapi/document.ts');
      const text = JSON.stringify(openApiDocument({ version, uploadMb }));
      made = { uploadMb, bytes: Buffer.from(text) };
    }
    ctx.type = 'application/json';
    ctx.body = made.bytes;
  });
};

/** `GET /ws` without an upgrade; real WebSockets never get here. */
export const socketRoutes: AddRoutes = (router) => {
  router.get('/ws', () => {
    throw new Problem('upgrade-required', 'Connect with a WebSocket.', {
      headers: { Upgrade: 'websocket' },
    });
  });
};

const markup = (path: string, id: string, summary: string): Operation => ({
  method: 'get',
  path,
  id,
  tag: 'Service',
  summary,
  answers: {
    200: { description: 'The page.', media: ['text/html'] },
    304: { description: 'Not changed since.' },
  },
});

/** Pages, this document, and the WebSocket. */
export const pageOperations: readonly Operation[] = [
  ...pagePaths.map(([path, id, summary]) => markup(path, id, summary)),
  markup('/docs', 'docs', 'This document, to read and to try'),
  {
    method: 'get',
    path: '/openapi.json',
    id: 'openapi',
    tag: 'Service',
    summary: 'This document',
    answers: { 200: { description: 'OpenAPI 3.1.', json: z.record(z.string(), z.unknown()) } },
  },
  {
    method: 'get',
    path: '/ws',
    id: 'webSocket',
    tag: 'Status',
    summary: 'What happens, as it happens: a WebSocket',
    description:
      'Every frame from the service is a `ServerFrame`: first `status` at position P; with `after` ' +
      'everything durable in (after, P]; then what happens, without gap or double. Close codes: 1001 ' +
      'the service stops, 1008 the session ended, 1009 message too large, 1011 the service could not ' +
      'go on, 1013 too slow: come back with `after`. The token goes into `?token=`, into the ' +
      'subprotocols (`Sec-WebSocket-Protocol: mitschrift, <token>`), or, from other clients than browsers, into ' +
      '`Authorization`.',
    query: querySchema.extend({ token: z.string().optional() }),
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
  },
];
