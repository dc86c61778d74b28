import type { RecordingFact, RecordingFactOf } from '../../events/facts/recording.ts';
import type { Block } from '../../events/facts/transcript.ts';
import { speakerName } from '../documents/documents.ts';
import { corrected, newLabel } from './corrections/carry-over.ts';
import { draft, type Reading } from '../../projections/recording/reading.ts';
import { factAt, type Recording } from '../../projections/recording/recording.ts';

/** What a person wants of one block: other words, or another speaker (label or name). */
export type BlockChange = {
  block: string;
  text?: string | undefined;
  speaker?: string | undefined;
};

/** A person named a speaker where nobody is told apart. HTTP answers 422. */
export class NoSpeakers extends Error {
  override name = 'NoSpeakers';
  readonly code = 'NO_SPEAKERS';
  constructor() {
    super('This passage belongs to no speaker: the recording is not a meeting.');
  }
}

/**
 * The facts for changes of blocks in what people are shown; none where nothing changes. A speaker
 * nobody has named yet gets a label of their own.
 * @param uiLanguage of the documents, in which speakers without a name are shown
 * @throws {NoSpeakers}
 */
export function turnEdits(
  shown: Reading,
  changes: readonly BlockChange[],
  uiLanguage: 'de' | 'en',
): RecordingFactOf<'turn.edited'>[] {
  const { basis } = shown;
  const blocks = new Map(shown.blocks.map((block) => [block.id, block]));
  const speakers = speakerBook(shown, uiLanguage);
  return changes.flatMap((change) => {
    const block = blocks.get(change.block);
    if (!block || basis === null) return [];
    const text = change.text ?? block.text;
    const who =
      change.speaker === undefined
        ? { label: block.speaker }
        : speakers.find(change.speaker, block);
    if (text === block.text && who.label === block.speaker) return [];
    const words = text === block.text ? { text, words: block.words } : corrected(block, text);
    const { label, name } = { name: undefined, ...who };
    return [
      {
        type: 'turn.edited' as const,
        data: { basis, block: block.id, speaker: label },
        content: { ...words, ...(name === undefined ? {} : { name }) },
      },
    ];
  });
}

/** The fact for names of speakers given afterwards; an empty one takes a name away. */
export function renaming(
  shown: Reading,
  names: Readonly<Record<string, string>>,
): RecordingFactOf<'speakers.renamed'> | null {
  const all = Object.fromEntries(
    Object.entries({ ...shown.names, ...names }).filter(([, name]) => name !== ''),
  );
  if (sameNames(all, shown.names)) return null;
  const labels = shown.speakers
    .map(({ label }) => label)
    .filter((label) => Object.hasOwn(all, label));
  return { type: 'speakers.renamed', data: { labels }, content: { names: all } };
}

/** The facts for what a person says of a recording as a whole; none where it is so already. */
export function recordingChanges(
  recording: Recording,
  now: { kind: 'solo' | 'meeting'; owner: string },
  wanted: {
    title?: string | undefined;
    kind?: 'solo' | 'meeting' | undefined;
    language?: string | null | undefined;
    owner?: string | undefined;
  },
): RecordingFact[] {
  const facts: RecordingFact[] = [];
  const previous = draft(recording).title;
  if (wanted.title !== undefined && wanted.title !== previous) {
    facts.push({ type: 'title.changed', data: {}, content: { title: wanted.title, previous } });
  }
  if (wanted.kind !== undefined && wanted.kind !== now.kind) {
    facts.push({ type: 'kind.changed', data: { kind: wanted.kind } });
  }
  const { languageSet } = recording.sources.draft.results;
  const language = factAt(recording, languageSet, 'language.set')?.data.language;
  if (wanted.language !== undefined && wanted.language !== language) {
    facts.push({ type: 'language.set', data: { language: wanted.language } });
  }
  if (wanted.owner !== undefined && wanted.owner !== now.owner) {
    facts.push({ type: 'recording.handed_over', data: { owner: wanted.owner } });
  }
  return facts;
}

/** Finds labels by label, by name, or as documents show them. */
function speakerBook({ speakers: known }: Reading, uiLanguage: 'de' | 'en') {
  const fresh = new Map<string, string>();
  return {
    find(wanted: string, block: Block): { label: string; name?: string } {
      if (block.speaker === null) throw new NoSpeakers();
      const found =
        known.find(({ label }) => label === wanted) ??
        known.find(({ name }) => name === wanted) ??
        known.find(({ label }) => speakerName({ speakers: known, uiLanguage }, label) === wanted);
      if (found) return { label: found.label };
      const labels = new Set([...known.map(({ label }) => label), ...fresh.values()]);
      const label = fresh.get(wanted) ?? newLabel(labels);
      fresh.set(wanted, label);
      return { label, name: wanted };
    },
  };
}

const sameNames = (a: Record<string, string>, b: Record<string, string>): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([label, name]) => b[label] === name);
