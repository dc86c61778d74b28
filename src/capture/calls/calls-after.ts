/**
 * When people at a computer are asked about a call: a program listens and plays for five seconds; a
 * recorded call has neither for half a minute. Pure; times are milliseconds of a clock never set back.
 */

/** What the audio server's lists say of one program. */
export type ProgramSound = {
  /** Its file's name, else how it calls itself. */
  program: string;
  /** As it calls itself. */
  name: string;
  /** The source it records from, which is no monitor; null: none. */
  microphone: string | null;
  /** The monitor of the sink that it plays into; null: it plays nothing. */
  monitor: string | null;
};

export type Call = {
  /** Distinguishes it from earlier calls of the program. */
  id: string;
  program: string;
  name: string;
  microphone: string;
  monitor: string;
  /** Since when the program listens and plays. */
  since: number;
  /** Since when it does neither; null: it does. */
  closedSince: number | null;
  /** `early`: it lasts less than five seconds. `over`: it was recorded, and has ended. */
  state: 'early' | 'asking' | 'answered' | 'recorded' | 'over';
  /** The recording that was begun for it, and whose it is. */
  recording: { id: string; owner: string } | null;
};

export const callLimits = {
  /** A program that listens and plays for less is not asked about. */
  beginMs: 5000,
  /** For so long a program may be silent on both sides without its call being over. */
  endMs: 30_000,
  /** Programs looked at; no computer has so many that listen. */
  callsMax: 20,
};

/**
 * The calls after a look at the audio server.
 * @param on.isAsked whether people want to be asked about a program, and nothing is recorded anyway
 * @param on.recording what has been recorded since before the service was started of all that a program hears and plays:
 *   where people want to be asked about calls and have not been about it since the start
 * @param on.isRunning whether a recording goes on
 */
export function callsAfter(
  calls: readonly Call[],
  sounds: readonly ProgramSound[],
  now: number,
  on: {
    newId(): string;
    isAsked(program: string): boolean;
    recording(program: string): Call['recording'];
    isRunning(recordingId: string): boolean;
  },
): Call[] {
  const taken = new Set(calls.map(({ recording }) => recording?.id));
  const known = calls.flatMap((call) => {
    const sound = sounds.find(({ program }) => program === call.program);
    const next = sound && (sound.microphone ?? sound.monitor) !== null ? open(call) : closed(call);
    // Before it is a call, both have to stay open.
    if (call.state === 'early' && (!sound || !isTalking(sound))) return [];
    const isNew = next.state === 'early' && now - next.since >= callLimits.beginMs;
    if (isNew || next.state === 'asking') {
      const recording = recordingOf(next.program);
      if (recording !== null) return [{ ...next, state: 'recorded', recording } as const];
    }
    if (isNew)
      return [{ ...next, state: on.isAsked(next.program) ? 'asking' : 'answered' } as const];
    if (next.closedSince === null || now - next.closedSince < callLimits.endMs) return [next];
    const isRecorded = next.recording !== null && on.isRunning(next.recording.id);
    return isRecorded ? [{ ...next, state: 'over' } as const] : [];
  });
  const early = sounds.flatMap((sound) =>
    isTalking(sound) && !calls.some(({ program }) => program === sound.program)
      ? [beginning(sound, now, on.newId())]
      : [],
  );
  return [...known, ...early].slice(0, callLimits.callsMax);

  /** Of two calls at once that are in one recording, the end of one is asked about. */
  function recordingOf(program: string): Call['recording'] {
    const recording = on.recording(program);
    if (recording === null || taken.has(recording.id)) return null;
    taken.add(recording.id);
    return recording;
  }

  function closed(call: Call): Call {
    return { ...call, closedSince: call.closedSince ?? now };
  }
}

/** When to look again although nothing changes; null: when something does. */
export function nextLook(calls: readonly Call[]): number | null {
  const times = calls.flatMap(({ state, since, closedSince }) => {
    if (state === 'early') return [since + callLimits.beginMs];
    return closedSince === null || state === 'over' ? [] : [closedSince + callLimits.endMs];
  });
  return times.length === 0 ? null : Math.min(...times);
}

/** A call that goes on, or goes on again, is not over. */
const open = (call: Call): Call => ({
  ...call,
  closedSince: null,
  state: call.state === 'over' ? 'recorded' : call.state,
});

type Talking = ProgramSound & { microphone: string; monitor: string };
const isTalking = (sound: ProgramSound): sound is Talking =>
  sound.microphone !== null && sound.monitor !== null;

const beginning = ({ program, name, microphone, monitor }: Talking, since: number, id: string) => ({
  id,
  program,
  name,
  microphone,
  monitor,
  since,
  closedSince: null,
  state: 'early' as const,
  recording: null,
});
