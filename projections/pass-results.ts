import type { RecordingRow } from './recording-row.ts';

/** What a pass through the pipeline has led to so far. Long texts are rows of their own, named by their pass. */
export type Results = Pick<
  RecordingRow,
  'title' | 'abstract' | 'language' | 'speakers' | 'notes'
> & {
  /** What to ask while speakers are awaited. */
  suggestions: RecordingRow['suggestions'];
  /** Position of the `turns.joined` that the speakers come from. */
  turns: number | null;
  /** The pass whose utterances these are, and how many places they take. */
  utterances: { run: number; count: number } | null;
  /** Names of the rows of blocks and summary: the pass they come from, or `r<n>` when restored. */
  blocks: number | string | null;
  summary: number | string | null;
  /** Ids of the blocks that a person corrected since. */
  edited: string[];
  /** Corrections of an earlier transcript that found no place in this one. */
  unplaced: number;
  /** Whether title and language are what a person said. */
  titled: boolean;
  languageSet: boolean;
};

/** Before anything was done, and after an erasure. */
export const noResults: Results = {
  title: null,
  abstract: null,
  language: null,
  speakers: [],
  notes: [],
  suggestions: [],
  turns: null,
  utterances: null,
  blocks: null,
  summary: null,
  edited: [],
  unplaced: 0,
  titled: false,
  languageSet: false,
};

/** What speech-to-text does anew. */
export const nothingSpoken = {
  turns: null,
  utterances: null,
  blocks: null,
  summary: null,
  speakers: [],
  suggestions: [],
  edited: [],
  unplaced: 0,
} satisfies Partial<Results>;

/** The results with the speakers' names; those that nobody named are none. */
export const withNames = (
  results: Results,
  names: Record<string, string> | undefined,
): Results => ({
  ...results,
  speakers: results.speakers.map((one) => ({ ...one, name: ownName(names, one.label) })),
  notes: results.notes.filter(({ code }) => code !== 'speakers-skipped'),
});

/** The speakers with one more, when a correction names somebody new. */
export function withSpeaker(
  speakers: Results['speakers'],
  label: string | null,
  name: string | undefined,
): Results['speakers'] {
  if (label === null || speakers.some((one) => one.label === label)) return speakers;
  return [...speakers, { label, name: name ?? null, seconds: 0 }];
}

/** What a person called a label. An empty name is none: the label stays. Labels come from outside, so only own properties count. */
export function ownName(names: Record<string, string> | undefined, label: string): string | null {
  if (names === undefined || !Object.hasOwn(names, label)) return null;
  return names[label]?.trim() || null;
}
