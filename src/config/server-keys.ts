import type { Change } from './changes.ts';
import type { ConfigFault, Settings } from './schema.ts';

/** Each server with the key that only it may get. */
const servers = [
  ['stt.base_url', 'stt.api_key'],
  ['llm.base_url', 'llm.api_key'],
] as const;

/**
 * The keys that changes would send to another server than the one they were given for: the origin of a
 * server changes, and its key stays.
 */
export function keysLeftBehind(
  changes: readonly Change[],
  present: Settings,
): (typeof servers)[number][1][] {
  return servers.flatMap(([url, key]) => {
    const moved = changes.find((change) => change.key === url);
    const gets = (moved?.value ?? null) as string | null;
    if (gets === null || present[key] === null) return [];
    if (changes.some((change) => change.key === key)) return [];
    const from = present[url];
    return from !== null && new URL(from).origin === new URL(gets).origin ? [] : [key];
  });
}

/** For people: what to do about them. */
export const keyAgain = (key: string): ConfigFault => ({
  path: key,
  message: 'was given for another server: give it again, or remove it (null)',
});
