import { networkOf } from '../shared/network.ts';
import type { Kept } from './kept.ts';

const minuteMs = 60_000;

/**
 * Counts what an address asks for.
 * @param name of the kind of rows
 * @param most of it within a minute
 * @returns seconds to wait where it asked too often; 0: it may, and is counted
 */
export const perMinute = (kept: Kept, name: string, address: string, most: number) =>
  kept
    .of<{ since: number; count: number }>({
      name,
      endsAt: ({ since }) => since + minuteMs,
      volatileMax: 20_000,
      keys: 'hashed',
    })
    .change([networkOf(address)], ([row], now) => {
      const { since, count } = row && row.since > now - minuteMs ? row : { since: now, count: 0 };
      if (count >= most) return { result: Math.max(1, Math.ceil((since + minuteMs - now) / 1000)) };
      return { keep: [{ since, count: count + 1 }], result: 0 };
    });
