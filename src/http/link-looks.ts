import { problemOf } from '../words/problems.ts';
import { networkOf } from '../shared/network.ts';
import type { Kept, KeptKind } from '../storage/kept.ts';
import { limits } from './limits.ts';
import { Problem } from './problems.ts';

const minuteMs = 60_000;

/** Of an address: since when, and how often since then it asked for what a link opens. */
const lookRows: KeptKind<{ since: number; count: number }> = {
  name: 'link-looks',
  endsAt: ({ since }) => since + minuteMs,
  volatileMax: 20_000,
  keys: 'hashed',
};

/** Counts a look before anything is looked up. @throws {Problem} 429 too many within a minute */
export async function countLook(kept: Kept, address: string): Promise<void> {
  const wait = await kept.of(lookRows).change([networkOf(address)], ([row], now) => {
    const { since, count } = row && row.since > now - minuteMs ? row : { since: now, count: 0 };
    if (count >= limits.linkLooksPerMinute)
      return { result: Math.max(1, Math.ceil((since + minuteMs - now) / 1000)) };
    return { keep: [{ since, count: count + 1 }], result: 0 };
  });
  if (wait === 0) return;
  throw new Problem('too-many-attempts', {
    said: problemOf('too-many-attempts', { wait }),
    headers: { 'Retry-After': String(wait) },
  });
}
