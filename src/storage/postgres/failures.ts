import { EventStoreError, type EventStoreErrorCode } from '../../../events/store.ts';
import { RowsTaken } from '../../../projections/runner/projection.ts';
import { codeOf } from '../../shared/errors.ts';
import { anotherProjector } from './rows-schema.ts';
import { tooManyConnections } from './fitness.ts';
import { anotherLog } from './append-schema.ts';
import { dataFailure } from '../../words/data-failures.ts';
import type { Sentence } from '../../words/params.ts';

/**
 * What a failed question means for those who ask the log.
 * @throws {RowsTaken}; what is a defect of ours
 */
export function failureOf(error: unknown, where: string): EventStoreError {
  if (error instanceof EventStoreError) return error;
  const code = codeOf(error) ?? '';
  const failed = (as: EventStoreErrorCode, said: Sentence): EventStoreError =>
    new EventStoreError(as, said, { cause: error });
  const database = where;
  if (code === '53100') return failed('DISK_FULL', dataFailure('database-full', { database }));
  if (code === 'XX001' || code === 'XX002')
    return failed('DAMAGED', dataFailure('database-damaged', { database, cause: code }));
  // All is opened again once that is noticed (`known-end.ts`).
  if (code === anotherLog) return failed('BUSY', dataFailure('database-other-log', { database }));
  if (code === anotherProjector) throw new RowsTaken({ cause: error });
  if (!isAway(error)) throw error;
  return failed('BUSY', whyAway(code, database));
}

function whyAway(code: string, database: string): Sentence {
  if (code === tooManyConnections) return dataFailure('database-no-connections', { database });
  if (code === noRights) return dataFailure('database-no-rights', { database });
  return dataFailure('database-away', { database, cause: code || undefined });
}

/** PostgreSQL's code where rights were revoked: they may be granted again. */
const noRights = '42501';

/**
 * Whether the same may succeed once the database is there again. Class 08: connection, 28: who may log in,
 * 3D: no such database, 40: another transaction, 53: no more connections or memory, 55: locks, 57: it was
 * ended or took too long, 58: its disk; 25006: a standby; 42501: rights that were revoked.
 */
export function isAway(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return error instanceof Error && clientFailures.test(error.message);
  if (/^E[A-Z_]+$/.test(code)) return true;
  return /^(08|28|3D|40|53|55|57|58)/.test(code) || code === '25006' || code === noRights;
}

/** What `pg` says without a code. */
const clientFailures =
  /^(Connection terminated|Query read timeout|timeout exceeded|timeout expired|Client (has encountered|was closed)|The server does not support SSL)/;
