import helmet from 'koa-helmet';
import type { Context, Middleware } from 'koa';

/**
 * Everything from this service itself, nothing inline, nobody may frame it. No HSTS: the service speaks
 * plain HTTP, and whether a proxy in front of it speaks TLS is the proxy's to promise.
 */
export function securityHeaders(): Middleware {
  const headers = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        fontSrc: ["'self'"],
        mediaSrc: ["'self'"],
        connectSrc: ["'self'"],
        workerSrc: ["'self'"],
        manifestSrc: ["'self'"],
        formAction: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: false,
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  });
  // They are the same for every answer, so helmet makes them once: it works longer than most routes.
  let made: [name: string, value: string][] | undefined;
  return (ctx, next) => {
    made ??= madeBy(headers);
    for (const [name, value] of made) ctx.res.setHeader(name, value);
    // Answers are somebody's own; routes that serve public files say otherwise.
    ctx.res.setHeader('Cache-Control', 'no-store');
    return next();
  };
}

/** The headers that a middleware sets on every answer, which it has to do at once. */
function madeBy(middleware: Middleware): [name: string, value: string][] {
  const headers: [string, string][] = [];
  const res = {
    setHeader: (name: string, value: string) => void headers.push([name, value]),
    removeHeader() {},
  };
  void middleware({ req: {}, res } as unknown as Context, async () => {});
  if (headers.length === 0) throw new Error('no security headers were made');
  return headers;
}
