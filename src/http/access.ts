import { ticketPath } from './tickets.ts';

/** Who may call what. Decided from method and path alone, before anything else is looked at. */
export type Access = 'public' | 'user' | 'admin' | 'ticket' | 'upload' | 'metrics';

/**
 * What is not named here needs a login, also paths that do not exist: a stranger learns nothing from us.
 * `path` is the raw path, as the router (case-sensitive, strict) matches it: nothing may mean two things.
 */
export function accessTo(method: string, path: string): Access {
  const reading = method === 'GET' || method === 'HEAD';
  if (method === 'POST' && (path === '/login' || path === '/setup')) return 'public';
  if (reading && publicPaths.some((pattern) => pattern.test(path))) return 'public';
  if (reading && ticketPath(path) !== undefined) return 'ticket';
  // Whoever has begun an upload may finish it, also when the session has ended: its address is the right.
  if (/^(?:HEAD|PATCH|DELETE)$/.test(method) && uploadPath(path)) return 'upload';
  // An administrator, or whoever has `metrics.token`.
  if (reading && path === '/metrics') return 'metrics';
  if (path === '/users/me') return 'user';
  if (adminPaths.some((pattern) => pattern.test(path))) return 'admin';
  return 'user';
}

const uploadPath = (path: string): boolean => /^\/uploads\/[0-9a-f]{32}$/.test(path);

const publicPaths = [
  /^\/$/,
  /^\/(health|openapi\.json|docs)$/,
  /^\/setup\/state$/,
  // The web app: its pages check the token themselves, its assets hold no secret.
  /^\/(login|setup|settings|debug|notes\/[^/]+)$/,
  /^\/(assets\/.+|[a-z][a-z0-9-]*\.(css|js|svg|ico|webmanifest))$/,
];

const adminPaths = [
  /^\/(config|users|models|audio\/sources|audio\/combined)(\/|$)/,
  /^\/(events|doctor|metrics)$/,
];
