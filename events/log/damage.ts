import { EventStoreError } from '../store.ts';

/** Something in the log that is not as it was written. */
export type Damage = {
  /** A record, an entry of the index of streams, or a key that makes content readable. */
  kind: 'record' | 'index' | 'key';
  position?: number;
  stream?: string;
  version?: number;
  /** What is wrong, for a person; quotes no content. */
  message: string;
};

export type Health = {
  /** `damaged`: writes are refused. `recovering`: they are refused until the database is open again. */
  state: 'ok' | 'damaged' | 'recovering';
  /** The first hundred damages met since the log was opened. */
  damage: readonly Damage[];
  /** How many more there were. */
  more: number;
};

/** Damages met so far. */
export type DamageRegister = {
  /** Keeps a damage and returns the error to throw. */
  report: (damage: Damage, cause?: unknown) => EventStoreError;
  readonly list: readonly Damage[];
  readonly more: number;
  /** Whether the log itself is damaged: a lost key concerns its subject only. */
  readonly logDamaged: boolean;
};

export const damagesMax = 100;

export function damageRegister(): DamageRegister {
  const list: Damage[] = [];
  const seen = new Set<string>();
  let more = 0;
  let logDamaged = false;
  return {
    report(damage, cause) {
      const { kind, position, stream, version } = damage;
      const identity = [kind, position, stream, version].join(' ');
      if (damage.kind !== 'key') logDamaged = true;
      if (!seen.has(identity)) {
        if (list.length < damagesMax) {
          seen.add(identity);
          list.push(damage);
        } else more += 1;
      }
      return damagedError(damage, cause);
    },
    list,
    get more() {
      return more;
    },
    get logDamaged() {
      return logDamaged;
    },
  };
}

/** The error for a damage: where it is, what is wrong, what to do. */
export function damagedError(damage: Damage, cause?: unknown): EventStoreError {
  const where = [
    damage.position === undefined ? '' : `position ${damage.position}`,
    damage.stream === undefined ? '' : `stream ${damage.stream}`,
    damage.version === undefined ? '' : `version ${damage.version}`,
  ].filter((part) => part !== '');
  const remedy =
    damage.kind === 'key'
      ? 'Put the key back from a backup, or erase its subject.'
      : 'Nothing more is written. `mitschrift verify` lists all damage; put the data back from a backup.';
  return new EventStoreError(
    'DAMAGED',
    `The log is damaged${where.length > 0 ? ` (${where.join(', ')})` : ''}: ${damage.message} ${remedy}`,
    { cause },
  );
}
