import { ticketPath } from './tickets.ts';

/** Who may call what. Decided from method and path alone, before anything else is looked at. */
export type Access = 'public' | 'user' | 'admin' | 'ticket' | 'upload' | 'metrics';

/**
 * What is not named here needs a login, also paths that do not exist: a stranger learns nothing from us.
 * `path` is the raw path, as the router (case-sensitive, strict) matches it: nothing may mean two things.
 */
export function accessTo(method: string, path: string): Access {
  const reading = method === 'GET' || method === 'HEAD';
  if (method === 'POST' && publicPosts.includes(path)) return 'public';
  if (reading && publicPaths.some((pattern) => pattern.test(path))) return 'public';
  if (reading && ticketPath(path) !== undefined) return 'ticket';
  // An upload's address is the right to finish it, also when the session has ended.
  if (/^(?:HEAD|PATCH|DELETE)$/.test(method) && uploadPath(path)) return 'upload';
  // An administrator, or a program that has `metrics.token`.
  if (reading && path === '/metrics') return 'metrics';
  if (/^\/users\/me(\/|$)/.test(path)) return 'user';
  if (adminPaths.some((pattern) => pattern.test(path))) return 'admin';
  return 'user';
}

/**
 * What asks for the password again: users, their rights, backups, which hold the keys. Decided as `accessTo`; `PUT
 * /config` asks by itself for secrets.
 */
export const asksPassword = (method: string, path: string): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  /^\/(users|backup)(\/|$)/.test(path) &&
  // Ending one gives nothing away.
  !(method === 'DELETE' && path === '/backup') &&
  !/^\/users\/me(\/|$)/.test(path);

const uploadPath = (path: string): boolean => /^\/uploads\/[0-9a-f]{32}$/.test(path);

const publicPosts = ['/login', '/setup', '/invitations/look', '/invitations/accept'];

const publicPaths = [
  /^\/$/,
  /^\/(health|openapi\.json|docs(\/[a-z]+)?)$/,
  /^\/setup\/state$/,
  // The web app: its pages check the token themselves, its assets hold no secret.
  /^\/(login|setup|settings|account|speakers|debug|notes\/[^/]+)$/,
  /^\/(assets\/.+|[a-z][a-z0-9-]*\.(js|svg|png|webmanifest))$/,
];

const adminPaths = [
  /^\/(config|users|models|audio\/sources|audio\/combined)(\/|$)/,
  /^\/(events|doctor|nodes|metrics|backup)$/,
];
