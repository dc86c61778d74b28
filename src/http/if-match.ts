import type { RouteRequest } from './route.ts';

/** What `If-Match` names; undefined where anything will do. */
export function seenBy({ ctx }: RouteRequest): string[] | undefined {
  const given = ctx.get('If-Match').trim();
  if (given === '' || given === '*') return undefined;
  return given.split(',').map((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', ''));
}
