import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { AddRoutes } from './add-routes.ts';

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

/** Below what `access.ts` calls public. */
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
