import type { Damage, VerifiedRecords, VerifyOptions } from '../../../events/event-log.ts';
import { type Upcasters, assertKnown } from '../../../events/facts/validation.ts';
import { type DamageRegister, missingRecords } from '../../../events/log/damage.ts';
import type { FactDecoder } from '../../../events/log/sealing.ts';
import { beginVerify, lostKeys } from '../../../events/log/verify.ts';
import type { Postgres } from './connection.ts';
import { rowPages } from './fact-reader.ts';
import { checkedRow, isDamage } from './fact-rows.ts';

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
  if (after === 0 && upTo === head) await checkStreams(db, report);
  return result;
}

/** Each stream's versions count from 1 without gaps; that none is there twice, the table sees to. */
async function checkStreams(db: Postgres, report: (damage: Damage) => void): Promise<void> {
  const text = `select stream, count(*)::int as facts, max(version) as version from facts
    group by stream having count(*) <> max(version) limit 100`;
  const gaps = await db.ask<{ stream: string; facts: number; version: number }>({ text });
  for (const { stream, facts, version } of gaps) {
    const message = `The stream has ${facts} facts up to version ${version}.`;
    report({ kind: 'index', stream, version, message });
  }
}
