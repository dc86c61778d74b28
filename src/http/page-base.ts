import type { Context } from 'koa';
import type { Settings } from '../config/environment.ts';
import { isEncrypted } from './encryption.ts';

/** What a link begins with that is given to others: the address that the settings say, else that of who asks. */
export const linkBase = (
  ctx: Context,
  { settings }: { settings: () => Pick<Settings, 'server.public_url'> },
): string => settings()['server.public_url'] ?? pageBase(ctx);

/** Where who asks has our pages: what a link to one of them begins with. */
export function pageBase(ctx: Context): string {
  const asked = ctx.get('Origin');
  const scheme = isEncrypted(ctx.req.socket) ? 'https' : 'http';
  return asked.startsWith('http') ? asked : `${scheme}://${ctx.host}`;
}
