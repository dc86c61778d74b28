import { isDeepStrictEqual } from 'node:util';
import { isIn } from '../../machines/states.ts';
import type { Taken } from '../../events/facts/retention.ts';
import type { DecideRecording } from '../../projections/recording/decide.ts';
import { heldBy } from '../../projections/recording/holds.ts';
import { orderOf } from '../../projections/recording/order.ts';
import type { Recording } from '../../projections/recording/recording.ts';
import { recordingsByOwner } from '../../projections/recordings.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { OpenRecordingService } from '../recordings/service.ts';
import { audioAtOneNode } from '../recordings/control/at-one-node.ts';
import { repeatedly } from '../shared/retry.ts';
import type { Log } from '../shared/log.ts';
import { CommandRefused } from '../recordings/refusals.ts';
import {
  type DuePart,
  type DueDeps,
  dueUntil,
  isStillDue,
  libraryAtLeast,
  rulesOf,
} from './due.ts';

/** Recordings that one round takes at most, of all users. */
const roundMaxDefault = 200;
/** A round that would take more of a user's waits for a yes; so does one of more than a tenth of their library. */
const askedBeyond = 20;
const roundEveryMs = 3_600_000;

/** What tests move. */
export type RetentionTrial = {
  now(): number;
  everyMs: number;
  roundMax: number;
  /** Asked before a recording is taken; what it throws is a failure of taking it. */
  beforeTaking(recordingId: string): void | Promise<void>;
};

/** What is due of a user's now: what goes with the next rounds, and what waits for their yes. */
export type DueNow = { going: readonly DuePart[]; waiting: readonly DuePart[] };

/** Deletes what is older than the periods that were set, by one process of all. */
export interface Retention {
  now(): number;
  /** What is due of one user's by now. */
  dueNow(owner: string): Promise<DueNow>;
  /** What goes until a moment, what is protected among it, oldest first. */
  dueUntil(owner: string, until: number): Promise<DuePart[]>;
  rulesOf(owner: string): ReturnType<typeof rulesOf>;
  /** From now on, when lists are up to date; until then another process does it, if there is any. */
  begin(): void;
  /** Resolves when nothing is removed any more, after the service's signal aborts. */
  settled(): Promise<void>;
}

type Deps = Omit<DueDeps, 'now'> &
  Parameters<typeof audioAtOneNode>[0] & {
    signal: AbortSignal;
    log: Pick<Log, 'info' | 'warn'>;
    accounts: Pick<Accounts, 'takeIn'>;
    recordingService: Pick<OpenRecordingService, 'erase' | 'removeAudio'>;
    trial?: Partial<RetentionTrial> | undefined;
    /** Resolves when the lists of recordings show what is in the log. */
    upToDate(): Promise<void>;
  };

export function openRetention(deps: Deps): Retention {
  const { trial = {}, signal, log } = deps;
  const now = trial.now ?? Date.now;
  const due: DueDeps = { ...deps, now };
  let working = Promise.resolve();
  const keepOn = (held: AbortSignal): Promise<void> =>
    repeatedly(() => round(deps, due, held), {
      pauseMs: trial.everyMs ?? roundEveryMs,
      signal: held,
      onFailure: (error) => log.warn({ err: error }, 'retention was not completed; trying again'),
    });
  return {
    now,
    dueNow: (owner) => dueNowOf(due, owner),
    dueUntil: (owner, until) => dueUntil(due, owner, { until, held: true }),
    rulesOf: (owner) => rulesOf(due, owner),
    begin: () => void audioAtOneNode(deps, 'retention', signal, (held) => (working = keepOn(held))),
    settled: () => working,
  };
}

async function dueNowOf(deps: DueDeps, owner: string): Promise<DueNow> {
  const all = await dueUntil(deps, owner, { until: deps.now(), held: false });
  const { confirmedBefore } = await deps.order.of(owner);
  const before = confirmedBefore === null ? 0 : Date.parse(confirmedBefore);
  const rest = all.filter(({ at }) => at >= before);
  const isSmall =
    rest.length <= askedBeyond && (await libraryAtLeast(deps, owner, rest.length * 10));
  if (isSmall) return { going: all, waiting: [] };
  return { going: all.filter(({ at }) => at < before), waiting: rest };
}

/** Oldest first, of one owner after the other; what fails is tried again with the next round. */
async function round(deps: Deps, due: DueDeps, signal: AbortSignal): Promise<void> {
  const { accounts, log, upToDate } = deps;
  await upToDate();
  await accounts.takeIn();
  let left = deps.trial?.roundMax ?? roundMaxDefault;
  // Also guest, and who was deleted and left some: the periods of the server hold for them too.
  for (const owner of (await recordingsByOwner(deps.storage)).keys()) {
    if (signal.aborted || left <= 0) return;
    const rules = await rulesOf(due, owner);
    const { going } = await dueNowOf(due, owner);
    // Not only as many as may be taken: some of these may fail.
    for (const one of going) {
      if (signal.aborted || left <= 0) return;
      // Who gave another period meanwhile is heard.
      if (!isDeepStrictEqual(await rulesOf(due, owner), rules)) break;
      const isTaken = await take(deps, due, { owner, one }).then(
        () => true,
        (error: unknown) => {
          if (signal.aborted || error instanceof CommandRefused || error instanceof NotDue)
            return false;
          log.warn({ err: error, recordingId: one.recordingId }, 'retention failed; trying again');
          return false;
        },
      );
      // What fails again and again takes nobody else's place.
      if (isTaken) left -= 1;
    }
  }
}

/** It is protected, put elsewhere, of another day, goes on or is somebody else's by now: nothing was taken. */
class NotDue extends Error {
  override name = 'NotDue';
}

/** Decided on its newest state: what people did meanwhile counts. */
async function take(
  { recordingService, log, trial, upToDate }: Deps,
  due: DueDeps,
  { owner, one }: { owner: string; one: DuePart },
): Promise<void> {
  const { recordingId, part, rule, days, folder, startedAt: started_at, kind, duration } = one;
  const taken: Taken = { owner, rule, days, folder, started_at, kind, seconds: duration };
  const command = `retention-${part}-${rule}-${recordingId}`;
  await trial?.beforeTaking?.(recordingId);
  // The round may have listed it long ago.
  await upToDate();
  if (!(await isStillDue(due, owner, one))) throw new NotDue();
  const { now } = due;
  const stays = (recording: Recording, state: string): boolean =>
    (!isIn(state, 'idle.saved') && !isIn(state, 'idle.kept')) ||
    recording.files.owner !== owner ||
    orderOf(recording).folder !== one.in;
  if (part === 'audio') {
    const isRemoved = await recordingService.removeAudio(recordingId, {
      command,
      decide: (recording, state) =>
        stays(recording, state) || heldBy(recording, now()) ? undefined : taken,
    });
    if (!isRemoved) throw new NotDue();
  } else {
    const decision: DecideRecording = (recording, state) => {
      const held = heldBy(recording, now());
      if (held) return held;
      if (stays(recording, state)) throw new NotDue();
      return [{ type: 'recording.erased', data: { retention: taken } }];
    };
    const { left } = await recordingService.erase(recordingId, { by: 'system', command }, decision);
    if (left.length > 0)
      log.warn({ recordingId, count: left.length }, 'changed copies stay in a notes folder');
  }
  log.info({ category: 'security', recordingId, part, rule, days }, 'deleted by retention');
}
