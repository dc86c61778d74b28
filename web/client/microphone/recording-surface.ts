/**
 * What is recorded, here or elsewhere, in one word, with all that is said of it: one model for the bar, the large
 * control and what screen readers hear.
 */
import type { BrowserRecording } from './browser-recording.ts';
import { interruptedMs } from './sound.ts';

export type SurfaceState =
  | 'opening'
  | 'recording'
  | 'silent'
  | 'interrupted'
  | 'gone'
  | 'network'
  | 'memory'
  | 'paused'
  | 'held'
  | 'ending'
  | 'foreign'
  | 'elsewhere'
  | 'room';

export type Surface = {
  state: SurfaceState;
  recordingId: string | null;
  seconds: number;
  /** Since when, in milliseconds since 1970, and how many seconds that is. */
  since: number;
  lasting: number;
  /** Seconds that only this browser has. */
  waiting: number;
  /** Whether each sample that was heard would outlive this page, and one came just now. */
  isSafe: boolean;
  level: BrowserRecording['level'] | null;
  /** The device that is recorded in `room`. */
  room: string | null;
  /** The last time that nothing was heard. */
  missed: BrowserRecording['missed'];
  isPaused: boolean;
  isDevice: boolean;
};

/** Recorded by a device, or another browser, as the service says it. */
export type Running = { recording_id: string; device: string | null; paused: boolean };

export type SurfaceInput = {
  here: BrowserRecording | null;
  running: Running | null;
  /** Seconds of what runs elsewhere. */
  runningSeconds: number;
  /** The service's id of what was ended here last. */
  ended: string | null;
  /** Who is logged in; undefined: nobody. */
  user: string | undefined;
  /** Milliseconds since 1970. */
  now: number;
};

/** Acknowledged is so far behind, in seconds, that it is said. */
const behind = 5;
/** What may be on its way to this browser's disk, in seconds. */
const onItsWay = 1;

/** Null: nothing is recorded that this person may know of. */
export function surfaceOf(input: SurfaceInput): Surface | null {
  const { here } = input;
  if (here !== null) return surfaceHere(here, input);
  const running = runningElsewhere(input);
  if (running === null) return null;
  return {
    state: running.device === null ? 'elsewhere' : 'room',
    recordingId: running.recording_id,
    seconds: input.runningSeconds,
    since: input.now,
    lasting: 0,
    waiting: 0,
    isSafe: false,
    level: null,
    room: running.device,
    missed: null,
    isPaused: running.paused,
    isDevice: running.device !== null,
  };
}

/** What runs and is not of this browser: not what it records, nor what it ended a moment ago. */
export function runningElsewhere<Of extends Running>({
  here,
  running,
  ended,
}: {
  here: Pick<BrowserRecording, 'recordingId'> | null;
  running: Of | null;
  ended: string | null;
}): Of | null {
  const id = running?.recording_id;
  return id === here?.recordingId || id === ended ? null : running;
}

function surfaceHere(here: BrowserRecording, { user, now }: SurfaceInput): Surface {
  const waiting = Math.max(0, here.seconds - here.onDisk);
  const state = stateHere(here, waiting, user);
  const since = ['silent', 'interrupted', 'gone'].includes(state) ? here.sound.since : here.since;
  const { blockAt } = here.sound;
  return {
    state,
    recordingId: here.recordingId,
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
    level: here.level,
    room: null,
    missed: here.missed,
    isPaused: here.state === 'paused',
    isDevice: false,
  };
}

function stateHere(
  here: BrowserRecording,
  waiting: number,
  user: string | undefined,
): SurfaceState {
  if (user !== undefined && user !== here.user) return 'foreign';
  if (here.state === 'starting') return 'opening';
  if (here.state !== 'recording') return here.state;
  const { state } = here.sound;
  if (state === 'opening' || state === 'gone' || state === 'interrupted') return state;
  if (here.inMemory) return 'memory';
  if (waiting > behind) return 'network';
  return state === 'silent' ? 'silent' : 'recording';
}

export type Said =
  | { key: 'started' | 'stopped' | 'paused' | 'resumed' | 'sent' | 'isSilent'; danger: false }
  | { key: 'continues'; danger: false; missed: { from: number; to: number } | null }
  | { key: 'interrupted' | 'gone' | 'behind' | 'memory'; danger: true };

/** What is dangerous to what is heard, and over as soon as it is heard again. */
const broken = ['interrupted', 'gone'];
/** After so many seconds a recording that only this browser has is said to be in danger. */
const saidBehind = 10;
/** After so many seconds silence is said. */
const saidSilent = 120;

/** What is said aloud when one follows the other; each once, as it becomes so. */
export function saidOf(before: Surface | null, after: Surface | null): Said | null {
  if (after === null)
    return before === null || ['ending', 'opening', 'foreign'].includes(before.state)
      ? null
      : { key: 'stopped', danger: false };
  const crosses = (value: (surface: Surface) => number, limit: number) =>
    value(after) >= limit && (before === null || value(before) < limit);
  if (after.state !== before?.state) {
    switch (after.state) {
      case 'interrupted':
      case 'gone':
      case 'memory':
        return { key: after.state, danger: true };
      case 'ending':
        return { key: 'stopped', danger: false };
      case 'paused':
        return { key: 'paused', danger: false };
      case 'recording':
      case 'network':
      case 'silent':
        if (before === null || before.state === 'opening') return { key: 'started', danger: false };
        if (before.isPaused || before.state === 'held') return { key: 'resumed', danger: false };
        if (broken.includes(before.state))
          return { key: 'continues', danger: false, missed: after.missed };
        if (before.state === 'network' && after.state === 'recording' && before.waiting > behind)
          return { key: 'sent', danger: false };
        break;
      case 'room':
        if (before === null) return { key: 'started', danger: false };
    }
  }
  if (after.state === 'network' && crosses(({ waiting }) => waiting, saidBehind))
    return { key: 'behind', danger: true };
  const silentFor = (surface: Surface) => (surface.state === 'silent' ? surface.lasting : 0);
  return crosses(silentFor, saidSilent) ? { key: 'isSilent', danger: false } : null;
}
