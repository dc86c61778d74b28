import type { Context } from 'koa';
import { isEncrypted } from './encryption.ts';

/** Where who asks has our pages: what a link to one of them begins with. */
export function pageBase(ctx: Context): string {
  const asked = ctx.get('Origin');
  const scheme = isEncrypted(ctx.req.socket) ? 'https' : 'http';
  return asked.startsWith('http') ? asked : `${scheme}://${ctx.host}`;
}
