/** Seconds of speech by which the language is decided … */
const decidedBySeconds = 20;
/** … and the share of them that must be in it: of a talk that changes languages nothing is decided. */
const decidedByShare = 0.6;
/** Another language of the house counts from so many seconds on; one that nobody named, from so many, in that share. */
const otherSeconds = { ofHouse: 5, unnamed: 30 };
const otherShare = 0.25;
/** What a language weighs that is none of the house's. */
const strangeWeight = 0.2;

export type HeardIn = {
  index: number;
  start: number;
  end: number;
  /** The language it was recognised in; null where the engine did not say. */
  language: string | null;
  /** What it sounded like when the engine was left to find out; absent where that is the same. */
  heard?: string | undefined;
  /** How sure the engine was of that, 0 to 1. */
  probability?: number | undefined;
};

/**
 * The language that a talk is in by most of what was heard, and what is to be recognised again, in which language: what
 * sounded like one that the talk is not in. Everything heard counts, so that later speech corrects the first guess. Null
 * while there is too little, where the engine does not say, and where no language prevails. Pure.
 * @param house languages that are spoken here (`stt.languages`), ISO 639-1; none: any
 */
export function decidedLanguage(
  utterances: readonly HeardIn[],
  house: readonly string[] = [],
): { language: string; again: { index: number; language: string }[] } | null {
  const isStrange = (language: string) => house.length > 0 && !house.includes(language);
  const seconds = secondsOf(utterances, ({ probability = 1, heard, language }) =>
    isStrange(heard ?? language ?? '') ? probability * strangeWeight : probability,
  );
  const all = [...seconds.values()].reduce((sum, own) => sum + own, 0);
  const [[language, most] = ['', 0]] = [...seconds].toSorted((a, b) => b[1] - a[1]);
  const spoken = utterances.reduce((sum, { start, end }) => sum + end - start, 0);
  if (spoken < decidedBySeconds || most === 0 || most < decidedByShare * all) return null;
  const isSpoken = (other: string) => {
    const own = seconds.get(other) ?? 0;
    if (other === language) return true;
    if (house.length > 0) return !isStrange(other) && own >= otherSeconds.ofHouse;
    return own >= otherSeconds.unnamed && own >= otherShare * all;
  };
  return {
    language,
    again: utterances.flatMap((one) => {
      const heard = one.heard ?? one.language;
      if (heard === null) return [];
      const wanted = isSpoken(heard) ? heard : language;
      return one.language === wanted ? [] : [{ index: one.index, language: wanted }];
    }),
  };
}

/** The language of most of the speech, by seconds. */
export function mostHeard(
  utterances: readonly { start: number; end: number; language: string | null }[],
): string | null {
  const seconds = secondsOf(
    utterances.map(({ start, end, language }) => ({ start, end, language })),
    () => 1,
  );
  const [most] = [...seconds].toSorted((a, b) => b[1] - a[1]);
  return most?.[0] ?? null;
}

/** Of what was recognised in another language than it sounded like, that which occurs most. */
export function heardOtherwise(
  utterances: readonly Pick<HeardIn, 'language' | 'heard'>[],
): { heard: string; count: number; of: number } | null {
  const counts = new Map<string, number>();
  for (const { heard, language } of utterances) {
    if (heard !== undefined && heard !== language) counts.set(heard, (counts.get(heard) ?? 0) + 1);
  }
  const [most] = [...counts].toSorted((a, b) => b[1] - a[1]);
  return most ? { heard: most[0], count: most[1], of: utterances.length } : null;
}

type Spoken = { start: number; end: number; language: string | null; heard?: string | undefined };

function secondsOf<T extends Spoken>(
  utterances: readonly T[],
  weight: (one: T) => number,
): Map<string, number> {
  const seconds = new Map<string, number>();
  for (const one of utterances) {
    const language = one.heard ?? one.language;
    if (language === null) continue;
    seconds.set(language, (seconds.get(language) ?? 0) + (one.end - one.start) * weight(one));
  }
  return seconds;
}
