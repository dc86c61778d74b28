import type { Damage, VerifiedRecords, VerifyOptions } from '../../../events/event-log.ts';
import { type Upcasters, assertKnown } from '../../../events/facts/validation.ts';
import { type DamageRegister, missingRecords } from '../../../events/log/damage.ts';
import type { FactDecoder } from '../../../events/log/sealing.ts';
import { beginVerify, lostKeys } from '../../../events/log/verify.ts';
import type { Postgres } from './connection.ts';
import { rowPages } from './fact-reader.ts';
import { checkedRow, isDamage } from './fact-rows.ts';
import { finding } from '../../words/findings.ts';

/**
 * Checks rows alone and in sequence, and in a whole log that streams have no gaps; goes on behind damage and
 * reports all of it to the register. Changes nothing.
 * @throws {EventStoreError} `NEWER_LOG`, `BUSY`
 */
export async function verifyFacts(
  parts: {
    db: Postgres;
    decoder: FactDecoder;
    damage: DamageRegister;
    upcasters: Upcasters;
    /** Position of the last durable fact. */
    head: number;
  },
  options: VerifyOptions,
): Promise<VerifiedRecords> {
  const { db, head } = parts;
  const { after, upTo, result, report } = beginVerify(parts, options);
  if (after > head) report(missingRecords(head + 1, after));
  const lost = new Set<string>();
  for await (const { rows } of rowPages(db, { after, upTo })) {
    if (options.signal?.aborted) return result;
    const sound = [];
    for (const row of rows) {
      const position = Number(row.position);
      if (position > upTo) break;
      if (position > result.position + 1) report(missingRecords(result.position + 1, position - 1));
      result.position = position;
      result.records += 1;
      const checked = checkedRow(row);
      if (isDamage(checked)) report(checked);
      else sound.push(checked.fact);
    }
    for (const { type, schema } of sound) assertKnown(type, schema ?? 1, parts.upcasters);
    if (options.contents) result.damages += await lostKeys(parts.decoder, sound, lost);
    options.onProgress?.(result.position);
  }
  if (result.position < upTo) report(missingRecords(result.position + 1, upTo));
  result.position = Math.max(result.position, upTo);
  if (after === 0 && upTo === head) await checkStreams(db, report, options);
  return result;
}

/**
 * Each stream's versions count from 1 without gaps; that none is there twice, the table sees to. By ranges of streams: one
 * query over all would take longer than any may.
 * @param options.factsAtOnce so many facts, and the rest of a stream, in one query
 */
export async function checkStreams(
  db: Postgres,
  report: (damage: Damage) => void,
  {
    signal,
    factsAtOnce = factsAtOnceDefault,
  }: { signal?: AbortSignal | undefined; factsAtOnce?: number } = {},
): Promise<void> {
  let found = 0;
  for (let after: string | null = ''; after !== null && found < gapsMax;) {
    signal?.throwIfAborted();
    const upTo: string | null = await streamAfter(db, after, factsAtOnce);
    const text = `select stream, count(*)::int as facts, max(version) as version from facts
      where stream > $1 and ($2::text is null or stream <= $2)
      group by stream having count(*) <> max(version) order by stream limit ${gapsMax}`;
    const values = [after, upTo];
    const gaps = await db.ask<{ stream: string; facts: number; version: number }>({ text, values });
    for (const { stream, facts, version } of gaps) {
      const said = finding('stream-gaps', { events: facts, version });
      report({ kind: 'index', stream, version, said });
    }
    found += gaps.length;
    after = upTo;
  }
}

/** Facts whose streams are looked at by one query: a fraction of a second. */
const factsAtOnceDefault = 100_000;
/** Streams with gaps that are named. */
const gapsMax = 100;

/** The stream in which so many facts behind another stream end; null: there are not as many. */
async function streamAfter(db: Postgres, after: string, facts: number): Promise<string | null> {
  const [row] = await db.ask<{ stream: string }>({
    text: `select stream from facts where stream > $1 order by stream, version offset $2 limit 1`,
    values: [after, facts],
  });
  return row?.stream ?? null;
}
