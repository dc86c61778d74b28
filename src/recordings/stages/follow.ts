import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stretch } from '../../../events/facts/transcript.ts';
import { followedIn } from '../../../projections/recording/followed.ts';
import { type Utterance, draft } from '../../../projections/recording/reading.ts';
import type { SpeechFile } from '../../audio/wav.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import { audioFileName } from '../../shared/data-directory.ts';
import { isAbort, untilAborted } from '../../shared/abort.ts';
import type { Log } from '../../shared/log.ts';
import type { Lease } from '../../shared/shared-resource.ts';
import { askedStretch, keptPart } from '../../speech/detection/seams.ts';
import { localEmbedder } from '../../speech/diarization/diarize.ts';
import type { Recognised, SpeechEngine } from '../../speech/engine.ts';
import type { WaitingStretch } from '../../speech/live/closed-speech.ts';
import { decidedLanguage } from '../../speech/live/decided-language.ts';
import { mostHeard } from '../../speech/most-heard.ts';
import { type AudioFollower, openFollower } from '../../speech/live/follower.ts';
import { liveDetectorName } from '../../speech/live/live-detector.ts';
import { type LiveVoices, liveVoices } from '../../speech/live/live-voices.ts';
import type { ModelFolders } from '../../speech/local/local-models.ts';
import { type AheadDeps, type PunctuatedAhead, punctuatedAhead } from './punctuate-ahead.ts';
import { askUntilAnswered } from './ask-live.ts';
import { type Following, type Followings, letGo } from './followings.ts';
import { type Job, type StageActivity, StageSuperseded } from './run-stage.ts';
import { utteranceFact } from './utterance-fact.ts';

export type FollowDeps = {
  /** Whether recordings are recognised while they run (`stt.live`). Asked when one begins. */
  isOn(): boolean;
  /** @throws {StageError} `no-engine` */
  leaseEngine(): Promise<Lease<SpeechEngine>>;
  files: AudioStore;
  modelsDir: ModelFolders;
  followings: Followings;
  ahead: AheadDeps;
  log: Log;
};

/** Between two looks at the file, milliseconds. */
const lookEveryMs = 250;
/** After what went wrong with the files, milliseconds. */
const againMs = 30_000;

/**
 * Recognises a recording while it runs: each stretch of speech as soon as a pause closes it, in order, one request
 * at a time. Whatever goes wrong ends nothing but this: what is left is recognised after the recording.
 */
export const followStage =
  (deps: FollowDeps): StageActivity =>
  async (job) => {
    if (!deps.isOn()) return;
    const over = untilCaptured(job, deps);
    deps.followings.add(job.recordingId, over);
    await over;
  };

async function untilCaptured(job: Job, deps: FollowDeps): Promise<Following | null> {
  let hasBegun = false;
  while (!job.signal.aborted) {
    let live: Live | null = null;
    try {
      live = await openLive(job, deps);
      if (!hasBegun) await job.begin();
      hasBegun = true;
      await bothUntilOver(live);
    } catch (error) {
      if (job.signal.aborted || error instanceof StageSuperseded) return await leftBy(live);
      deps.log.warn({ err: error, recordingId: job.recordingId }, 'a recording is not followed');
      if (live) await closeLive(live);
      if (!hasBegun) return null;
      await sleep(againMs, undefined, { signal: job.signal }).catch(() => undefined); // seen above
    }
  }
  return null;
}

/** A recording that is followed, and what is known of it. */
type Live = {
  job: Job;
  deps: FollowDeps;
  following: Following;
  plan: WaitingStretch[];
  heard: Utterance[];
  /** As asked for, else as decided; null while that is open. */
  language: string | null;
  voices: LiveVoices | null;
  closeVoices(): Promise<void>;
  /** Of one person's talk; null: all is punctuated after the stop. */
  ahead: PunctuatedAhead | null;
  /** `closed` when a stretch may be there; also what ends the two loops together. */
  events: EventEmitter;
  over: AbortController;
};

async function openLive(job: Job, deps: FollowDeps): Promise<Live> {
  const recording = await job.recording();
  const plan = followedIn(recording);
  const last = plan.at(-1);
  const follower = await untilThere(job, deps, {
    from: last?.stretch[1] ?? 0,
    isCut: last?.cut ?? false,
  });
  const { utterances, kind } = draft(recording);
  const embedder = kind === 'meeting' ? await localEmbedder(deps.modelsDir) : null;
  const isAhead = kind === 'solo' && deps.ahead.isOn();
  const live: Live = {
    job,
    deps,
    following: { follower, asked: null, isWaiting: false, stop: new AbortController() },
    plan,
    heard: [...utterances],
    language: recording.asked.draft,
    voices: embedder && liveVoices(embedder),
    closeVoices: async () => await embedder?.close(),
    ahead: isAhead
      ? punctuatedAhead(job, { ...deps.ahead, log: deps.log }, () => isBehind(live))
      : null,
    events: new EventEmitter(),
    over: new AbortController(),
  };
  return live;
}

/** Speech waits to be recognised, or is being recognised. */
const isBehind = ({ plan, heard, following }: Live): boolean =>
  heard.length < plan.length || following.follower.next() !== null;

async function untilThere(
  { recordingId: id, signal }: Job,
  { files }: FollowDeps,
  place: { from: number; isCut: boolean },
): Promise<AudioFollower> {
  for (;;) {
    const [captured, work] = [files.captureFolder(id), await files.workFolder(id)];
    const follower = await openFollower({ captured, work }, audioFileName, place);
    if (follower) return follower;
    await sleep(lookEveryMs, undefined, { signal });
  }
}

/** Reads and recognises side by side; the end of one is the end of both. */
async function bothUntilOver(live: Live): Promise<void> {
  const { job, over } = live;
  const signal = AbortSignal.any([job.signal, over.signal]);
  const ending = async (work: Promise<never>) =>
    await work.catch((error: unknown) => {
      over.abort();
      throw error;
    });
  const ended = await Promise.allSettled([
    ending(readOn(live, signal)),
    ending(recogniseOn(live, signal)),
  ]);
  const failed = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  // What was aborted because of the other says nothing.
  throw failed.find((reason) => !isAbort(reason)) ?? failed[0];
}

async function readOn(
  { job, following, plan, heard, events }: Live,
  signal: AbortSignal,
): Promise<never> {
  const { follower } = following;
  for (;;) {
    await follower.follow();
    if (follower.next()) events.emit('closed');
    const since = plan[heard.length]?.stretch[1] ?? follower.waitingSince();
    job.behind(since === null ? 0 : Math.max(0, Math.round(follower.duration() - since)));
    await sleep(lookEveryMs, undefined, { signal });
  }
}

async function recogniseOn(live: Live, signal: AbortSignal): Promise<never> {
  const { plan, heard } = live;
  await recallVoices(live, signal);
  for (;;) {
    await decideLanguage(live, signal);
    if (heard.length === plan.length) await planNext(live, signal);
    await recogniseOne(live, heard.length, signal);
    live.ahead?.grown(heard, live.language ?? mostHeard(heard));
  }
}

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
async function recogniseOne(live: Live, index: number, signal: AbortSignal): Promise<void> {
  const { job, following, plan, heard, language } = live;
  const { stretch, cut, voice } = plan[index]!;
  const [start, end] = stretch;
  const before = plan[index - 1]?.cut ? heard[index - 1]! : null;
  const result = askUntilAnswered(following, askedStretch(stretch, before), {
    job,
    language,
    leaseEngine: live.deps.leaseEngine,
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
  const part = keptPart(recognised.segments, stretch, { before, goesOn: cut });
  const utterance = { ...recognised, ...part, index };
  await job.append(utteranceFact(utterance, voice));
  following.asked = null;
  heard[index] = { ...utterance, voice };
}

/** The label of who speaks there. Without one the text is as good. */
async function voiceIn(live: Live, stretch: Stretch, signal: AbortSignal) {
  const { voices, deps, job } = live;
  try {
    return await withPiece(live, stretch, async (piece) => await voices?.labelOf(piece, signal));
  } catch (error) {
    signal.throwIfAborted();
    deps.log.warn({ err: error, recordingId: job.recordingId }, 'a voice was not compared');
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

/** Once, on the first 20 s of speech; what was taken for another language before is recognised again. */
async function decideLanguage(live: Live, signal: AbortSignal): Promise<void> {
  if (live.language !== null) return;
  const decided = decidedLanguage(live.heard);
  if (!decided) return;
  live.language = decided.language;
  for (const index of decided.others) await recogniseOne(live, index, signal);
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

/** What goes on in `transcribe`, when the audio is there; nothing is left of what was discarded, or stands still. */
async function leftBy(live: Live | null): Promise<Following | null> {
  if (!live) return null;
  const { job, deps, following } = live;
  await live.closeVoices();
  const captured = await job.recording().then(
    ({ sources }) => sources.draft.results.audio !== null,
    () => false, // the log is closed
  );
  if (captured) return following;
  deps.ahead.asked.forget(job.recordingId);
  await letGo(following);
  return null;
}

async function closeLive(live: Live): Promise<void> {
  await live.closeVoices();
  await letGo(live.following);
}
