import { LRUCache } from 'lru-cache';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { followedIn } from '../../../projections/recording/utterances.ts';
import { draft } from '../../../projections/recording/reading.ts';
import { FileReplaced } from '../../audio/growing-wav.ts';
import { audioFileName } from '../../shared/data-directory.ts';
import { isAbort, untilAborted } from '../../shared/abort.ts';
import { localEmbedder } from '../../speech/diarization/diarize.ts';
import { type AudioFollower, openFollower } from '../../speech/live/follower.ts';
import { onlyOne } from '../../shared/languages.ts';
import { liveVoices } from '../../speech/live/live-voices.ts';
import { interimText } from './interim-text.ts';
import { punctuatedAhead } from './punctuate-ahead.ts';
import { type Following, letGo } from './followings.ts';
import type { TermsOf } from '../terms.ts';
import { type FollowDeps, type Live, isBehind, recogniseOn } from './live-speech.ts';
import { type Job, type StageActivity, StageSuperseded } from './run-stage.ts';

/** Between two looks at the file, milliseconds: words are to be shown within half a second. */
const lookEveryMs = 100;
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
    // A work file that fails to close leaves nothing, and harms nothing else.
    const over = untilCaptured(job, deps).catch((error: unknown) => {
      deps.log.warn(
        { err: error, recordingId: job.recordingId },
        'live transcription failed to end; transcribing after the recording',
      );
      return null;
    });
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
      if (error instanceof FileReplaced && live) {
        await closeLive(live);
        continue;
      }
      deps.log.warn(
        { err: error, recordingId: job.recordingId },
        'live transcription ended; transcribing after the recording',
      );
      if (live) await closeLive(live);
      if (!hasBegun) return null;
      await sleep(againMs, undefined, { signal: job.signal }).catch(() => undefined); // seen above
    }
  }
  return null;
}

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
    termsOf: seldom(deps.termsOf),
    following: { follower, asked: null, isWaiting: false, stop: new AbortController() },
    plan,
    heard: [...utterances],
    asked: recording.asked.draft ?? onlyOne(deps.languages()),
    language: null,
    voices: embedder && liveVoices(embedder),
    interim: interimText({
      follower,
      async open() {
        if (!deps.openStreaming) return null;
        const language = live.asked ?? live.language ?? deps.usualLanguage?.() ?? null;
        return language === null ? undefined : await deps.openStreaming(language);
      },
      show: (said) => job.partial({ ...said, index: live.plan.length, speaker: null }),
      log: deps.log,
    }),
    closeVoices: async () => await embedder?.close(),
    ahead: isAhead
      ? punctuatedAhead(job, { ...deps.ahead, log: deps.log }, () => isBehind(live))
      : null,
    events: new EventEmitter(),
    over: new AbortController(),
  };
  return live;
}

/** Names that are given meanwhile may wait so long until speech is recognised by them, milliseconds. */
const termsMs = 60_000;

function seldom(termsOf: TermsOf): TermsOf {
  const kept = new LRUCache<string, readonly string[]>({ max: 1, ttl: termsMs });
  return async (recording, owner) => {
    const terms = kept.get(owner) ?? (await termsOf(recording, owner));
    if (!kept.has(owner)) kept.set(owner, terms);
    return terms;
  };
}

async function untilThere(
  { recordingId: id, signal }: Job,
  { files }: FollowDeps,
  place: { from: number; isCut: boolean },
): Promise<AudioFollower> {
  for (;;) {
    const folders = { captured: files.captureFolder(id), work: await files.workFolder(id) };
    const follower = await openFollower(folders, audioFileName, place);
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
  const failed = ended.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []));
  // What was aborted because of the other says nothing.
  throw failed.find((reason) => !isAbort(reason)) ?? failed[0];
}

/** What was said last is read, and recognised, while the whole file is hashed for the log. */
async function readOn(live: Live, signal: AbortSignal): Promise<never> {
  const { job, deps } = live;
  const whole = new AbortController();
  const forget = deps.onFileEnd(job.recordingId, () => whole.abort());
  try {
    return await readUntilWhole(live, signal, whole.signal);
  } finally {
    forget();
  }
}

async function readUntilWhole(
  { job, following, plan, heard, events, interim }: Live,
  signal: AbortSignal,
  whole: AbortSignal,
): Promise<never> {
  const { follower } = following;
  const woken = AbortSignal.any([signal, whole]);
  for (;;) {
    const isLast = whole.aborted;
    await (isLast ? follower.end() : follower.follow());
    if (follower.next()) events.emit('closed');
    if (!isLast) interim.look();
    const since = plan[heard.length]?.stretch[1] ?? follower.waitingSince();
    job.behind(since === null ? 0 : Math.max(0, Math.round(follower.duration() - since)));
    if (isLast) return await untilAborted(new Promise<never>(() => {}), signal);
    await sleep(lookEveryMs, undefined, { signal: woken }).catch(() => signal.throwIfAborted());
  }
}

/** The follower that `transcribe` continues when the audio is complete; null after a discard, or when the log is closed. */
async function leftBy(live: Live | null): Promise<Following | null> {
  if (!live) return null;
  const { job, deps, following } = live;
  await live.closeVoices();
  await live.interim.close();
  const captured = await job.recording().then(
    ({ sources }) => sources.draft.results.audio !== null,
    () => false, // the log is closed
  );
  if (captured) {
    // Nobody may come for it: the service ends, or there is no engine. What comes for it asks by itself.
    if (following.isWaiting) following.stop.abort();
    return following;
  }
  deps.ahead.asked.forget(job.recordingId);
  await letGo(following);
  return null;
}

async function closeLive(live: Live): Promise<void> {
  await live.closeVoices();
  await live.interim.close();
  await letGo(live.following);
}
