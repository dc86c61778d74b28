import { ulid } from 'ulid';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Captures } from '../captures.ts';
import type { Settings } from '../../config/environment.ts';
import { StageError } from '../../shared/errors.ts';
import { openListeners } from '../../shared/listeners.ts';
import type { Log } from '../../shared/log.ts';
import { pauseAfter } from '../../shared/pauses.ts';
import { openAlarm, systemClock } from '../../shared/retry.ts';
import { type Pulse, openPulse } from '../pulse/pulse.ts';
import { watchPulse } from '../pulse/watch-pulse.ts';
import { isOwnSource } from '../pulse/combined-chain.ts';
import { type Call, type ProgramSound, callsAfter, nextLook } from './calls-after.ts';

/** What people at this computer are asked: whether to record a call, or to stop since it is over. */
export type CallQuestion = {
  id: string;
  ask: 'record' | 'stop';
  /** As the program calls itself. */
  name: string;
  /** The recording of the call, where it is asked whether to stop it. */
  recording: Call['recording'];
};

/**
 * Notices calls by the audio server's lists: a program that records from a microphone and plays sound. It
 * looks at no window and no process, and begins and ends nothing by itself.
 */
export type Calls = {
  /** What is asked now; null: nothing. */
  question(): CallQuestion | null;
  /** Calls back when that has changed; returns how to stop. */
  onQuestion(listener: () => void): () => void;
  /** The call that is asked about; undefined: it is over, or somebody has answered. */
  asked(id: string): Call | undefined;
  /** Takes an answer. @param recording what was begun for it */
  answered(id: string, recording?: Call['recording']): void;
  /** As long as it says so, calls that begin are not asked about. */
  quietWhile(isQuiet: () => boolean): void;
  stop(): void;
};

export type CallsDeps = {
  env: NodeJS.ProcessEnv;
  settings(): Pick<Settings, 'calls.ask' | 'calls.never'>;
  captures: Pick<Captures, 'held' | 'now' | 'onHeld' | 'combinedLeft'>;
  log: Pick<Log, 'warn'>;
};

/** Between looks for an audio server that is not there. */
const pauses = { first: 2000, max: 60_000 };
/** Between two looks at the lists: a volume that is turned makes many events. Milliseconds. */
const lookEveryMs = 500;
/** Longest pause without an event: no timer takes more than 2^31. */
const longestMs = 24 * 3_600_000;

export function openCalls(deps: CallsDeps): Calls {
  const { env, settings, captures, log } = deps;
  const pulse = openPulse({ env });
  const listeners = openListeners();
  const over = new AbortController();
  let isQuiet = () => false;
  let calls: readonly Call[] = [];
  /** The last recording whose call's end was asked about and answered: it goes on although no call does. One at a time joins both sides. */
  let answeredOf: string | undefined;
  let said: string | undefined;

  const question = () => (settings()['calls.ask'] ? questionIn(calls, captures) : null);
  const tell = () => {
    const next = question();
    const key = next === null ? undefined : `${next.id} ${next.ask}`;
    if (key === said) return;
    said = key;
    listeners.tell();
  };
  const keep = (next: readonly Call[]) => {
    calls = next;
    tell();
  };
  const look = async () => {
    const sounds = settings()['calls.ask'] ? await soundsOf(pulse) : [];
    const isWanted = (program: string) => !settings()['calls.never'].includes(program);
    keep(
      callsAfter(calls, sounds, systemClock.now(), {
        newId: ulid,
        isAsked: (program) => isWanted(program) && captures.held().length === 0 && !isQuiet(),
        recording(program) {
          const recording = isWanted(program) ? captures.combinedLeft() : null;
          return recording?.id === answeredOf ? null : recording;
        },
        isRunning: (recordingId) => captures.now(recordingId) !== null,
      }),
    );
    return nextLook(calls);
  };
  const stopHearing = captures.onHeld(tell);
  void follow({ env, look, signal: over.signal }).catch((error: unknown) => {
    if (!over.signal.aborted) log.warn({ err: error }, 'looking for calls ended');
  });

  return {
    question,
    onQuestion: listeners.add,
    asked: (id) => calls.find((call) => call.id === id && question()?.id === id),
    answered(id, recording = null) {
      const state = recording === null ? 'answered' : 'recorded';
      const over = calls.find((call) => call.id === id && call.state === 'over');
      answeredOf = over?.recording?.id ?? answeredOf;
      keep(
        calls.flatMap((call) => {
          if (call.id !== id) return [call];
          return call.state === 'over' ? [] : [{ ...call, state, recording }];
        }),
      );
    },
    quietWhile: (given) => (isQuiet = given),
    stop() {
      stopHearing();
      over.abort();
    },
  };
}

/** Where no devices are recorded: nothing is noticed. */
export const noCalls: Calls = {
  question: () => null,
  onQuestion: () => () => {},
  asked: () => undefined,
  answered: () => {},
  quietWhile: () => {},
  stop: () => {},
};

/** The one question: of an end first, since what goes on without need is worse than what is missed. */
function questionIn(
  calls: readonly Call[],
  { held, now }: Pick<CallsDeps['captures'], 'held' | 'now'>,
): CallQuestion | null {
  const ended = calls.find(({ state, recording }) => {
    return state === 'over' && recording !== null && now(recording.id) !== null;
  });
  if (ended) return { id: ended.id, ask: 'stop', name: ended.name, recording: ended.recording };
  const begun = calls.find(({ state }) => state === 'asking');
  if (!begun || held().length > 0) return null;
  return { id: begun.id, ask: 'record', name: begun.name, recording: null };
}

/** Looks when the audio server reports streams, or when a call would begin or end, until `signal` aborts. */
async function follow({
  env,
  look,
  signal,
}: {
  env: NodeJS.ProcessEnv;
  look(): Promise<number | null>;
  signal: AbortSignal;
}): Promise<void> {
  for (let waits = 0; !signal.aborted; waits += 1) {
    if (mayBeThere(env)) {
      const began = systemClock.now();
      await followServer({ env, look, signal });
      // A server that was there for a while may only have been restarted.
      if (systemClock.now() - began > pauses.max) waits = 0;
    }
    await systemClock.wait(pauseAfter(pauses, waits), signal);
  }
}

/** Returns when the server has ended, or cannot be reached. */
async function followServer({ env, look, signal }: Parameters<typeof follow>[0]): Promise<void> {
  const gone = new AbortController();
  const end = AbortSignal.any([gone.signal, signal]);
  const bell = openAlarm();
  watchPulse({
    env,
    signal: end,
    onEvent: ({ on }) => {
      if (on === 'source-output' || on === 'sink-input') bell.ring();
    },
    onAway: () => gone.abort(),
  });
  while (!end.aborted) {
    let next: number | null;
    try {
      next = await look();
    } catch (error) {
      if (!(error instanceof StageError)) throw error;
      // Whether the server is gone, `pactl subscribe` tells.
      next = systemClock.now() + pauses.first;
    }
    await systemClock.wait(lookEveryMs, end).catch(() => undefined);
    await bell.pause(next === null ? longestMs : Math.max(0, next - systemClock.now()), end);
  }
}

/** Whether an audio server may be there: asking one that is not would start a process each time. */
function mayBeThere(env: NodeJS.ProcessEnv): boolean {
  if (env['PULSE_SERVER']) return true;
  const runtime =
    env['PULSE_RUNTIME_PATH'] ?? join(env['XDG_RUNTIME_DIR'] ?? '/nonexistent', 'pulse');
  return existsSync(join(runtime, 'native'));
}

/** Each program that records from a microphone or plays something. @throws {StageError} */
async function soundsOf(pulse: Pulse): Promise<ProgramSound[]> {
  const outputs = (await pulse.sourceOutputs()).filter(isOfProgram);
  // Whoever only plays has no call.
  if (outputs.length === 0) return [];
  const inputs = (await pulse.sinkInputs()).filter(isOfProgram);
  const { microphones, monitors } = await pulse.sources();
  const sinks = new Map((await pulse.sinks()).map(({ index, name }) => [index, name]));
  const programs = new Map([...outputs, ...inputs].map(({ program }) => [program.id, program]));
  return [...programs.values()].map(({ id, name }) => {
    const isIts = ({ program }: { program: { id: string } }) => program.id === id;
    const heard = outputs.filter(isIts).flatMap(({ source }) => {
      return microphones.filter(({ index, name: own }) => index === source && !isOwnSource(own));
    });
    const played = inputs.filter(isIts).flatMap(({ sink }) => {
      return monitors.filter(({ monitorOf }) => monitorOf === sinks.get(sink));
    });
    const player = inputs.find(isIts)?.program.name ?? name;
    return {
      program: id,
      name: player,
      microphone: heard[0]?.name ?? null,
      monitor: played[0]?.name ?? null,
    };
  });
}

function isOfProgram<S extends { program: { id: string; name: string } | null; isPaused: boolean }>(
  stream: S,
): stream is S & { program: NonNullable<S['program']> } {
  return stream.program !== null && !stream.isPaused;
}
