import type { AddRoutes } from './add-routes.ts';

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
