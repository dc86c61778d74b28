import type { Damage } from '../event-log.ts';
import type { KeyStore } from '../key-store.ts';
import { dataFailure } from '../../src/words/data-failures.ts';
import { finding } from '../../src/words/findings.ts';
import { EventStoreError } from '../store.ts';

/** Damages met so far. */
export type DamageRegister = {
  /** Keeps a damage and returns the error to throw. */
  report: (damage: Damage, cause?: unknown) => EventStoreError;
  /** The key of a subject is there again, or was destroyed on purpose. */
  resolve: (subject: string) => void;
  /** The first, without those of subjects that were erased meanwhile. */
  listed: (keys: KeyStore) => readonly Damage[];
  readonly more: number;
  /** Whether the log itself is damaged: a lost key concerns its subject only. */
  readonly logDamaged: boolean;
  /** @throws {EventStoreError} `DAMAGED` while the log itself is damaged */
  assertSound: () => void;
};

export const damagesMax = 100;

export function damageRegister(): DamageRegister {
  const inLog: Damage[] = [];
  const seen = new Set<string>();
  /** By subject, with the first fact that could not be read for it. */
  const keys = new Map<string, Damage>();
  let more = 0;
  const keep = (damage: Damage): void => {
    const { kind, position, stream, version, subject } = damage;
    if (kind === 'key') {
      const of = subject ?? '';
      if (!keys.has(of)) keys.set(of, damage);
      return;
    }
    const identity = [kind, position, stream, version].join(' ');
    if (seen.has(identity)) return;
    if (inLog.length >= damagesMax) {
      more += 1;
      return;
    }
    seen.add(identity);
    inLog.push(damage);
  };
  return {
    report(damage, cause) {
      keep(damage);
      return damagedError(damage, cause);
    },
    resolve(subject) {
      if (keys.size > 0) keys.delete(subject);
    },
    listed: (store) =>
      [...inLog, ...[...keys.values()].slice(0, damagesMax)].filter(
        ({ subject }) => subject === undefined || !store.isErased(subject),
      ),
    get more() {
      return more + Math.max(0, keys.size - damagesMax);
    },
    get logDamaged() {
      return inLog.length > 0;
    },
    assertSound() {
      if (inLog[0]) throw damagedError(inLog[0]);
    },
  };
}

/** Records that are not there, by position, or by version in a stream. */
export function missingRecords(first: number, last: number, stream?: string): Damage {
  const said =
    first === last ? finding('record-missing') : finding('records-missing', { up_to: last });
  return stream === undefined
    ? { kind: 'record', position: first, said }
    : { kind: 'record', stream, version: first, said };
}

/** The error for a damage: where it is, what is wrong, what to do. */
export function damagedError(
  { kind, subject = '', position, stream, version, said }: Damage,
  cause?: unknown,
): EventStoreError {
  const sentence =
    kind === 'key'
      ? dataFailure('key-damaged-at', { subject, finding: said })
      : dataFailure('log-damaged-at', { position, stream, version, finding: said });
  const last = said.params?.['up_to'];
  const lastPosition = stream === undefined && typeof last === 'number' ? last : position;
  return new EventStoreError('DAMAGED', sentence, { cause, lastPosition });
}
