import helmet from 'koa-helmet';
import type { Middleware } from 'koa';

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
  return async (ctx, next) => {
    // Answers are somebody's own; routes that serve public files say otherwise.
    ctx.set('Cache-Control', 'no-store');
    await headers(ctx, next);
  };
}
