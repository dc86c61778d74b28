import type { Router } from '@koa/router';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { packageRoot } from '../../shared/package.ts';
import type { AddRoutes, State } from '../services.ts';
import { Problem } from '../problems.ts';
import * as z from 'zod';
import { querySchema } from '../feed/upgrade.ts';
import { clientFrame, serverFrame } from '../openapi/other-answers.ts';
import type { Operation } from '../openapi/describe-operation.ts';

/** The page at `/` and what it needs: read once at start, so no path of a request ever meets the disk. */
export const pageRoutes = (router: Router<State>): void => {
  for (const [path, page] of pages(join(packageRoot, 'web'))) {
    router.get(path, (ctx) => {
      ctx.status = 200;
      ctx.set('ETag', page.etag);
      ctx.set('Cache-Control', 'no-cache');
      if (ctx.fresh) {
        ctx.status = 304;
        return;
      }
      ctx.set('Content-Type', page.type);
      ctx.body = page.bytes;
    });
  }
};

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
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
  let made: { uploadMb: number; text: string } | undefined;
  router.get('/openapi.json', async (ctx) => {
    const uploadMb = settings()['limits.upload_mb'];
    if (made?.uploadMb !== uploadMb) {
      const { openApiDocument } = await import('../openapi/document.ts');
      made = { uploadMb, text: JSON.stringify(openApiDocument({ version, uploadMb })) };
    }
    ctx.type = 'application/json';
    ctx.body = made.text;
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

type Page = { type: string; etag: string; bytes: Buffer };

/** The files right in the folder, of the types above; `index.html` is `/`, `setup.html` is `/setup`. */
function pages(folder: string): Map<string, Page> {
  const found = new Map<string, Page>();
  for (const name of readdirSync(folder)) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const bytes = readFileSync(join(folder, name));
    const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`;
    const path = name === 'index.html' ? '' : name.replace(/\.html$/, '');
    found.set(`/${path}`, { type, etag, bytes });
  }
  return found;
}

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
  markup('/', 'page', 'The start page'),
  markup('/setup', 'setupPage', 'Creates the first administrator, for people'),
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
