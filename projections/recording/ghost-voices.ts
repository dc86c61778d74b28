/** Words as they were given to voices. */
export type VoicedWord = {
  text: string;
  start: number;
  end: number;
  label: string;
  /** The recogniser itself, or a channel of its own, says whose it is. */
  isTold: boolean;
};

/** Words of one voice in a row: `[from, to)`. */
type Run = {
  from: number;
  to: number;
  label: string;
  seconds: number;
  first: VoicedWord;
  last: VoicedWord;
};

/** A voice that speaks for less time in all, and for less of the talk, without a sentence of its own, is none … */
const voiceSecondsMin = 2;
const voiceShareMin = 0.1;
/** … and so few words in the middle of another's sentence, said this fast, are the other's. */
const insertedWordsMax = 2;
const insertedSecondsMax = 1;

/**
 * For each word whose it is once voices of a word or two are the voice around them: what tells voices apart by their sound
 * finds some in a stumble or a cough. Linear in length. Pure.
 * @param isEnd whether a sentence ends with the word of that index
 * @param speakersMin so many people speak at least
 */
export function withoutGhosts(
  words: readonly VoicedWord[],
  isEnd: (at: number) => boolean,
  speakersMin: number,
): string[] {
  const runs = runsOf(words);
  const ghosts = ghostsIn(runs, isEnd, speakersMin);
  const labels = words.map(({ label }) => label);
  // Whose words came last, and whose come next, among those that are voices.
  const real = runs.filter(({ label }) => !ghosts.has(label));
  let next = 0;
  for (const run of runs) {
    if (real[next] === run) next += 1;
    if (run.first.isTold) continue;
    const isGhost = ghosts.has(run.label);
    const [before, after] = [real[isGhost ? next - 1 : next - 2], real[next]];
    if (isGhost || isInserted(run, before, after, isEnd)) {
      const home = around(run, before, after, isEnd);
      if (home) labels.fill(home.label, run.from, run.to);
    }
  }
  return labels;
}

function runsOf(words: readonly VoicedWord[]): Run[] {
  const runs: Run[] = [];
  for (const [at, word] of words.entries()) {
    const { label, isTold, start, end } = word;
    const run = runs.at(-1);
    if (run?.label === label && run.first.isTold === isTold) {
      run.to = at + 1;
      run.last = word;
      run.seconds = Math.max(run.seconds, end - run.first.start);
    } else {
      const seconds = Math.max(0, end - start);
      runs.push({ from: at, to: at + 1, label, seconds, first: word, last: word });
    }
  }
  return runs;
}

function ghostsIn(
  runs: readonly Run[],
  isEnd: (at: number) => boolean,
  speakersMin: number,
): Set<string> {
  const seconds = new Map<string, number>();
  for (const { label, seconds: own } of runs) seconds.set(label, (seconds.get(label) ?? 0) + own);
  const all = [...seconds.values()].reduce((sum, own) => sum + own, 0);
  const kept = new Set(
    runs.filter((run) => run.first.isTold || isOwnSentence(run, isEnd)).map(({ label }) => label),
  );
  const least = [...seconds].toSorted((a, b) => a[1] - b[1]);
  const droppable = least.slice(0, Math.max(0, least.length - Math.max(1, speakersMin)));
  return new Set(
    droppable
      .filter(
        ([label, own]) => own < voiceSecondsMin && own < voiceShareMin * all && !kept.has(label),
      )
      .map(([label]) => label),
  );
}

/** Whether it begins and ends a sentence, maybe after breaking in on another's. */
const isOwnSentence = ({ from, to, first }: Run, isEnd: (at: number) => boolean): boolean =>
  isEnd(to - 1) && (from === 0 || isEnd(from - 1) || /^\P{L}*\p{Lu}/u.test(first.text));

/** Whether it stands within one sentence of another. */
const isInserted = (
  { from, to, seconds }: Run,
  before: Run | undefined,
  after: Run | undefined,
  isEnd: (at: number) => boolean,
): boolean =>
  before !== undefined &&
  before.label === after?.label &&
  before.to === from &&
  after.from === to &&
  to - from <= insertedWordsMax &&
  seconds < insertedSecondsMax &&
  !isEnd(from - 1) &&
  !isEnd(to - 1);

/** The voice around a run: that of its sentence, else the nearer one. */
function around(
  { from, to, first, last }: Run,
  before: Run | undefined,
  after: Run | undefined,
  isEnd: (at: number) => boolean,
): Run | undefined {
  if (!before || !after) return before ?? after;
  const [endsBefore, endsAfter] = [isEnd(from - 1), isEnd(to - 1)];
  if (endsBefore !== endsAfter) return endsBefore ? after : before;
  const silence = first.start - before.last.end;
  return silence <= after.first.start - last.end ? before : after;
}
