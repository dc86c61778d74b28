/**
 * What is recorded, here or elsewhere, in one word, with all that is said of it: one model for the bar, the buttons that
 * begin and what screen readers hear.
 */
import { type Session, isOwnedBy } from '../session.ts';
import { type BrowserRecording, type Trouble, isOfAnother } from './browser-recording.ts';
import { interruptedMs } from './sound.ts';

export type SurfaceState =
  | 'opening'
  /** Nothing is recorded: this browser cannot, or may not. */
  | 'denied'
  | 'recording'
  | 'silent'
  | 'interrupted'
  | 'gone'
  | 'network'
  | 'memory'
  | 'paused'
  | 'held'
  | 'ending'
  /** It has ended otherwise than a person wanted; `full`: since there is no room. */
  | 'ended'
  | 'full'
  | 'foreign'
  | 'elsewhere'
  | 'room';

export type Surface = {
  state: SurfaceState;
  recordingId: string | null;
  title: string | null;
  kind: 'solo' | 'meeting';
  /** Milliseconds since 1970; null: it never began. */
  startedAt: number | null;
  seconds: number;
  /** Since when, in milliseconds since 1970, and how many seconds that is. */
  since: number;
  lasting: number;
  /** Seconds that only this browser has. */
  waiting: number;
  /** Whether each sample that was heard would outlive this page, and one came just now. */
  isSafe: boolean;
  /** Whether this browser's disk takes no more: what is not sent yet is gone with this page. */
  inMemory: boolean;
  level: BrowserRecording['level'] | null;
  /** What records elsewhere: the device in `room`, a browser or desk in `elsewhere`, where it is known. */
  recorder: string | null;
  /** The last time that nothing was heard. */
  missed: BrowserRecording['missed'];
  isPaused: boolean;
  /** Of microphone and tab only the microphone is left. */
  isTabLost: boolean;
  /** What stands in its way, or why it has ended. */
  trouble: Trouble | null;
  /** What the service says is wrong with it, in its words. */
  warning: string | null;
};

/** Recorded by a device, or another browser, as the service says it. */
export type Running = {
  recording_id: string;
  kind: 'solo' | 'meeting';
  title: string | null;
  started_at: string;
  device: string | null;
  /** What a browser or desk is called. */
  recorder?: string | null;
  paused: boolean;
  /** Now. */
  seconds: number;
  warning: string | null;
};

export type SurfaceInput = {
  here: BrowserRecording | null;
  /** All that run for this person, as the service says it. */
  running: readonly Running[];
  /** The service's ids of what was ended here last. */
  ended: ReadonlySet<string>;
  trouble: Trouble | null;
  /** Null: nobody is logged in. */
  login: Pick<Session, 'username' | 'user_id'> | null;
  /** Milliseconds since 1970. */
  now: number;
};

/** Acknowledged is so far behind, in seconds, that it is said. */
const behind = 5;
/** What may be on its way to this browser's disk, in seconds. */
const onItsWay = 1;
/** A microphone that opens sooner was never waited for, in milliseconds. */
const openingMs = 300;

/** In these nothing is recorded, and something can be begun. */
const over: ReadonlySet<SurfaceState> = new Set(['denied', 'ended', 'full']);

/** Whether anything is recorded, or may go on. Of what is ending only the rest is sent: another can be begun. */
export const isRecording = (surface: Surface | null): surface is Surface =>
  surface !== null && surface.state !== 'ending' && !over.has(surface.state);

/** All that is recorded that this person may know of, this browser's first; else what stands in the way of it. */
export function surfacesOf(input: SurfaceInput): Surface[] {
  const { here, trouble } = input;
  const others = runningElsewhere(input).map((one) => surfaceElsewhere(one, input.now));
  // What has just gone wrong here comes before what goes on elsewhere, or is still sent.
  const isTold =
    here === null || (here.state === 'ending' && isOfAnother(trouble, here.recordingId));
  const told = isTold ? surfaceOfTrouble(input) : null;
  const mine = told ?? (here === null ? null : surfaceHere(here, input));
  return mine === null ? others : [mine, ...others];
}

/** What runs and is not of this browser: not what it records, nor what it ended a moment ago. */
function runningElsewhere({ here, running, ended }: SurfaceInput): Running[] {
  return running.filter(({ recording_id: id }) => id !== here?.recordingId && !ended.has(id));
}

const nothing = {
  recordingId: null,
  title: null,
  kind: 'meeting',
  startedAt: null,
  seconds: 0,
  lasting: 0,
  waiting: 0,
  isSafe: false,
  inMemory: false,
  level: null,
  recorder: null,
  missed: null,
  isPaused: false,
  isTabLost: false,
  trouble: null,
  warning: null,
} as const satisfies Partial<Surface>;

function surfaceElsewhere(running: Running, now: number): Surface {
  return {
    ...nothing,
    state: running.device === null ? 'elsewhere' : 'room',
    recordingId: running.recording_id,
    title: running.title,
    kind: running.kind,
    startedAt: Date.parse(running.started_at),
    seconds: running.seconds,
    since: now,
    recorder: running.device ?? running.recorder ?? null,
    isPaused: running.paused,
    warning: running.warning,
  };
}

function surfaceOfTrouble({ trouble, now }: SurfaceInput): Surface | null {
  if (trouble === null) return null;
  const shown = { ...nothing, since: now, trouble };
  if (trouble.code !== 'ended') return { ...shown, state: 'denied' };
  const isFull = /^(?:disk|space)-/.test(trouble.detail);
  const { recordingId, seconds } = trouble;
  return { ...shown, state: isFull ? 'full' : 'ended', recordingId, seconds };
}

function surfaceHere(here: BrowserRecording, input: SurfaceInput): Surface | null {
  const { login, now, trouble, running } = input;
  const waiting = Math.max(0, here.seconds - here.onDisk);
  const state = stateHere(here, waiting, login);
  if (here.state === 'starting' && now - here.since < openingMs) return null;
  const since = ['silent', 'interrupted', 'gone'].includes(state) ? here.sound.since : here.since;
  const { blockAt } = here.sound;
  return {
    ...nothing,
    state,
    recordingId: here.recordingId,
    title: running.find(({ recording_id: id }) => id === here.recordingId)?.title ?? null,
    kind: here.kind,
    startedAt: Date.parse(here.startedAt),
    seconds: here.seconds,
    since,
    lasting: Math.max(0, (now - since) / 1000),
    waiting,
    isSafe:
      here.state === 'recording' &&
      (here.sound.state === 'heard' || here.sound.state === 'silent') &&
      blockAt !== null &&
      now - blockAt <= interruptedMs &&
      here.seconds - Math.max(here.safe, here.onDisk) <= onItsWay,
    inMemory: here.inMemory,
    level: here.level,
    missed: here.missed,
    isPaused: here.state === 'paused',
    isTabLost: here.lost === 'tab',
    trouble,
  };
}

function stateHere(
  here: BrowserRecording,
  waiting: number,
  login: SurfaceInput['login'],
): SurfaceState {
  if (login !== null && !isOwnedBy(here, login)) return 'foreign';
  if (here.state === 'starting') return 'opening';
  if (here.state !== 'recording') return here.state;
  const { state } = here.sound;
  if (state === 'opening' || state === 'gone' || state === 'interrupted') return state;
  if (here.inMemory) return 'memory';
  if (waiting > behind) return 'network';
  return state === 'silent' ? 'silent' : 'recording';
}

export type Said =
  /** `stoppedUnsent`: some of it is only here. In danger: no person stopped it. */
  | { key: 'stopped' | 'stoppedUnsent'; danger: boolean }
  | { key: 'started' | 'paused' | 'resumed' | 'sent' | 'isSilent'; danger: false }
  | { key: 'continues'; danger: false; missed: { from: number; to: number } | null }
  | { key: 'interrupted' | 'gone' | 'behind' | 'memory'; danger: true }
  /** Said as the bar says it. */
  | { key: 'asShown'; danger: true };

/** What is dangerous to what is heard, and over as soon as it is heard again. */
const broken = ['interrupted', 'gone'];
/** After so many seconds a recording that only this browser has is said to be in danger. */
const saidBehind = 10;
/** After so many seconds silence is said. */
const saidSilent = 120;
/** Of what ends in these nothing more is to be said. */
const saidBefore: readonly SurfaceState[] = [
  'ending',
  'opening',
  'foreign',
  'denied',
  'ended',
  'full',
];

/**
 * What is said aloud when one follows the other; each once, as it becomes so.
 * @param discarded the service's id of what was deleted last: no note comes of it
 */
export function saidOf(
  before: Surface | null,
  after: Surface | null,
  discarded?: string | null,
): Said | null {
  // Behind one that is over the rest of an earlier one is shown: that it was stopped is said already.
  const isEarlier = after?.state === 'ending' && before?.startedAt !== after.startedAt;
  if (after === null || (isEarlier && before !== null)) {
    const isOver = before === null || saidBefore.includes(before.state);
    return isOver || before.recordingId === discarded ? null : { key: 'stopped', danger: false };
  }
  if (after.state !== before?.state) {
    const said = saidOfState(before, after);
    if (said !== null) return said;
  }
  const crosses = (value: (surface: Surface) => number, limit: number) =>
    value(after) >= limit && (before === null || value(before) < limit);
  if (after.state === 'network' && crosses(({ waiting }) => waiting, saidBehind))
    return { key: 'behind', danger: true };
  const silentFor = (surface: Surface) => (surface.state === 'silent' ? surface.lasting : 0);
  return crosses(silentFor, saidSilent) ? { key: 'isSilent', danger: false } : null;
}

const reopens = (before: Surface | null) => before?.state === 'opening' && before.seconds > 0;

function saidOfState(before: Surface | null, after: Surface): Said | null {
  switch (after.state) {
    case 'denied':
    case 'ended':
    case 'full':
      return { key: 'asShown', danger: true };
    case 'interrupted':
    case 'gone':
    case 'memory':
      return { key: after.state, danger: true };
    case 'ending':
      return {
        key: after.waiting >= 1 ? 'stoppedUnsent' : 'stopped',
        danger: after.trouble?.code === 'no-storage',
      };
    case 'paused':
      return { key: 'paused', danger: false };
    case 'recording':
    case 'network':
    case 'silent':
      // After a pause the microphone is opened anew.
      if (before?.isPaused || before?.state === 'held' || reopens(before))
        return { key: 'resumed', danger: false };
      if (before === null || ['opening', ...over].includes(before.state))
        return { key: 'started', danger: false };
      if (broken.includes(before.state))
        return { key: 'continues', danger: false, missed: after.missed };
      if (before.state === 'network' && after.state === 'recording' && before.waiting > behind)
        return { key: 'sent', danger: false };
      return null;
    case 'room':
      return before === null || over.has(before.state) ? { key: 'started', danger: false } : null;
    default:
      return null;
  }
}
