import type { RecordingFactOf } from '../../../events/facts/recording.ts';
import { underLabels } from '../../../projections/recording/utterances.ts';
import {
  type LabelledTurn,
  joinTurns,
  speakerLabel,
  speakingTimes,
} from '../../../projections/recording/join-turns.ts';
import { draft } from '../../../projections/recording/reading.ts';
import { type Recording, factAt } from '../../../projections/recording/recording.ts';
import type { Log } from '../../shared/log.ts';
import { milliseconds } from '../../shared/time.ts';
import { diarizerInstalled, localEmbedder } from '../../speech/diarization/diarize.ts';
import {
  type WindowVoice,
  type SpokenTurn,
  isReliable,
  joinMin,
  joinShortMin,
  labelledVoices,
  unit,
} from '../../speech/diarization/windows.ts';
import type { ModelFolders } from '../../speech/local/local-models.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import type { Job } from './run-stage.ts';
import { withSpeech } from './stage-files.ts';
import type { Segment } from '../../../events/facts/transcript.ts';
import { similarity } from '../../../projections/recording/voices.ts';
import { meanOf } from '../../../projections/voice-clusters.ts';
import { type SpeakerCount, isWithin } from '../../shared/speaker-count.ts';
import { requestOf } from '../../speech/answer-speakers.ts';

type Completed = RecordingFactOf<'diarization.completed'>;

type Deps = { modelsDir: ModelFolders; files: AudioStore; log: Log };

/**
 * Who spoke when as the recogniser itself said, its speakers of several requests joined by how they sound
 * (where a model for speaker embedding is installed); null where it did not, or where this machine can tell them apart
 * and it named nobody for long, or found another number of speakers than a person said there are.
 */
export async function speakersOfEngine(
  job: Job,
  recording: Recording,
  speakers: SpeakerCount,
  deps: Deps,
): Promise<Completed | null> {
  const { utterances, source } = draft(recording);
  const heard = heardVoices(utterances.flatMap(({ segments }) => segments));
  if (!heard) return null;
  const { voices, embeddingModel } = await voicesOf(heard, job, recording, deps);
  const people = samePeople(heard, voices, speakers);
  const found = new Set(people).size;
  const isDoubtful = heard.untoldSeconds > untoldMax || !isWithin(found, speakers);
  if (isDoubtful && (await diarizerInstalled(deps.modelsDir))) return null;

  // Without the turns, what nobody named would count as one more.
  const turns = heard.turns.map(([start, end, name]): LabelledTurn => [
    start,
    end,
    String(people[name]),
  ]);
  const order = speakingTimes(joinTurns(underLabels(utterances, people.map(String)), turns));
  const labelOf = new Map(order.map(({ label }, i) => [Number(label), speakerLabel(i)]));
  const labels = people.map((person) => labelOf.get(person)!);
  const transcription = factAt(recording, source.results.transcription, 'transcription.completed');
  const isApart = heard.requestCount > 1 && embeddingModel === null && found > 1;
  return {
    type: 'diarization.completed',
    data: {
      engine: transcription?.data.engine ?? 'compat',
      model: transcription?.data.model ?? null,
      turns: heard.turns.map(([start, end, name]) => [start, end, labels[name]!]),
      labels,
      ...(isApart ? { apart: heard.requestCount } : {}),
    },
    ...voicesContent(embeddingModel, meanByLabel(labelledVoices(voices, (name) => labels[name]!))),
  };
}

/** Whom a recogniser heard by its own answers. */
type ToldVoices = {
  /** As the answers name them, in the order in which they first occur. */
  names: string[];
  /** Speakers are indices of the names. */
  turns: SpokenTurn[];
  /** The requests in which each name occurs, and how many there were. */
  requests: ReadonlySet<number>[];
  requestCount: number;
  /** Most speech in a row without a speaker. */
  untoldSeconds: number;
};

/** Part of the speech that must have a speaker for the recogniser's speakers to count. */
const toldMin = 0.5;

/** Speech in a row without a speaker, seconds: more would go to whoever spoke before or after it. */
const untoldMax = 60;

/** Requests overlap by less, seconds. */
const borderSeconds = 5;

/** More are no answer: a name for each sentence, say. */
const namesMax = 400;

/** Who spoke when, as the recogniser said; null where it did not, or of too little. Pure. */
export function heardVoices(segments: readonly Segment[]): ToldVoices | null {
  const names: string[] = [];
  const indexOf = new Map<string, number>();
  const turns: SpokenTurn[] = [];
  let seconds = 0;
  let told = 0;
  let untold = 0;
  let untoldSeconds = 0;
  for (const { start, end, speaker } of segments) {
    seconds += end - start;
    untold = speaker === undefined ? untold + end - start : 0;
    untoldSeconds = Math.max(untoldSeconds, untold);
    if (speaker === undefined) continue;
    told += end - start;
    let index = indexOf.get(speaker);
    if (index === undefined) indexOf.set(speaker, (index = names.push(speaker) - 1));
    turns.push([start, end, index]);
  }
  if (names.length === 0 || names.length > namesMax || told < toldMin * seconds) return null;
  // A request is called by the second at which it begins.
  const begins = [...new Set(names.map((name) => Number(requestOf(name) ?? 0)))].toSorted(
    (a, b) => a - b,
  );
  const requests = names.map(() => new Set<number>());
  for (const [start, , index] of turns) {
    const own = begins.indexOf(Number(requestOf(names[index] ?? '') ?? 0));
    // Speech at a border may be of either request; one that an earlier request named may be known to later ones.
    const at = begins.findLastIndex((begin) => begin <= start - borderSeconds);
    requests[index]?.add(Math.max(own, at));
  }
  return { names, turns, requests, requestCount: begins.length, untoldSeconds };
}

/**
 * Which of them are one person: speakers of different requests by how they sound, the most similar first; two
 * of one request never. Pure.
 * @param voices of each name, in their order
 * @returns for each name the number of its person, counted from 0
 */
export function samePeople(
  { names, requests }: Pick<ToldVoices, 'names' | 'requests'>,
  voices: readonly WindowVoice[],
  speakers: SpeakerCount,
): number[] {
  const { min, max } = speakers;
  if (max === 1) return names.map(() => 0);
  const groups = requests.map((own, i) => ({ names: [i], requests: own }));
  const pairs = names.flatMap((_, a) =>
    names.slice(a + 1).map((__, i) => {
      const b = a + 1 + i;
      const [one, other] = [voices[a], voices[b]];
      const isSure = one && other && isReliable(one) && isReliable(other);
      const alike = similarity(one?.embedding ?? null, other?.embedding ?? null);
      return { a, b, alike, isAlike: alike >= (isSure ? joinMin : joinShortMin) };
    }),
  );
  for (const { a, b, alike, isAlike } of pairs.toSorted((x, y) => y.alike - x.alike)) {
    // As long as there are too many, those who sound most alike are one.
    const isTooMany = max !== null && groups.length > max && alike > -1;
    if (!isTooMany && !(isAlike && groups.length > (min ?? 1))) continue;
    const one = groups.find((group) => group.names.includes(a));
    const other = groups.find((group) => group.names.includes(b));
    if (!one || !other || one === other) continue;
    if ([...one.requests].some((request) => other.requests.has(request))) continue;
    one.names.push(...other.names);
    one.requests = new Set([...one.requests, ...other.requests]);
    groups.splice(groups.indexOf(other), 1);
  }
  return names.map((_, i) => groups.findIndex((group) => group.names.includes(i)));
}

/** What a fact keeps of how its speakers sound, by a model; nothing without one. */
export const voicesContent = (
  embeddingModel: string | null,
  voices: LabelledVoices,
): Pick<Completed, 'content'> =>
  embeddingModel === null ? {} : { content: { embedding_model: embeddingModel, voices } };

type LabelledVoices = ReturnType<typeof labelledVoices>;

/** One of each label, of all that were heard of it. */
function meanByLabel(voices: LabelledVoices): LabelledVoices {
  return [...new Set(voices.map(({ label }) => label))].toSorted().map((label) => {
    const own = voices.filter((voice) => voice.label === label);
    const seconds = milliseconds(own.reduce((sum, voice) => sum + voice.seconds, 0));
    return { label, seconds, embedding: unit(meanOf(own)!) };
  });
}

/** How each of them sounds; nothing without a model. That it fails is logged: the recogniser's speakers stay. */
async function voicesOf(
  { turns }: ToldVoices,
  job: Job,
  recording: Recording,
  { modelsDir, files, log }: Deps,
): Promise<{ voices: WindowVoice[]; embeddingModel: string | null }> {
  const embedder = await localEmbedder(modelsDir);
  if (!embedder) return { voices: [], embeddingModel: null };
  try {
    const voices = await withSpeech(job, recording, { files }, (speech, onProgress) =>
      embedder.embed(speech, turns, { signal: job.signal, onProgress }),
    );
    const ordered = voices.toSorted((a, b) => a.speaker - b.speaker);
    return { voices: ordered, embeddingModel: embedder.embeddingModel };
  } catch (error) {
    if (job.signal.aborted) throw error;
    const { recordingId } = job;
    log.warn(
      { err: error, recordingId, stage: 'diarize' },
      'speakers of separate parts could not be compared',
    );
    return { voices: [], embeddingModel: null };
  } finally {
    await embedder.close();
  }
}
