import type { Segment, Stretch } from '../../../events/facts/transcript.ts';
import type { SpeechFile } from '../../audio/wav.ts';
import type { WaitingFor } from '../../shared/retry.ts';
import { type HeardPart, askedStretch, keptPart } from '../../speech/detection/speech-segments.ts';
import type { Meeting, Recognised, SpeechEngine } from '../../speech/engine.ts';
import type { RecordingFactOf } from '../../../events/facts/recording.ts';
import type { Utterance } from '../../../projections/recording/utterances.ts';
import { wordCount } from '../../shared/segments.ts';

/** A stretch of the plan, recognised; from seam to seam where speech was cut. */
export type HeardStretch = Recognised & {
  index: number;
  start: number;
  end: number;
  /** What it sounded like, where it was recognised again in another language. */
  heard?: string | undefined;
};

/**
 * Asks an engine for all stretches of a plan that have not been recognised yet, in order. Where speech was cut,
 * neighbours overlap and meet between two words. The engine goes on while the caller stores one.
 * @param audioOf what each stretch is of: the mix, or a channel
 * @param options.done what was recognised of the plan before
 * @throws what the engine throws
 */
export async function* recognisePlan(
  engine: SpeechEngine,
  audioOf: (index: number) => SpeechFile,
  plan: readonly Stretch[],
  {
    done = [],
    asked,
    meeting,
    ...options
  }: {
    done?: readonly HeardPart[];
    /** What an engine was asked already for one of the stretches; asked again if nothing comes of it. */
    asked?: { index: number; result: Promise<Recognised> } | null;
    /** Of a meeting. */
    meeting?: Omit<Meeting, 'heard'> | undefined;
    language: string | null;
    /** Names and terms that may be said. */
    terms?: readonly string[];
    signal: AbortSignal;
    onWaiting?: (waiting: WaitingFor | null) => void;
  },
): AsyncGenerator<HeardStretch> {
  /** Whether a stretch ends where the next one begins. */
  const goesOn = (index: number): boolean => isCut(plan, index, audioOf);
  const ask = (index: number, before: HeardPart | null): Promise<Recognised> | undefined => {
    const stretch = plan[index];
    if (!stretch) return undefined;
    // Where it goes on nobody knows yet where the next one begins.
    const isAlike = plan[index + 1] !== undefined && audioOf(index) === audioOf(index + 1);
    const next = isAlike && !goesOn(index) ? plan[index + 1] : undefined;
    const recognise = () =>
      engine.recognise(audioOf(index), askedStretch(stretch, before), {
        ...options,
        next,
        meeting: meeting && { ...meeting, heard: [...known] },
      });
    const recognised = asked?.index === index ? asked.result.catch(recognise) : recognise();
    recognised.catch(() => {}); // thrown when it is this one's turn
    return recognised;
  };
  const known: Segment[] = meeting ? done.flatMap(({ segments }) => segments) : [];
  const last = done.at(-1);
  let before = last && goesOn(done.length - 1) ? last : null;
  let coming = ask(done.length, before);
  for (const [at, stretch] of plan.slice(done.length).entries()) {
    const index = done.length + at;
    const heard = (await coming)!;
    const place = { before, goesOn: goesOn(index) };
    const part = keptPart(heard.segments, stretch, place);
    before = place.goesOn ? part : null;
    if (meeting) known.push(...part.segments);
    coming = ask(index + 1, before);
    yield { ...heard, ...part, index };
  }
}

/** Whether speech was cut at the end of a stretch, and goes on in the next one of the same audio. */
const isCut = (
  plan: readonly Stretch[],
  index: number,
  audioOf: (index: number) => SpeechFile,
): boolean => {
  const [stretch, next] = [plan[index], plan[index + 1]];
  if (!stretch || !next) return false;
  return stretch[1] === next[0] && audioOf(index) === audioOf(index + 1);
};

/**
 * Asks once more for one stretch of a plan, in another language than the engine took it for.
 * @param all what was recognised of the plan
 * @throws what the engine throws
 */
export async function recogniseAgain(
  engine: SpeechEngine,
  audioOf: (index: number) => SpeechFile,
  plan: readonly Stretch[],
  {
    all,
    index,
    ...options
  }: { all: readonly Utterance[]; index: number } & Parameters<SpeechEngine['recognise']>[2],
): Promise<HeardStretch> {
  const stretch = plan[index]!;
  const before = isCut(plan, index - 1, audioOf) ? (all[index - 1] ?? null) : null;
  const heard = await engine.recognise(audioOf(index), askedStretch(stretch, before), options);
  const first = all[index]!;
  const place = { before, goesOn: isCut(plan, index, audioOf), ended: first.end };
  const part = keptPart(heard.segments, stretch, place);
  return { ...part, ...inLanguage(first, options.language), index };
}

/** Of what is recognised again: the language it is asked in, and what it sounded like at first. */
export const inLanguage = (
  { language, heard, probability }: Utterance,
  again: string | null,
): Pick<HeardStretch, 'language' | 'heard' | 'probability'> => ({
  language: again,
  heard: heard ?? language ?? undefined,
  ...(probability === undefined ? {} : { probability }),
});

/** What an engine heard of one stretch of the plan, as the log has it. */
export function utteranceFact(
  { index, start, end, segments, language, heard, probability }: HeardStretch,
  voice?: string,
): RecordingFactOf<'utterance.recognised'> {
  const words = wordsIn(segments);
  return {
    type: 'utterance.recognised',
    data: {
      index,
      start,
      end,
      words,
      language,
      ...(heard === undefined ? {} : { heard }),
      ...(probability === undefined ? {} : { probability }),
      ...(voice === undefined ? {} : { voice }),
    },
    content: { segments },
  };
}

export const wordsIn = (segments: readonly { text: string }[]): number =>
  segments.reduce((sum, { text }) => sum + wordCount(text), 0);
