import { setTimeout as delay } from 'node:timers/promises';
import { basename, join } from 'node:path';
import * as z from 'zod';
import type { EventLog } from '../../events/event-log.ts';
import type { KeyStore } from '../../events/key-store.ts';
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
import { type KeptPlace, keptFiles } from './kept-files.ts';
import { type Finding, type Findings, findingAnswer, openFindings } from './findings.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import { harmedTables } from './tables/tables.ts';
import { mutex } from '../shared/mutex.ts';
import { writeDurably } from '../shared/files.ts';
import { readJsonFile } from '../shared/json.ts';
import { sayWhole } from '../words/say.ts';
import { finding } from '../words/findings.ts';

/** Looks through everything again and again, slowly, beside the service's work. */
export type Scrub = {
  /** How far it is, for those who watch: position in the log, last pass through everything. */
  progress(): Readonly<ScrubState>;
  health(): ServiceHealth;
  /** Everything at once, as a person asked for; the scrub learns from it. */
  verify(): Promise<VerifyReport>;
  /** One step of the scrub: a batch of records, or one stream's files. Answers false when all is done for now. */
  step(): Promise<boolean>;
  /** Aborted when the service stops: what works for a command gives up. */
  readonly stopping: AbortSignal;
  stop(): Promise<void>;
};

type ScrubPace = {
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
export async function startScrub(deps: ScrubDeps): Promise<Scrub> {
  const { store, data } = deps;
  const read = await readScrubState(data.root);
  const state = read?.log === store.id ? read : newScrubState(store.id);
  const stopping = new AbortController();
  const scrub: Scrubbing = {
    pace: gentle,
    clock: () => new Date(),
    ...deps,
    state,
    inFiles: findingsOf(state.inFiles),
    passing: findingsOf(state.passing),
    isRecheckDue: state.inFiles.length > 0,
    reported: new Set(),
    inTurn: mutex(),
    signal: stopping.signal,
  };
  if (store.health().damage.every(({ kind }) => kind === 'key')) scrub.state.damagedAt = null;
  reportDamage(scrub);
  const running = deps.manual === true ? Promise.resolve() : run(scrub);
  /** One at a time: a caller that asks meanwhile gets the same report. */
  let verifying: Promise<VerifyReport> | undefined;
  return {
    progress: () => scrub.state,
    health: () => healthIn(scrub),
    verify: () => (verifying ??= verifyAll(scrub).finally(() => (verifying = undefined))),
    step: () => step(scrub),
    stopping: stopping.signal,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** As far as it is looked at: where it is and what is wrong are only said. */
const storedFinding = z.looseObject({
  severity: z.literal('damage'),
  kind: z.string(),
  said: z.looseObject({ code: z.string() }),
});
const damageSchema = z.array(z.custom<Finding>((value) => storedFinding.safeParse(value).success));

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
  /** Damage beside the log that is known, and what of it the present pass has found. */
  inFiles: damageSchema.default([]),
  passing: damageSchema.default([]),
});

const newScrubState = (log: string): ScrubState => ({
  log,
  verified: 0,
  damagedAt: null,
  position: 0,
  stream: null,
  completedAt: null,
  inFiles: [],
  passing: [],
});

/**
 * What is remembered; undefined when there is nothing usable. It can be lost without harm: everything
 * is looked at again.
 */
export const readScrubState = (dataDir: string): Promise<ScrubState | undefined> =>
  readJsonFile(pathIn(dataDir), stateSchema);

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

type ScrubDeps = Pick<KeptPlace, 'blobs'> & {
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
};

type Scrubbing = Omit<ScrubDeps, 'manual'> & {
  clock: () => Date;
  pace: ScrubPace;
  state: ScrubState;
  /** What the last pass found, and what the present one has found so far. */
  inFiles: Findings;
  passing: Findings;
  /** Damage is known from before the start: it may have been mended. */
  isRecheckDue: boolean;
  /** Damage that is in the service's log already. */
  reported: Set<string>;
  inTurn: ReturnType<typeof mutex>;
  signal: AbortSignal;
};

const wait = (ms: number, { signal }: Scrubbing): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);

function healthIn({ store, keys, notTakenUp, inFiles }: Scrubbing): ServiceHealth {
  const isMissed = ({ kind, path = '' }: Finding): boolean =>
    kind !== 'key' || !keys.isErased(basename(path));
  return healthOf(store, [...notTakenUp().map(asFinding), ...inFiles.list.filter(isMissed)]);
}

async function verifyAll(scrub: Scrubbing): Promise<VerifyReport> {
  const { store } = scrub;
  const head = await store.head();
  const report = await verifyData(scrub, scrub.signal);
  scrub.inFiles = findingsOf(report.findings);
  scrub.passing = openFindings();
  scrub.isRecheckDue = false;
  const before = scrub.state.verified;
  const verified = firstDamage(store) === null ? Math.max(before, head) : before;
  const completedAt = scrub.clock().toISOString();
  await keep(scrub, { verified, completedAt, position: 0, stream: null });
  return report;
}

async function run(scrub: Scrubbing): Promise<void> {
  const { signal, pace, log } = scrub;
  while (!signal.aborted) {
    try {
      await wait((await step(scrub)) ? pace.pauseMs : pace.idleMs, scrub);
    } catch (error) {
      if (signal.aborted) return;
      // The log is being opened again, or the disk has trouble: it is tried again later.
      log.warn({ err: error }, 'background check was interrupted');
      await wait(pace.idleMs, scrub);
    }
  }
}

async function step(scrub: Scrubbing): Promise<boolean> {
  const { store, state } = scrub;
  const head = await store.head();
  if (state.verified < head && firstDamage(store) === null) {
    const { position } = await checkRecords(scrub, state.verified);
    await keep(scrub, { verified: firstDamage(store) === null ? position : scrub.state.verified });
    return true;
  }
  if (!isDue(scrub)) {
    await keep(scrub, {});
    return false;
  }
  const { completedAt: pass } = state;
  if (state.position < head && state.stream === null) {
    const { position } = await checkRecords(scrub, state.position);
    // Unless a person's verify has completed the pass meanwhile.
    if (scrub.state.completedAt === pass) await keep(scrub, { position });
    return true;
  }
  return await nextStream(scrub, pass);
}

/** One record before is looked at again, so that the link between two steps is checked too. */
async function checkRecords({ store, pace, signal }: Scrubbing, after: number) {
  return await store.verify({
    afterPosition: Math.max(0, after - 1),
    upToPosition: Math.min(await store.head(), after + pace.records),
    signal,
  });
}

async function nextStream(scrub: Scrubbing, pass: string | null): Promise<boolean> {
  // A person's verify may put an empty one in its place: what is found for the former belongs to no pass any more.
  const { store, data, state, signal, pace, passing } = scrub;
  const pause = () => wait(pace.pauseMs, scrub);
  const found = (finding: Finding) => passing.add(finding);
  for await (const stream of store.streams(state.stream ?? undefined)) {
    await checkStream(scrub, stream, found, pause);
    if (!signal.aborted && scrub.state.completedAt === pass) await keep(scrub, { stream });
    return true;
  }
  await checkKeys({ ...scrub, kept: keptFiles(scrub) }, found, pause);
  const harmed = await harmedTables(data.log, { pause, signal });
  for (const { findings } of harmed) findings.forEach(found);
  // A person's verify has completed the pass meanwhile: what it found stands.
  if (scrub.state.completedAt !== pass) return false;
  scrub.inFiles = findingsOf(scrub.passing.list);
  scrub.passing = openFindings();
  scrub.isRecheckDue = false;
  const completedAt = scrub.clock().toISOString();
  await keep(scrub, { position: 0, stream: null, completedAt });
  return false;
}

function isDue({ state: { completedAt }, isRecheckDue, clock, pace }: Scrubbing): boolean {
  if (isRecheckDue || completedAt === null) return true;
  return clock().getTime() - Date.parse(completedAt) >= pace.everyMs;
}

/** The first damaged position; 1 for damage that has none; null when the log is sound. */
function firstDamage(store: Pick<EventLog, 'health'>): number | null {
  const places = store
    .health()
    .damage.filter(({ kind }) => kind !== 'key')
    .map(({ position }) => position ?? 1);
  return places.length === 0 ? null : Math.min(...places);
}

async function keep(scrub: Scrubbing, change: Partial<ScrubState>): Promise<void> {
  const { data, inTurn, store } = scrub;
  for (const finding of scrub.passing.list) if (isInFiles(finding)) scrub.inFiles.add(finding);
  reportDamage(scrub);
  const damagedAt = firstDamage(store) ?? scrub.state.damagedAt;
  const found = {
    inFiles: scrub.inFiles.list.filter(isKept),
    passing: scrub.passing.list.filter(isKept),
  };
  const next = { ...scrub.state, ...change, ...found, damagedAt };
  if (JSON.stringify(next) === JSON.stringify(scrub.state)) return;
  scrub.state = next;
  // One after the other: a command's verify and a step may both have something to remember.
  await inTurn(() => writeScrubState(data.root, scrub.state));
}

/** Each damage once, with what to do. */
function reportDamage(scrub: Scrubbing): void {
  const { reported, log } = scrub;
  const { damage, advice } = healthIn(scrub);
  const fresh = damage.filter((one) => {
    const identity = JSON.stringify(one);
    if (reported.has(identity)) return false;
    reported.add(identity);
    return true;
  });
  if (fresh.length > 0)
    log.error(
      {
        damage: fresh.slice(0, 20).map((one) => findingAnswer(one, 'en')),
        advice: advice.map((one) => sayWhole(one, 'en')),
      },
      'damage found in stored data',
    );
}

/** What is in the log the log itself tells of. */
const inTheLog: ReadonlySet<string> = new Set<Finding['kind']>(['record', 'index', 'user']);

const isInFiles = ({ kind, severity }: Pick<Finding, 'kind' | 'severity'>): boolean =>
  severity === 'damage' && !inTheLog.has(kind);

/** What was left of a document has its title in its path: that goes with the file. */
const isKept = (one: Finding): boolean => isInFiles(one) && one.kind !== 'left';

function findingsOf(list: readonly Finding[]): Findings {
  const findings = openFindings();
  for (const finding of list) if (isInFiles(finding)) findings.add(finding);
  return findings;
}

const asFinding = ([recordingId, reason]: [string, string]): Finding => ({
  kind: 'recording',
  severity: 'damage',
  stream: recordingStream(recordingId),
  said: finding('not-continued', { cause: reason }),
});

/** What the scrub remembers across restarts. */
type ScrubState = z.infer<typeof stateSchema>;
