import { oneRow } from './one-row.ts';
import type pg from 'pg';
import { EventStoreError } from '../../../events/store.ts';
import { dataFailure } from '../../words/data-failures.ts';
import type { Sentence } from '../../words/params.ts';

/**
 * How far this process knows the log, and whether the database still has all of it. It may not: a standby that was
 * behind took over, or an earlier time was restored.
 */
export type KnownEnd = {
  /** Up to here the log reaches at least. */
  position(): number;
  /** It was heard that the log reaches up to here. */
  reached(position: number): void;
  /** This fact was acknowledged or read here. */
  seen(fact: Known): void;
  /** Aborts when the database lacks any of that; the reason is a sentence for the operator. */
  lost: AbortSignal;
  /** Asks where the log ends, and whether it still has what is known of it. @throws {EventStoreError} `CLOSED` when it has not */
  look(ask: AskDatabase): Promise<void>;
};

/** A fact that no other one can be taken for. */
type Known = { position: number; id: string };

/** Asks a question over whichever connection. */
export type AskDatabase = <R extends pg.QueryResultRow>(question: pg.QueryConfig) => Promise<R[]>;

/** @param moved called when the log has grown, or was lost. @param logId of the log that was opened */
export function knownEnd(moved: () => void, logId: string): KnownEnd {
  let end = 0;
  /** The last fact that this process knows: whoever lacks it lacks something, also when others were appended since. */
  let last: Known = { position: 0, id: '' };
  const losing = new AbortController();
  const reached = (position: number): void => {
    end = Math.max(end, position);
    moved();
  };
  return {
    position: () => end,
    reached,
    seen({ position, id }) {
      if (position > last.position) last = { position, id };
      end = Math.max(end, position);
    },
    lost: losing.signal,
    async look(ask) {
      // What is known now was committed before it is asked.
      const [knownEnd, known] = [end, last];
      const question = { name: 'end', text: endQuery, values: [known.position] };
      const row = oneRow(await ask<{ head: string; id: string | null; log: string }>(question));
      const head = Number(row.head);
      const hasLast = known.position === 0 || row.id === known.id;
      const isAnother = row.log !== logId;
      if (!losing.signal.aborted && (isAnother || head < knownEnd || !hasLast)) {
        const said = isAnother ? dataFailure('log-replaced') : whatIsLost(knownEnd - head);
        losing.abort(new EventStoreError('CLOSED', said));
        moved();
      }
      losing.signal.throwIfAborted();
      reached(head);
    },
  };
}

/** Where the log ends, the id of the fact at a position, with which its record begins, and whose log it is. */
const endQuery = `
  select coalesce(max(position), 0) as head,
      (select substr(record, 8, 26) from facts where position = $1) as id, (select id from log) as log
    from facts`;

const whatIsLost = (count: number): Sentence =>
  count > 0 ? dataFailure('log-lost', { count }) : dataFailure('log-lost-some');
