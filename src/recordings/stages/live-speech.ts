import { once, type EventEmitter } from 'node:events';
import { untilAborted } from '../../shared/abort.ts';
import { askedStretch, keptPart } from '../../speech/detection/speech-segments.ts';
import type { Recognised, SpeechEngine } from '../../speech/engine.ts';
import { decidedLanguage, mostHeard } from '../../speech/live/decided-language.ts';
import { heardFinder } from '../../../projections/recording/heard-places.ts';
import { replacedHeard } from '../replace-heard.ts';
import type { TermsOf } from '../terms.ts';
import type { WordsOf } from '../words-held.ts';
import type { InterimText } from './interim-text.ts';
import { inLanguage, utteranceFact } from './recognise-plan.ts';
import type { Utterance } from '../../../projections/recording/utterances.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import type { Log } from '../../shared/log.ts';
import type { Lease } from '../../shared/shared-resource.ts';
import { type WaitingStretch, liveDetectorName } from '../../speech/live/closed-speech.ts';
import type { StreamingRecogniser } from '../../speech/local/streaming.ts';
import type { LiveVoices } from '../../speech/live/live-voices.ts';
import type { ModelFolders } from '../../speech/local/local-models.ts';
import { type Following, type Followings, liveQueue } from './followings.ts';
import type { AheadDeps, PunctuatedAhead } from './punctuate-ahead.ts';
import { leasedInTurn } from './leased-in-turn.ts';
import type { Job, JobQueueName } from './run-stage.ts';
import type { Stretch } from '../../../events/facts/transcript.ts';
import type { SpeechFile } from '../../audio/wav.ts';
import { StageError } from '../../shared/errors.ts';
import { waitingSign, retry } from '../../shared/retry.ts';
import { failure } from '../../words/failures.ts';
import { shiftSegments } from '../../speech/parse-transcript.ts';

/** Recognises each stretch that is closed, in order, until it is aborted. */
export async function recogniseOn(live: Live, signal: AbortSignal): Promise<never> {
  const { plan, heard } = live;
  await recallVoices(live, signal);
  for (;;) {
    await decideLanguage(live, signal);
    if (heard.length === plan.length) await planNext(live, signal);
    await recogniseOne(live, heard.length, signal);
    live.ahead?.grown(heard, live.asked ?? live.language ?? mostHeard(heard));
  }
}

export type FollowDeps = {
  /** Whether recordings are recognised while they run (`stt.live`). Asked when one begins. */
  isOn(): boolean;
  /** Languages that are spoken here (`stt.languages`); none: any. */
  languages(): readonly string[];
  /** @throws {StageError} `no-engine` */
  leaseEngine(): Promise<Lease<SpeechEngine>>;
  termsOf: TermsOf;
  wordsOf: WordsOf;
  files: AudioStore;
  modelsDir: ModelFolders;
  followings: Followings;
  /** Calls back when no more comes into the file of a recording, before that is in the log. Returns how to stop. */
  onFileEnd(recordingId: string, listener: () => void): () => void;
  ahead: AheadDeps;
  /** What shows words while they are said; null: nothing is installed for it. Absent: never. */
  openStreaming?(language: string): Promise<StreamingRecogniser | null>;
  /** The language of recordings that do not say theirs (`stt.language`). */
  usualLanguage?(): string | null;
  log: Log;
};

/** A recording that is followed, and what is known of it. */
export type Live = {
  job: Job;
  deps: FollowDeps;
  /** Gathered once in a while: they are of all that their owner named. */
  termsOf: TermsOf;
  following: Following;
  plan: WaitingStretch[];
  heard: Utterance[];
  interim: InterimText;
  /** As asked for; null: the engine finds out, stretch by stretch. */
  asked: string | null;
  /** As decided; null while that is open. */
  language: string | null;
  voices: LiveVoices | null;
  closeVoices(): Promise<void>;
  /** Of one person's talk; null: all is punctuated after the stop. */
  ahead: PunctuatedAhead | null;
  /** `closed` when a stretch may be there; also what ends the two loops together. */
  events: EventEmitter;
  over: AbortController;
};

/** Speech waits to be recognised, or is being recognised. */
export const isBehind = ({ plan, heard, following }: Live): boolean =>
  heard.length < plan.length || following.follower.next() !== null;

async function planNext(live: Live, signal: AbortSignal) {
  const { job, following, plan, events } = live;
  const { follower } = following;
  while (!follower.next()) await once(events, 'closed', { signal });
  const next = live.voices
    ? await follower.nextOfOneVoice((stretch) => voiceIn(live, stretch, signal))
    : follower.next();
  const { stretch, cut, voice, count } = next!;
  await job.append({
    type: 'speech.followed',
    data: { detector: liveDetectorName, stretches: [stretch], ...(cut ? { cut } : {}) },
  });
  follower.taken(count);
  plan.push({ stretch, cut, voice });
}

/** Recognises a stretch of the plan, also one once more; a fact. */
async function recogniseOne(
  live: Live,
  index: number,
  signal: AbortSignal,
  again?: string,
): Promise<void> {
  const { job, following, plan, heard } = live;
  const language = again ?? live.asked;
  const { stretch, cut, voice } = plan[index]!;
  const [start, end] = stretch;
  const before = plan[index - 1]?.cut ? (heard[index - 1] ?? null) : null;
  const result = askUntilAnswered(following, askedStretch(stretch, before), {
    job,
    language,
    leaseEngine: live.deps.leaseEngine,
    termsOf: live.termsOf,
    log: live.deps.log,
    onPartial(text) {
      // What is recognised once more has a text already.
      if (!heard[index]) job.partial({ index, start, end, text, speaker: voice ?? null });
    },
  });
  following.asked = { index, result };
  const recognised: Recognised = await untilAborted(result, signal).finally(() =>
    job.partial(null),
  );
  const ended = again === undefined ? undefined : heard[index]?.end;
  const part = keptPart(recognised.segments, stretch, { before, goesOn: cut, ended });
  const known = again === undefined ? {} : inLanguage(heard[index]!, again);
  const words = await live.deps.wordsOf(await job.recording(), job.owner);
  const segments = replacedHeard(part.segments, heardFinder(words));
  const utterance = { ...recognised, ...part, segments, ...known, index };
  await job.append(utteranceFact(utterance, voice));
  following.asked = null;
  heard[index] = { ...utterance, voice };
  live.interim.final(end);
}

/** By all that was heard so far; what sounded like a language that the talk is not in is recognised again. */
async function decideLanguage(live: Live, signal: AbortSignal): Promise<void> {
  if (live.asked !== null) return;
  const decided = decidedLanguage(live.heard, live.deps.languages());
  live.language = decided?.language ?? null;
  for (const { index, language } of decided?.again ?? [])
    await recogniseOne(live, index, signal, language);
}

/** After a restart: how the voices sound that have labels, by the longest stretch of each; and who speaks in what was planned. */
async function recallVoices(live: Live, signal: AbortSignal): Promise<void> {
  const { voices, heard, plan, following } = live;
  if (!voices || plan.length === 0) return;
  const longest = new Map<string, Utterance>();
  for (const utterance of heard) {
    const { voice, start, end } = utterance;
    if (voice === undefined) continue;
    plan[utterance.index]!.voice = voice;
    const known = longest.get(voice);
    if (!known || end - start > known.end - known.start) longest.set(voice, utterance);
  }
  await following.follower.follow();
  for (const [label, { index }] of longest) {
    await withPiece(live, plan[index]!.stretch, (piece) => voices.recall(label, piece, signal));
  }
  for (const planned of plan.slice(heard.length))
    planned.voice = await voiceIn(live, planned.stretch, signal);
}

/** The label of who speaks there. Without one the text is as good. */
async function voiceIn(live: Live, stretch: Stretch, signal: AbortSignal) {
  const { voices, deps, job } = live;
  try {
    return await withPiece(live, stretch, async (piece) => await voices?.labelOf(piece, signal));
  } catch (error) {
    signal.throwIfAborted();
    deps.log.warn({ err: error, recordingId: job.recordingId }, 'comparing a voice failed');
    return undefined;
  }
}

async function withPiece<Result>(
  { following: { follower } }: Live,
  stretch: Stretch,
  use: (piece: SpeechFile) => Promise<Result>,
): Promise<Result> {
  const piece = await follower.piece(stretch);
  try {
    return await use(piece);
  } finally {
    await piece.close();
  }
}

type Ask = {
  job: Job;
  language: string | null;
  /** @throws {StageError} `no-engine` */
  leaseEngine(): Promise<Lease<SpeechEngine>>;
  termsOf: TermsOf;
  log: Log;
  /** What is heard so far, of an engine that streams. */
  onPartial(text: string): void;
};

/** Between two tries of an engine that is missing, away or fails, in milliseconds. */
const pauses = { first: 5_000, max: 300_000 };

/**
 * Asks the engine for a stretch of a recording that goes on, again until it answers: an engine that is missing or away
 * is waited for as long as people talk. What it answers counts for the recording's time.
 * @throws the reason of `following.stop`
 */
async function askUntilAnswered(
  following: Following,
  stretch: Stretch,
  ask: Ask,
): Promise<Recognised> {
  const { job, log } = ask;
  const sign = waitingSign((waiting) => job.waiting(waiting));
  let isReported = false;
  const recognised = await retry(() => askOnce(following, stretch, ask), {
    pauses,
    signal: following.stop.signal,
    isTransient: () => true,
    onRetry(error) {
      // Once: it may be away for as long as people talk.
      if (!isReported)
        log.warn(
          { err: error, recordingId: job.recordingId },
          'live transcription of a passage failed',
        );
      isReported = true;
      following.isWaiting = true;
      sign.show(error instanceof StageError ? error.sentence : failure('unexpected-error'));
    },
  });
  sign.clear();
  return recognised;
}

async function askOnce(
  following: Following,
  [start, end]: Stretch,
  { job, language, leaseEngine, termsOf, onPartial }: Ask,
): Promise<Recognised> {
  const { follower, stop } = following;
  const { signal } = stop;
  following.isWaiting = true;
  const turn = {
    queueOf: ({ value }: Lease<SpeechEngine>) => liveQueue(value),
    take: (queue: JobQueueName, again: () => Promise<JobQueueName>) =>
      job.turn(queue, signal, { again }),
  };
  return await leasedInTurn(leaseEngine, turn, async ({ value: engine }, slot) => {
    following.isWaiting = false;
    const piece = await follower.piece([start, end]);
    try {
      const { segments, ...heard } = await engine.recognise(piece, [0, piece.duration], {
        language,
        terms: await termsOf(await job.recording(), job.owner),
        signal,
        onPartial,
        onWaiting(waiting) {
          following.isWaiting = waiting !== null;
          job.waiting(waiting);
        },
      });
      return { ...heard, segments: shiftSegments(segments, start, end) };
    } finally {
      slot.release();
      await piece.close();
    }
  });
}
