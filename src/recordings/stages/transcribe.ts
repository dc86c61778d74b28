import type { ModelFolders } from '../../speech/local/local-models.ts';
import { join } from 'node:path';
import type { Stretch } from '../../../events/facts/transcript.ts';
import { decodeToSpeech } from '../../audio/decode.ts';
import { openSpeechFile } from '../../audio/speech-file.ts';
import type { SpeechFile } from '../../audio/wav.ts';
import {
  overlapSeconds,
  longerStretches,
  planStretches,
  quietestPoint,
} from '../../speech/detection/speech-segments.ts';
import { type ApartChannels, channelsApart } from '../../speech/diarization/channels-apart.ts';
import type { Meeting, SpeechEngine } from '../../speech/engine.ts';
import { decidedLanguage, heardOtherwise, mostHeard } from '../../speech/live/decided-language.ts';
import { goingOn, liveDetectorName } from '../../speech/live/closed-speech.ts';
import {
  type HeardStretch,
  recogniseAgain,
  recognisePlan,
  utteranceFact,
  wordsIn,
} from './recognise-plan.ts';
import { spokenAudio } from '../../speech/detection/spoken-audio.ts';
import type { WaitingFor } from '../../shared/retry.ts';
import type { Lease } from '../../shared/shared-resource.ts';
import { type Recording, factAt, speakersAsked } from '../../../projections/recording/recording.ts';
import { type ClosedStretch, followedIn } from '../../../projections/recording/utterances.ts';
import { draft } from '../../../projections/recording/reading.ts';
import type { RecordingFactOf } from '../../../events/facts/recording.ts';
import { onlyOne } from '../../shared/languages.ts';
import { StageError } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import { isSplitCapture, withChannelsFor, withRoom, withChannelFiles } from './stage-files.ts';
import { exists } from '../../shared/files.ts';
import { speechFileName, apartFileNames } from '../../shared/data-directory.ts';
import type { AudioFile, AudioStore } from '../../storage/audio/audio-store.ts';
import { type FollowedAudio, type Followings, endedAudio, liveQueue } from './followings.ts';
import { leasedInTurn } from './leased-in-turn.ts';
import type { Job, StageActivity } from './run-stage.ts';
import { replacedCount } from '../../../projections/recording/replaced.ts';
import { heardFinder } from '../../../projections/recording/heard-places.ts';
import { replacedHeard } from '../replace-heard.ts';
import type { TermsOf } from '../terms.ts';
import type { WordsOf } from '../words-held.ts';
import { type SecondPassDeps, secondPassBy } from '../second-pass.ts';
import { rm } from 'node:fs/promises';

/** What of the whole stage's progress decoding and looking for speech take. */
const prelude = 0.1;

/**
 * Audio to words: decodes, looks for speech, then recognises it segment by segment, each a fact. Of a recording that
 * was followed only what is left.
 */
export function transcribe(
  deps: SecondPassDeps & {
    /** @throws {StageError} `no-engine` */
    leaseEngine(): Promise<Lease<SpeechEngine>>;
    termsOf: TermsOf;
    wordsOf: WordsOf;
    files: AudioStore;
    modelsDir: ModelFolders;
    /** Languages that are spoken here (`stt.languages`); none: any. */
    languages(): readonly string[];
    followings: Pick<Followings, 'take'>;
  },
): StageActivity {
  return async (job) => {
    let engine!: SpeechEngine;
    let followed = null as FollowedAudio | null;
    const queueOf = async ({ value }: Lease<SpeechEngine>) => {
      const recording = await job.recording();
      engine = engineAsked(value, recording);
      followed ??= await takeFollowed(job, deps.followings);
      // Both channels of it are recognised from their beginnings.
      return queueFor(engine, isSplitCapture(recording) ? null : followed);
    };
    try {
      await leasedInTurn(deps.leaseEngine, { queueOf, take: job.acquireSlot }, () =>
        transcribeWith(engine, job, followed),
      );
    } finally {
      await followed?.close();
    }
  };

  async function transcribeWith(
    engine: SpeechEngine,
    job: Job,
    followed: FollowedAudio | null,
  ): Promise<void> {
    const { files } = deps;
    const speechPath = join(await files.workFolder(job.recordingId), speechFileName);
    await withChannelsApart(job, files, async (apart) => {
      const at = { files, speechPath, engine, modelsDir: deps.modelsDir, followed, apart };
      await prepareSpeech(job, at);
      const speech = await openSpeechFile(speechPath);
      const { termsOf, wordsOf } = deps;
      const languages = deps.languages();
      const options = { apart, asked: followed?.asked ?? null, languages, termsOf, wordsOf };
      try {
        // What each side says is known by the channel alone.
        if (apart) return await recogniseAll(engine, job, speech, options);
        await withChannelsFor(engine, job, files, (channels) =>
          recogniseAll(engine, job, speech, { ...options, channels }),
        );
      } finally {
        await speech.close();
      }
    });
    await complete(engine, job, deps);
  }
}

/** With the model that was asked for this run alone, if one was. @throws {StageError} where none can be chosen */
function engineAsked(engine: SpeechEngine, { facts }: Recording): SpeechEngine {
  // What has all of it recognised again.
  const began = facts.findLast(
    ({ type }) =>
      type === 'reprocessing.requested' || type === 'audio.extended' || type === 'audio.assembled',
  );
  const model = began?.type === 'reprocessing.requested' ? began.data.model : undefined;
  if (model === undefined) return engine;
  if (engine.withModel) return engine.withModel(model);
  throw new StageError(failure('model-not-choosable', { model }), { retriable: false });
}

async function takeFollowed(
  job: Job,
  followings: Pick<Followings, 'take'>,
): Promise<FollowedAudio | null> {
  const following = await followings.take(job.recordingId);
  if (!following) return null;
  const recording = await job.recording();
  const { audio } = recording.sources.draft.results;
  const captured = factAt(recording, audio, 'audio.captured', 'capture.interrupted');
  return await endedAudio(following, captured?.data.duration ?? null);
}

/** Seconds of speech that are left of a recording that kept up. */
const shortRest = 60;

/** The last words of a recording do not wait for others' long files. */
function queueFor(engine: SpeechEngine, followed: FollowedAudio | null) {
  const rest = followed?.rest(engine.secondsMax - overlapSeconds) ?? [];
  const seconds = rest.reduce((sum, [start, end]) => sum + end - start, 0);
  return followed && seconds <= shortRest
    ? liveQueue(engine)
    : { name: engine.queue, concurrency: 1 };
}

type Place = {
  files: AudioStore;
  speechPath: string;
  engine: SpeechEngine;
  modelsDir: ModelFolders;
  followed: FollowedAudio | null;
  /** Two channels that carry different speech: each is planned and recognised by itself. */
  apart: ApartChannels | null;
};

/** Sees to it that there is a speech file, and a plan of what is asked of the engine. */
async function prepareSpeech(job: Job, at: Place): Promise<void> {
  const recording = await job.recording();
  const { audio } = recording.files;
  if (!audio) throw new Error('there is no audio');
  const { plan, utterances } = draft(recording);
  // What decoding has to say is recorded with the plan: without one, a finished file is not enough.
  if (plan !== null && (await exists(at.speechPath))) return;
  // A further run begins anew.
  const isFollowed = plan === null && recording.sources.draft.heardSince === 0;
  const made = isFollowed ? followedIn(recording) : [];
  const found =
    (plan === null ? await speechFollowed(job, made, { ...at, audio }) : null) ??
    (await speechDecoded(job, made, { ...at, audio }));
  job.progress(prelude);
  if (plan !== null) return;
  if (at.apart) {
    const { stretches: _mixed, ...data } = found;
    const plan = await planApart(at.apart, at.engine.secondsMax - overlapSeconds);
    return await job.append({ type: 'speech.detected', data: { ...data, ...plan } });
  }
  const { stretches: planned, ...data } = found;
  const stretches = await stretchesFor(job, recording, planned, at);
  // Speakers whom the engine tells apart are told by asking it for more at once.
  const isLive = made.length > 0 && stretches === planned;
  const live = isLive ? { live: { utterances: utterances.length } } : {};
  await job.append({ type: 'speech.detected', data: { ...data, stretches, ...live } });
}

/** The stretches of both channels, those of the first before those of the second. */
async function planApart({ files, speech }: ApartChannels, secondsMax: number) {
  const planOf = (channel: 0 | 1) => {
    const file = files[channel];
    return planStretches(speech[channel], {
      duration: file.duration,
      secondsMax,
      cutBetween: (from, to) => quietestPoint(file, from, to),
    });
  };
  const [left, right] = await Promise.all([planOf(0), planOf(1)]);
  const channels = [...left.map(() => 0 as const), ...right.map(() => 1 as const)];
  return { stretches: [...left, ...right], channels };
}

type Planned = Omit<RecordingFactOf<'speech.detected'>['data'], 'live'>;

/** The working copy and the plan as they were made while it was recorded; null where they will not do. */
async function speechFollowed(
  job: Job,
  made: readonly ClosedStretch[],
  { followed, engine, files, audio, speechPath }: Place & { audio: AudioFile },
): Promise<Planned | null> {
  if (!followed) return null;
  const { signal } = job;
  const rest = followed.rest(engine.secondsMax - overlapSeconds);
  const stretches = [...made.map(({ stretch }) => stretch), ...rest];
  const { duration, isQuiet } = followed;
  // What seems silent may hold speech once it is amplified.
  if (isQuiet && stretches.length === 0) return null;
  const decoded = isQuiet
    ? await withRoom(job, () =>
        files.read(job.recordingId, audio, (source) =>
          decodeToSpeech(source, speechPath, { signal }),
        ),
      )
    : null;
  // A disk that was full tells that once, of what was written before: it is made again, when there is room.
  if (!decoded && !(await followed.keep())) return null;
  const warnings = decoded?.warnings ?? followed.warnings;
  return { detector: liveDetectorName, stretches, duration, warnings };
}

async function speechDecoded(
  job: Job,
  made: readonly ClosedStretch[],
  { files, audio, speechPath, engine, modelsDir }: Place & { audio: AudioFile },
): Promise<Planned> {
  const { decoded, located, tracks } = await withRoom(job, () =>
    files.read(job.recordingId, audio, (source) =>
      spokenAudio(source, speechPath, {
        secondsMax: engine.secondsMax - overlapSeconds,
        modelsDir,
        signal: job.signal,
        onProgress: (fraction) => job.progress((fraction ?? 0) * prelude),
      }),
    ),
  );
  const { duration, warnings } = decoded;
  const stretches = goingOn(made, located.stretches);
  return { ...located, stretches, duration, warnings, ...(tracks ? { tracks } : {}) };
}

/**
 * What an engine is asked of a meeting: where it tells speakers apart, as much at once as it takes, since its
 * speakers of one request say nothing about those of another.
 */
async function stretchesFor(
  job: Job,
  recording: Recording,
  planned: Stretch[],
  { engine, speechPath }: Pick<Place, 'engine' | 'speechPath'>,
): Promise<Stretch[]> {
  const [first, ...more] = planned;
  if (draft(recording).kind !== 'meeting' || !first || more.length === 0) return planned;
  const speech = await openSpeechFile(speechPath);
  try {
    await engine.learnSpeakers?.(speech, first, askedOf(job, recording));
  } finally {
    await speech.close();
  }
  const { meetingSecondsMax } = engine;
  return meetingSecondsMax === undefined
    ? planned
    : longerStretches(planned, meetingSecondsMax - overlapSeconds);
}

const askedOf = (job: Job, recording: Recording) => ({
  language: recording.asked.draft,
  signal: job.signal,
  onWaiting: (waiting: WaitingFor | null) => job.waiting(waiting),
});

/** Asks the engine for each stretch of speech that has not been recognised yet; each is a fact. */
async function recogniseAll(
  engine: SpeechEngine,
  job: Job,
  speech: SpeechFile,
  {
    channels,
    apart,
    asked,
    languages,
    termsOf,
    wordsOf,
  }: {
    channels?: Meeting['channels'];
    apart: ApartChannels | null;
    asked: FollowedAudio['asked'];
    languages: readonly string[];
    termsOf: TermsOf;
    wordsOf: WordsOf;
  },
): Promise<void> {
  const recording = await job.recording();
  const { plan, utterances, kind, channels: channelOf } = draft(recording);
  const planned = plan ?? [];
  const audioOf = (index: number) => apart?.files[channelOf?.[index] ?? 0] ?? speech;
  const given = askedOf(job, recording);
  const terms = await termsOf(recording, job.owner);
  const wanted = { ...given, terms, language: given.language ?? onlyOne(languages) };
  const meeting =
    kind === 'meeting' && !apart ? { speakers: speakersAsked(recording), channels } : undefined;
  const heard = recognisePlan(engine, audioOf, planned, {
    done: utterances,
    asked: apart ? null : asked,
    meeting,
    ...wanted,
  });
  const find = heardFinder(await wordsOf(recording, job.owner));
  const spelt = <T extends HeardStretch>(one: T): T => ({
    ...one,
    segments: replacedHeard(one.segments, find),
  });
  for await (const utterance of heard) {
    await job.append(utteranceFact(spelt(utterance)));
    job.progress(prelude + (1 - prelude) * ((utterance.index + 1) / planned.length));
  }
  if (wanted.language !== null) return;
  // What sounded like a language that the talk is not in.
  const all = [...draft(await job.recording()).utterances];
  for (const { index, language } of decidedLanguage(all, languages)?.again ?? []) {
    const others = all.filter((one) => one.index !== index).flatMap(({ segments }) => segments);
    const again = await recogniseAgain(engine, audioOf, planned, {
      ...wanted,
      language,
      all,
      index,
      meeting: meeting && { ...meeting, heard: others },
    });
    const utterance = spelt(again);
    await job.append(utteranceFact(utterance, all[index]!.voice));
    all[index] = utterance;
  }
}

async function complete(engine: SpeechEngine, job: Job, deps: SecondPassDeps): Promise<void> {
  const recording = await job.recording();
  const { utterances } = draft(recording);
  const otherwise = heardOtherwise(utterances);
  const segments = utterances.flatMap((one) => one.segments);
  const replaced = replacedCount(segments);
  const asked = recording.asked.draft;
  const model = engine.modelFor?.(asked) ?? engine.model;
  await job.append({
    type: 'transcription.completed',
    data: {
      engine: engine.engine,
      model,
      language: mostHeard(utterances) ?? asked,
      utterances: utterances.length,
      words: wordsIn(segments),
      ...(replaced === 0 ? {} : { replaced }),
      ...(otherwise === null ? {} : { otherwise }),
      ...secondPassBy(recording, { model, withModel: engine.withModel }, deps),
    },
  });
}

/**
 * Works with the channels of a meeting that carry different speech, apart; with null of any other recording, and of one
 * whose mix was planned before.
 */
export async function withChannelsApart<T>(
  job: Job,
  files: AudioStore,
  work: (apart: ApartChannels | null) => Promise<T>,
): Promise<T> {
  const recording = await job.recording();
  const { kind, plan, channels } = draft(recording);
  const isMeeting = kind === 'meeting' && speakersAsked(recording).max !== 1;
  if (!isMeeting || (plan !== null && channels === null)) return await work(null);
  const folder = await files.workFolder(job.recordingId);
  const targets = [join(folder, apartFileNames[0]), join(folder, apartFileNames[1])] as const;
  let apart: ApartChannels | null = null;
  try {
    apart = await withChannelFiles(job, recording, files, async (both) =>
      both ? await withRoom(job, () => channelsApart(both, targets, job.signal)) : null,
    ).catch((error: unknown) => {
      // What is wrong with the audio is said of the mix; a plan of channels cannot be asked of it.
      if (job.signal.aborted || channels !== null) throw error;
      return null;
    });
    return await work(apart);
  } finally {
    await Promise.all((apart?.files ?? []).map((file) => file.close()));
    await Promise.all(targets.map((path) => rm(path, { force: true })));
  }
}
