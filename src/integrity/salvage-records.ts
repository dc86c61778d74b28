import type { LogDatabase } from '../../events/database.ts';
import type { LogCopy } from '../../events/log-copy.ts';
import { salvage, type Salvaged } from '../../events/salvage.ts';

/** What was taken over, and what is missing from it. */
export type SalvageReport = {
  facts: number;
  /** Positions of the old log that are gone or not as they were written, the first of them. */
  unreadable: readonly { position: number; upTo: number; what: 'missing' | 'damaged' }[];
  /** Streams that end earlier than they did, the first of them. */
  cut: readonly { stream: string; lastVersion: number; setAside: number }[];
  /** Sound facts behind a hole of their stream. */
  setAside: number;
  /** Holes and cut streams that are not listed. */
  more: number;
};

/** What is written to the side file for one record: its JSON, or its bytes in base64. */
export type LeftOver = { position: number; record?: string; bytes?: string };

/** Holes and streams listed each. */
const listedMax = 1_000;

/**
 * Copies every sound record whose stream has no hole before it, with new positions; hands the rest
 * aside. Memory: one entry a stream.
 */
export async function salvageRecords(
  from: LogDatabase,
  to: LogCopy,
  aside: (lines: LeftOver[]) => Promise<void>,
): Promise<SalvageReport> {
  const unreadable: { position: number; upTo: number; what: 'missing' | 'damaged' }[] = [];
  const cut = new Map<string, { lastVersion: number; setAside: number }>();
  const versions = new Map<string, number>();
  let facts = 0;
  let more = 0;
  let setAside = 0;
  let expected = 1;
  const hole = (position: number, upTo: number, what: 'missing' | 'damaged') => {
    if (unreadable.length < listedMax) unreadable.push({ position, upTo, what });
    else more += 1;
  };

  for await (const page of salvage(from)) {
    const jsons: string[] = [];
    const left: LeftOver[] = [];
    for (const one of page) {
      if (one.position > expected) hole(expected, one.position - 1, 'missing');
      expected = one.position + 1;
      if (one.fact === undefined) {
        hole(one.position, one.position, 'damaged');
        left.push(remains(one));
        continue;
      }
      const { stream, version } = one.fact;
      const last = versions.get(stream) ?? 0;
      if (version !== last + 1) {
        const of = cut.get(stream) ?? { lastVersion: last, setAside: 0 };
        cut.set(stream, { ...of, setAside: of.setAside + 1 });
        setAside += 1;
        left.push({ position: one.position, record: one.json });
        continue;
      }
      versions.set(stream, version);
      facts += 1;
      jsons.push(JSON.stringify({ ...one.fact, position: facts }));
    }
    if (jsons.length > 0) await to.append(jsons);
    if (left.length > 0) await aside(left);
  }
  const streams = [...cut].map(([stream, of]) => ({ stream, ...of }));
  return {
    facts,
    unreadable,
    cut: streams.slice(0, listedMax),
    setAside,
    more: more + Math.max(0, streams.length - listedMax),
  };
}

const remains = ({ position, bytes }: Extract<Salvaged, { fact: undefined }>): LeftOver =>
  bytes === undefined ? { position } : { position, bytes: bytes.toString('base64') };
