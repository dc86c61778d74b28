import { oneRow } from './one-row.ts';
import type { EventLog, LogHealth } from '../../../events/event-log.ts';
import {
  type Upcasters,
  checkFacts,
  upcasters as todaysUpcasters,
} from '../../../events/facts/validation.ts';
import type { KeyStore } from '../../../events/key-store.ts';
import { commitSignal } from '../../shared/listeners.ts';
import { type DamageRegister, damageRegister } from '../../../events/log/damage.ts';
import { reading } from '../../../events/log/reader.ts';
import { crcOf, encodeRecord, noPredecessor } from '../../../events/log/records.ts';
import {
  type FactDecoder,
  factDecoder,
  hasContent,
  sealFacts,
} from '../../../events/log/sealing.ts';
import { EventStoreError, sentenceOf } from '../../../events/store.ts';
import { hasCode } from '../../shared/errors.ts';
import { retry } from '../../shared/retry.ts';
import type { Postgres } from './connection.ts';
import { type FactReader, factReader } from './fact-reader.ts';
import { GroupCommit } from './group-commit.ts';
import { knownEnd, type KnownEnd } from './known-end.ts';
import { verifyFacts } from './verify.ts';
import { factsChannel } from './append-schema.ts';
import { dataFailure } from '../../words/data-failures.ts';

type PostgresLogOptions = {
  db: Postgres;
  /** Never in the database: what is erased there stays in its write-ahead log, its archives and its backups. */
  keys: KeyStore;
  clock?: () => Date;
  /** For tests: other shapes than this release's. */
  upcasters?: Upcasters;
};

/** How long `usable` waits for a database that is away, in milliseconds. */
const awayMs = 30_000;

const pauses = { first: 50, max: 1_000 };

/** The log in PostgreSQL. */
interface PostgresLog extends EventLog {
  /**
   * Aborts, with a sentence for the operator as reason, when the database came back shorter than this process knew it: what
   * is remembered of the log is wrong then, nothing is read or written any more, all has to be opened again. With
   * `NEWER_LOG` when a node of a later release has written what this one cannot read.
   */
  readonly outdated: AbortSignal;
}

/** Opens the log of a database. Closing it leaves the database open. */
export function openPostgresLog(options: PostgresLogOptions): PostgresLog {
  const { db, keys, clock = () => new Date(), upcasters = todaysUpcasters } = options;
  const damage = damageRegister();
  const committed = commitSignal();
  const newer = new AbortController();
  const decoder = tellingOfNewer(factDecoder({ keys, upcasters, damage }), newer);
  const closing = new AbortController();
  const end = knownEnd(committed.fire, db.logId);
  const reader = factReader({ db, decoder, damage, end });
  const commits = new GroupCommit({
    db,
    clock,
    committed(last) {
      end.seen(last);
      committed.fire();
    },
  });
  db.onConnect(end.look);
  const stopListening = listenForFacts(db, end);
  const assertOpen = (): void => {
    end.lost.throwIfAborted();
    if (closing.signal.aborted) throw new EventStoreError('CLOSED', 'The log is closed.');
  };
  const { head, version } = endsOf(db, assertOpen);
  const assertWritable = (): void => {
    assertOpen();
    damage.assertSound();
  };

  return {
    id: db.logId,
    directory: null,
    keys,
    head,
    version,
    outdated: AbortSignal.any([end.lost, newer.signal]),
    health: () => healthOf(db, damage, keys, end.lost),
    append: appendingTo({ commits, reader, keys, upcasters, assertWritable }),
    ...reading({
      ...reader,
      decoder,
      reached: end.position,
      head,
      // A stream may be shorter than was asked for.
      versionUpTo: () => Infinity,
      committed,
      ready: assertOpen,
      assertOpen,
    }),
    ...copyingOf(db, reader),
    async usable() {
      const limitMs = () => awayMs;
      await retry(head, { pauses, signal: closing.signal, isTransient: isBusy, limitMs });
    },
    async verify(wanted = {}) {
      return await verifyFacts({ db, decoder, damage, upcasters, head: await head() }, wanted);
    },
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      await commits.drained();
      stopListening();
      committed.fire();
    },
  };
}

/** Where the log and its streams end, asked now. @param assertOpen throws while nothing may be read */
const endsOf = (db: Postgres, assertOpen: () => void): Pick<EventLog, 'head' | 'version'> => ({
  async head() {
    assertOpen();
    return Number(oneRow(await db.ask<{ head: string }>({ name: 'head', text: headQuery })).head);
  },
  async version(stream) {
    assertOpen();
    const text = 'select coalesce(max(version), 0) as version from facts where stream = $1';
    const question = { name: 'version', text, values: [stream] };
    return oneRow(await db.ask<{ version: number }>(question)).version;
  },
});

/**
 * Hears how far the log has come by appends of all nodes. Where it ends is also asked whenever nodes can be heard again,
 * since nothing is heard in between, and every few seconds: a notice that was lost delays, and stops nothing.
 * @param options.askEveryMs milliseconds
 * @returns how to stop
 */
export function listenForFacts(
  db: Pick<Postgres, 'ask' | 'channels'>,
  end: Pick<KnownEnd, 'reached' | 'look'>,
  { askEveryMs = askEveryMsDefault }: { askEveryMs?: number } = {},
): () => void {
  const stopListening = db.channels.listen(factsChannel, {
    heard: (payload) => end.reached(Number(payload)),
    opened: () => end.look(db.ask),
  });
  // A database that is away shows in `away`, one that came back shorter in `end.lost`; it is asked again.
  const asking = setInterval(() => void end.look(db.ask).catch(() => {}), askEveryMs).unref();
  return () => {
    clearInterval(asking);
    stopListening();
  };
}

/** As a decoder. @param newer aborted when a fact is of a later release */
function tellingOfNewer(decoder: FactDecoder, newer: AbortController): FactDecoder {
  const looked = <T extends { error?: unknown }>(found: T): T => {
    if (hasCode<EventStoreError>(found.error, 'NEWER_LOG')) newer.abort(found.error);
    return found;
  };
  return {
    ...decoder,
    decode: async (records) => looked(await decoder.decode(records)),
    outlines: (records) => looked(decoder.outlines(records)),
  };
}

function appendingTo(parts: {
  commits: GroupCommit;
  reader: FactReader;
  keys: KeyStore;
  upcasters: Upcasters;
  assertWritable: () => void;
}): EventLog['append'] {
  const { commits, reader, keys, upcasters, assertWritable } = parts;
  const hasContentOf = (stream: string, subject: string): Promise<boolean> =>
    hasContent(reader.records({ stream, after: 0, upTo: Infinity }), subject, ({ fact }) => fact);
  return (stream, offered, expectedVersion) => {
    // Every promise more would be felt.
    try {
      assertWritable();
      const checked = checkFacts(stream, offered, expectedVersion);
      const how = { stream, expectedVersion, keys, upcasters, hasContentOf };
      const place = { stream, expectedVersion, count: checked.length };
      return commits.append(place, () => sealFacts(checked, how));
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

function copyingOf(
  db: Postgres,
  reader: FactReader,
): Pick<EventLog, 'records' | 'checksum' | 'soundRecords' | 'streams'> {
  return {
    records: ({ afterPosition, upToPosition }) =>
      reader.records({ after: afterPosition, upTo: upToPosition }),
    async checksum(position) {
      let crc = noPredecessor;
      for await (const page of reader.records({ after: 0, upTo: position })) {
        for (const { json } of page) crc = crcOf(encodeRecord(json, crc));
      }
      return crc;
    },
    soundRecords: () => reader.soundRecords(),
    streams: (after) => streamsOf(db, after),
  };
}

const isBusy = (error: unknown): boolean =>
  error instanceof EventStoreError && error.code === 'BUSY';

function healthOf(
  db: Postgres,
  damage: DamageRegister,
  keys: KeyStore,
  lost: AbortSignal,
): LogHealth {
  const reason = lost.aborted
    ? (sentenceOf(lost.reason) ?? dataFailure('log-lost-some'))
    : db.away();
  return {
    ...(reason === undefined ? {} : { reason }),
    state: reason !== undefined ? 'recovering' : damage.logDamaged ? 'damaged' : 'ok',
    damage: damage.listed(keys),
    more: damage.more,
  };
}

/** Names asked for at once. */
const namesMax = 1_000;

/** From name to name by the index: what lies between is not looked at. */
const namesQuery = `
  with recursive names(stream) as (
    (select stream from facts where stream > $1 order by stream limit 1)
    union all
    select (select f.stream from facts f where f.stream > n.stream order by f.stream limit 1)
    from names n where n.stream is not null
  ) select stream from names where stream is not null limit ${namesMax}`;

async function* streamsOf(db: Postgres, after = ''): AsyncGenerator<string, void, void> {
  for (let last = after, isMore = true; isMore;) {
    const names = await db.ask<{ stream: string }>({ text: namesQuery, values: [last] });
    for (const { stream } of names) {
      yield stream;
      last = stream;
    }
    isMore = names.length === namesMax;
  }
}

const askEveryMsDefault = 3_000;

/** Where the log ends. */
const headQuery = 'select coalesce(max(position), 0) as head from facts';
