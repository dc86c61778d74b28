import type { VerifiedRecords, VerifyOptions } from '../event-log.ts';
import { Appender } from './appender.ts';
import type { DamageRegister } from './damage.ts';
import { type LogDatabase, reopenUntilUsable, reopening } from './database.ts';
import { type HeadFile, headAfter } from './head-file.ts';
import type { CommitSignal } from '../../src/shared/listeners.ts';
import type { StreamHeads } from './streams.ts';

/** After a failed write: nothing more goes to these files until LevelDB has read them again. */
export type Recovery = {
  begin(cause: unknown): void;
  /** Resolves when the log is open again, or closed; undefined while all is well. */
  running(): Promise<void> | undefined;
};

type Recovering = {
  db: LogDatabase;
  heads: StreamHeads;
  damage: DamageRegister;
  committed: CommitSignal;
  closing: AbortSignal;
  verify(wanted: VerifyOptions): Promise<VerifiedRecords>;
  report(message: string, error?: unknown): void;
};

/** The appender, and what a failed write of it begins. */
export function recoveringAppender(
  log: Recovering & { clock: () => Date; headFile: Pick<HeadFile, 'note'> },
): { appender: Appender; recovery: Recovery } {
  const { db, heads, clock, headFile, committed } = log;
  const recovery = recoveryOf(log, () => appender);
  const appender: Appender = new Appender({
    db,
    heads,
    clock,
    committed: () => {
      headFile.note(appender.head);
      committed.fire();
    },
    failed: recovery.begin,
  });
  db.onWriteFailure = recovery.begin;
  return { appender, recovery };
}

function recoveryOf(log: Recovering, appenderOf: () => Appender): Recovery {
  const { db, report } = log;
  let running: Promise<void> | undefined;
  return {
    running: () => running,
    begin(cause) {
      if (running || log.closing.aborted) return;
      report('writing to the event log failed; reopening it', cause);
      const appender = appenderOf();
      appender.refuseWaiting(reopening(db));
      const known = appender.head;
      const check = async (): Promise<void> => {
        appender.head = await headAfter(db, known, log.damage.report);
        log.heads.reset();
        await log.verify({ afterPosition: Math.min(known.position, appender.head.position) });
        // A write failed since it was opened, for which nothing else opens it again.
        if (db.failure !== undefined) throw db.failure;
        report(`event log is open again at position ${appender.head.position}`);
      };
      running = reopenUntilUsable(db, log.closing, check, report).finally(() => {
        running = undefined;
        log.committed.fire();
      });
    },
  };
}
