import { hasCode } from '../shared/errors.ts';
import * as z from 'zod';
import { setTimeout as delay } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { EventLog } from '../../events/log/level-log.ts';
import type { KeyStore } from '../../events/key-store.ts';
import { streamNames } from '../../events/log/streams.ts';
import type { DataFolder } from '../shared/data-directory.ts';
import type { Log } from '../shared/log.ts';
import { checkKeys } from './verify-files.ts';
import {
  type ServiceHealth,
  type VerifyReport,
  checkStream,
  healthOf,
  verifyData,
} from './verify.ts';
import { type Finding, type Findings, openFindings, findingPlace } from './findings.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import { harmedTables } from './tables/tables.ts';
import { writeDurably } from '../shared/files.ts';
import { mutex } from '../shared/mutex.ts';

/** Looks through everything again and again, slowly, beside the service's work. */
export type Scrub = {
  /** How far it is, for those who watch: position in the log, last pass through everything. */
  progress(): Readonly<ScrubState> & { head: number };
  health(): ServiceHealth;
  /** Everything at once, as a person asked for; the scrub learns from it. */
  verify(): Promise<VerifyReport>;
  /** One step of the scrub: a batch of records, or one stream's files. Answers false when all is done for now. */
  step(): Promise<boolean>;
  /** Aborted when the service stops: what works for a command gives up. */
  readonly stopping: AbortSignal;
  stop(): Promise<void>;
};

export type ScrubPace = {
  /** Records looked at in one step. */
  records: number;
  /** Between two steps, and after each MiB of audio, in milliseconds. */
  pauseMs: number;
  /** Between looks when nothing is due. */
  idleMs: number;
  /** A pass through everything begins this long after the last was completed. */
  everyMs: number;
};

/** A million records take seven minutes, an hour of kept 16-bit audio (115 MB) 25 s. */
const gentle: ScrubPace = { records: 500, pauseMs: 200, idleMs: 60_000, everyMs: 86_400_000 };

/**
 * Starts the scrub. It goes on where it was before a restart, keeps up with new records, and reports
 * damage once in the service's log. It repairs nothing.
 */
export async function startScrub(deps: {
  store: EventLog;
  keys: KeyStore;
  data: DataFolder;
  log: Log;
  /** Recordings that could not be taken up at the start, and why. */
  notTakenUp: () => [recordingId: string, reason: string][];
  clock?: () => Date;
  pace?: ScrubPace;
  /** For tests, which take the steps themselves. */
  manual?: boolean;
}): Promise<Scrub> {
  const { store, data, log, pace = gentle, clock = () => new Date() } = deps;
  const read = await readScrubState(data.root);
  let state = read?.log === store.id ? read : newScrubState(store.id);
  if (store.health().damage.every(({ kind }) => kind === 'key')) state.damagedAt = null;
  let inFiles = openFindings();
  let passing: Findings = openFindings();
  const reported = new Set<string>();
  const oneAtATime = mutex();
  /** One at a time: who asks meanwhile gets the same report. */
  let verifying: Promise<VerifyReport> | undefined;
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = () => delay(pace.pauseMs, undefined, { signal }).catch(() => undefined);

  const health = () =>
    healthOf(store, [...deps.notTakenUp().map(asFinding), ...inFiles.list.filter(isMissed)]);
  const isMissed = ({ kind, path = '' }: Finding): boolean =>
    kind !== 'key' || !deps.keys.isErased(basename(path));
  reportDamage();
  const running = deps.manual === true ? Promise.resolve() : run();

  return {
    progress: () => ({ ...state, head: store.head() }),
    health,
    verify: () => (verifying ??= verify().finally(() => (verifying = undefined))),
    step,
    stopping: signal,
    async stop() {
      stopping.abort();
      await running;
    },
  };

  async function verify(): Promise<VerifyReport> {
    const head = store.head();
    const report = await verifyData(deps, signal);
    inFiles = openFindings();
    for (const finding of report.findings) if (isInFiles(finding)) inFiles.add(finding);
    const verified = firstDamage() === null ? Math.max(state.verified, head) : state.verified;
    await keep({ verified, completedAt: clock().toISOString(), position: 0, stream: null });
    return report;
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        if (await step()) await pause();
        else await delay(pace.idleMs, undefined, { signal }).catch(() => undefined);
      } catch (error) {
        if (signal.aborted) return;
        // The log is being opened again, or the disk has trouble: it is tried again later.
        log.warn({ err: error }, 'the scrub could not go on');
        await delay(pace.idleMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async function step(): Promise<boolean> {
    const head = store.head();
    if (state.verified < head && firstDamage() === null) {
      const { position } = await checkRecords(state.verified);
      await keep({ verified: firstDamage() === null ? position : state.verified });
      return true;
    }
    if (!due()) {
      await keep({});
      return false;
    }
    const { completedAt: pass } = state;
    if (state.position < head && state.stream === null) {
      const { position } = await checkRecords(state.position);
      // Unless a person's verify has completed the pass meanwhile.
      if (state.completedAt === pass) await keep({ position });
      return true;
    }
    return await nextStream(pass);
  }

  /** One record before is looked at again, so that the link between two steps is checked too. */
  function checkRecords(after: number) {
    return store.verify({
      afterPosition: Math.max(0, after - 1),
      upToPosition: Math.min(store.head(), after + pace.records),
      signal,
    });
  }

  async function nextStream(pass: string | null): Promise<boolean> {
    for await (const stream of streamNames(store.db, state.stream ?? undefined)) {
      await checkStream(deps, stream, (finding) => passing.add(finding), pause);
      if (!signal.aborted && state.completedAt === pass) await keep({ stream });
      return true;
    }
    await checkKeys(deps, (finding) => passing.add(finding), pause);
    const harmed = await harmedTables(data.log, { pause, signal });
    for (const { findings } of harmed) findings.forEach(passing.add);
    inFiles = openFindings();
    for (const finding of passing.list) if (isInFiles(finding)) inFiles.add(finding);
    passing = openFindings();
    await keep({ position: 0, stream: null, completedAt: clock().toISOString() });
    return false;
  }

  function due(): boolean {
    const { completedAt } = state;
    return completedAt === null || clock().getTime() - Date.parse(completedAt) >= pace.everyMs;
  }

  /** The first damaged position; 1 for damage that has none; null when the log is sound. */
  function firstDamage(): number | null {
    const places = store
      .health()
      .damage.filter(({ kind }) => kind !== 'key')
      .map(({ position }) => position ?? 1);
    return places.length === 0 ? null : Math.min(...places);
  }

  async function keep(change: Partial<ScrubState>): Promise<void> {
    for (const finding of passing.list) if (isInFiles(finding)) inFiles.add(finding);
    reportDamage();
    const next = { ...state, ...change, damagedAt: firstDamage() ?? state.damagedAt };
    if (JSON.stringify(next) === JSON.stringify(state)) return;
    state = next;
    // One after the other: a command's verify and a step may both have something to remember.
    await oneAtATime(() => writeScrubState(data.root, state));
  }

  /** Each damage once, with what to do. */
  function reportDamage(): void {
    const { damage, advice } = health();
    const fresh = damage.filter((one) => {
      const identity = `${one.kind} ${findingPlace(one)} ${one.what}`;
      if (reported.has(identity)) return false;
      reported.add(identity);
      return true;
    });
    if (fresh.length > 0) log.error({ damage: fresh.slice(0, 20), advice }, 'damage was found');
  }
}

const isInFiles = ({ kind, severity }: { kind: string; severity: string }): boolean =>
  severity === 'damage' && kind !== 'record' && kind !== 'index';

const stateSchema = z.object({
  /** Id of the log it is about; of another log it says nothing. */
  log: z.string(),
  /** Every record up to here was found sound, the one after it too unless it is damaged. */
  verified: z.number().int().nonnegative(),
  /** The damaged position that comes first, as long as it is not known to be sound again. */
  damagedAt: z.number().int().positive().nullable(),
  /** How far the present pass has come: in the log, then by streams' names through files and keys. */
  position: z.number().int().nonnegative(),
  stream: z.string().nullable(),
  /** When a pass through everything was last completed, RFC 3339 UTC. */
  completedAt: z.string().nullable(),
});

const newScrubState = (log: string): ScrubState => ({
  log,
  verified: 0,
  damagedAt: null,
  position: 0,
  stream: null,
  completedAt: null,
});

/**
 * What is remembered; undefined when there is nothing usable. It can be lost without harm: everything
 * is looked at again.
 */
export async function readScrubState(dataDir: string): Promise<ScrubState | undefined> {
  let text: string;
  try {
    text = await readFile(pathIn(dataDir), 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch {
    // Not an error: a state that cannot be read says as much as none.
    return undefined;
  }
}

const writeScrubState = (dataDir: string, state: ScrubState): Promise<void> =>
  writeDurably(pathIn(dataDir), `${JSON.stringify(state)}\n`);

/**
 * Records checked at open at most when nothing is known to be damaged; the scrub does the rest. More where
 * the last process did not close the log: what it wrote last is the likeliest to be harmed.
 */
const checkedAfterCleanEnd = 1_000;
const checkedAtOpenMax = 10_000;

/**
 * What `openLog` needs to know: from where on records have not been checked. Damage that was found
 * before is found again at once, wherever it is.
 */
export function openingCheck(
  state: ScrubState | undefined,
  { cleanEnd }: { cleanEnd: boolean },
): { verifiedPosition: number; checkedAtOpenMax?: number } | Record<string, never> {
  if (state === undefined) return {};
  if (state.damagedAt !== null) {
    return { verifiedPosition: Math.max(0, Math.min(state.verified, state.damagedAt - 2)) };
  }
  return {
    verifiedPosition: state.verified,
    checkedAtOpenMax: cleanEnd ? checkedAfterCleanEnd : checkedAtOpenMax,
  };
}

const pathIn = (dataDir: string): string => join(dataDir, scrubStateFile);
/** Beside the log; not part of a backup. */
export const scrubStateFile = 'scrub.json';

/** What the scrub remembers across restarts. */
type ScrubState = z.infer<typeof stateSchema>;

const asFinding = ([recordingId, reason]: [string, string]): Finding => ({
  kind: 'recording',
  severity: 'damage',
  stream: recordingStream(recordingId),
  what: `It could not be taken up: ${reason} The next start tries again.`,
});
