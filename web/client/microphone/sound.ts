/**
 * The life of what a browser hears, from its blocks and from events of its context and track alone. That nothing is
 * known to be wrong proves nothing: it is heard when blocks have come.
 */
export type SoundState = 'opening' | 'heard' | 'silent' | 'interrupted' | 'gone';

export type SoundEvent =
  | { type: 'block'; rms: number }
  /** Whether the context runs, or the system has stopped it; `isCall`: for a call, or another program. */
  | { type: 'context'; runs: boolean; isCall?: boolean }
  /** Whether the system keeps the microphone back: a call, another program. */
  | { type: 'muted'; is: boolean }
  /** Whether the microphone was taken away, or ended. */
  | { type: 'gone'; is: boolean }
  /** Nothing has happened: time goes by. */
  | { type: 'look' };

/** Times in milliseconds since 1970. */
export type Sound = {
  readonly state: SoundState;
  /** Since when; of `silent` and `interrupted` from what was heard last. */
  readonly since: number;
  readonly blockAt: number | null;
  readonly loudAt: number;
  readonly runs: boolean;
  readonly isCall: boolean;
  readonly muted: boolean;
  readonly gone: boolean;
};

/** A block comes ten times a second: after this long without one it is interrupted, in milliseconds. */
export const interruptedMs = 2000;
/** After this long below the floor it is silent, in milliseconds. */
export const silentMs = 60_000;
/** −55 dB, as `components/level.ts` says it in words. */
const floor = 10 ** (-55 / 20);

export const openingSound = (at: number): Sound => ({
  state: 'opening',
  since: at,
  blockAt: null,
  loudAt: at,
  runs: true,
  isCall: false,
  muted: false,
  gone: false,
});

/** @param at when, in milliseconds since 1970 */
export function soundAfter(before: Sound, event: SoundEvent, at: number): Sound {
  const now = { ...before, ...changeOf(event, before, at) };
  const state = stateOf(now, at);
  if (state === before.state) return now;
  return { ...now, state, since: sinceOf(state, before, at) };
}

function changeOf(event: SoundEvent, before: Sound, at: number): Partial<Sound> {
  switch (event.type) {
    case 'block': {
      const isFirst = before.blockAt === null;
      return { blockAt: at, ...(isFirst || event.rms >= floor ? { loudAt: at } : {}) };
    }
    case 'context':
      return { runs: event.runs, isCall: event.isCall === true };
    case 'muted':
      return { muted: event.is };
    case 'gone':
      return { gone: event.is };
    default:
      return {};
  }
}

function stateOf({ blockAt, loudAt, runs, muted, gone }: Sound, at: number): SoundState {
  if (gone) return 'gone';
  if (blockAt === null) return 'opening';
  if (!runs || muted || at - blockAt > interruptedMs) return 'interrupted';
  return at - loudAt >= silentMs ? 'silent' : 'heard';
}

function sinceOf(state: SoundState, { blockAt, loudAt }: Sound, at: number): number {
  if (state === 'silent') return loudAt;
  return state === 'interrupted' || state === 'gone' ? (blockAt ?? at) : at;
}
