import { EventStoreError } from '../../../events/store.ts';
import { RowsTaken } from '../../../projections/runner/projection.ts';
import { codeOf } from '../../shared/errors.ts';
import { anotherProjector } from './rows-schema.ts';
import { moreConnections, tooManyConnections } from './fitness.ts';
import { anotherLog } from './append-schema.ts';

/**
 * What a failed question means for those who ask the log.
 * @throws {RowsTaken}; what is a defect of ours
 */
export function failureOf(error: unknown, where: string): EventStoreError {
  if (error instanceof EventStoreError) return error;
  const code = codeOf(error) ?? '';
  if (code === '53100') {
    const message = `The disk of the database ${where} is full: nothing new is taken.`;
    return new EventStoreError('DISK_FULL', message, { cause: error });
  }
  if (code === 'XX001' || code === 'XX002') {
    const message = `The database ${where} has damaged tables (${code}).`;
    return new EventStoreError('DAMAGED', message, { cause: error });
  }
  if (code === anotherLog) {
    // All is opened again once that is noticed (`known-end.ts`).
    const message = `The database ${where} holds another log than at the start: it is opened again.`;
    return new EventStoreError('BUSY', message, { cause: error });
  }
  if (code === anotherProjector) throw new RowsTaken({ cause: error });
  if (!isAway(error)) throw error;
  return new EventStoreError('BUSY', whyAway(code, where), { cause: error });
}

function whyAway(code: string, where: string): string {
  if (code === tooManyConnections)
    return `The database ${where} has no connection left. ${moreConnections}`;
  if (code === noRights)
    return `The user may not do in the database ${where} what a node does: rights were taken away. Make that user its owner.`;
  return `The database ${where} cannot be asked now (${code || 'no answer'}).`;
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
