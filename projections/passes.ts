import type { LoggedFact } from '../events/catalogue.ts';
import type { ReprocessedFrom } from '../events/recording-facts.ts';
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

/**
 * What a reader is shown, and apart from it what a further pass has led to: once there are documents,
 * what belongs to them stays until the documents of the next pass are saved.
 */
export type Passes = {
  run: number;
  shown: Results;
  pending: Results | null;
  /** There are documents. */
  saved: boolean;
};

type Note = { code: string; detail: string };

export const noPasses: Passes = {
  run: 0,
  shown: {
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
  },
  pending: null,
  saved: false,
};

/** What the pass that is under way has led to; without one, what is shown. */
export const latest = (passes: Passes): Results => passes.pending ?? passes.shown;

/** The passes after a fact; the same object when it has no say in them. Pure. */
export function foldPasses(passes: Passes, fact: LoggedFact): Passes {
  if (isErased(fact)) return { ...noPasses, run: passes.run };
  const result = resultOf(fact, passes);
  if (result) return withLatest(passes, { ...latest(passes), ...result });

  switch (fact.type) {
    case 'recording.started':
    case 'audio.imported':
      return {
        ...noPasses,
        run: 1,
        shown: {
          ...noPasses.shown,
          title: fact.content?.title ?? null,
          language: fact.data.language,
        },
      };
    case 'reprocessing.requested': {
      const { from, language } = fact.data;
      const again: Results = {
        ...passes.shown,
        ...(language === undefined ? {} : { language }),
        ...(from === 'speech-to-text' ? nothingSpoken : {}),
        notes: passes.shown.notes.filter(({ code }) => stays(code, from)),
      };
      const run = passes.run + 1;
      return passes.saved
        ? { ...passes, run, pending: again }
        : { ...passes, run, shown: again, pending: null };
    }
    case 'title.changed':
      return both(passes, (results) => ({
        ...results,
        title: fact.content?.title ?? null,
        titled: true,
      }));
    case 'language.set':
      return both(passes, (results) => ({
        ...results,
        language: fact.data.language,
        languageSet: fact.data.language !== null,
      }));
    case 'speakers.renamed':
      return both(passes, (results) =>
        results.turns === passes.shown.turns ? withNames(results, fact.content?.names) : results,
      );
    case 'turn.edited': {
      const { block, speaker } = fact.data;
      const { blocks } = passes.shown;
      return both(passes, (results) =>
        results.blocks === blocks
          ? {
              ...results,
              edited: [...new Set([...results.edited, block])],
              speakers: withSpeaker(results.speakers, speaker, fact.content?.name),
            }
          : results,
      );
    }
    case 'version.restored': {
      const { speakers, language } = fact.data;
      const names = fact.content?.names;
      const row = `r${fact.version}`;
      const restored: Results = {
        ...passes.shown,
        title: fact.content?.title ?? null,
        abstract: fact.content?.abstract ?? null,
        language,
        speakers: speakers.map((one) => ({ ...one, name: ownName(names, one.label) })),
        notes: withNote(
          passes.shown.notes.filter(({ code }) => code !== 'restored'),
          { code: 'restored', detail: String(fact.data.version) },
        ),
        blocks: row,
        summary: row,
        edited: [],
        unplaced: 0,
        titled: typeof fact.data.material.results['titled'] === 'number',
        languageSet: typeof fact.data.material.results['languageSet'] === 'number',
      };
      return passes.saved
        ? { ...passes, pending: restored }
        : { ...passes, shown: restored, pending: null };
    }
    case 'documents.deleted':
      return fact.data.documents.length === 3 ? { ...passes, saved: false } : passes;
    case 'documents.saved': {
      const { notes, ...shown } = latest(passes);
      const edited = fact.data.kept.map((detail) => ({ code: 'edited', detail }));
      const others = notes.filter(({ code }) => code !== 'edited');
      return {
        ...passes,
        saved: true,
        pending: null,
        shown: { ...shown, notes: [...others, ...edited] },
      };
    }
    case 'processing.cancelled':
    case 'error.cleared':
      return passes.pending ? { ...passes, pending: null, shown: returnTo(passes) } : passes;
    default:
      return passes;
  }
}

/** Whether nothing a person said or wrote may be left after this fact. */
export const isErased = (fact: LoggedFact): boolean =>
  fact.to === 'idle.erased' ||
  fact.type === 'recording.erased' ||
  fact.type === 'recording.discarded';

/** What a stage's result adds; undefined for facts that are none. */
function resultOf(fact: LoggedFact, passes: Passes): Partial<Results> | undefined {
  const now = latest(passes);
  switch (fact.type) {
    case 'capture.interrupted':
      return noted(now, 'capture-interrupted', fact.data.reason);
    case 'speech.detected': {
      const found = fact.data.warnings.map((code) => ({ code, detail: '' }));
      if (fact.data.stretches.length === 0) found.push({ code: 'no-speech', detail: '' });
      return {
        utterances: { run: passes.run, count: 0 },
        notes: found.reduce<Note[]>(withNote, now.notes),
      };
    }
    case 'utterance.recognised': {
      const before = now.utterances?.run === passes.run ? now.utterances.count : 0;
      const count = Math.max(before, fact.data.index + 1);
      return { utterances: { run: passes.run, count } };
    }
    case 'transcription.completed':
      return now.languageSet ? {} : { language: fact.data.language ?? now.language };
    case 'diarization.skipped':
      return noted(now, 'diarization-skipped', fact.data.reason);
    case 'identification.skipped':
      return noted(now, 'identification-skipped', fact.data.reason);
    case 'turns.joined': {
      const { speakers } = fact.data;
      return {
        turns: fact.position,
        blocks: passes.run,
        edited: [],
        unplaced: 0,
        speakers: speakers.map(({ label, seconds }) => ({ label, name: null, seconds })),
        suggestions: speakers.map(({ label, seconds }) => {
          const found = fact.content?.suggestions.find((one) => one.label === label);
          return {
            label,
            suggested_name: found?.name ?? null,
            confidence: found?.confidence ?? null,
            reason: found?.reason ?? null,
            seconds,
            sample: found?.sample ?? null,
          };
        }),
      };
    }
    case 'speakers.named':
      return withNames(now, fact.content?.names);
    case 'speakers.skipped':
      return noted(now, 'speakers-skipped');
    case 'transcript.punctuated':
      return {
        blocks: passes.run,
        edited: [],
        unplaced: 0,
        ...(fact.data.kept.length > 0
          ? noted(now, 'parts-unpunctuated', fact.data.kept.join(', '))
          : {}),
      };
    case 'corrections.carried_over': {
      const { unplaced, labels } = fact.data;
      const others = now.notes.filter(({ code }) => code !== unplacedNote);
      const names = fact.content?.names;
      return {
        edited: [],
        unplaced,
        notes:
          unplaced > 0 ? withNote(others, { code: unplacedNote, detail: `${unplaced}` }) : others,
        speakers: labels.reduce(
          (speakers, label) => withSpeaker(speakers, label, ownName(names, label) ?? undefined),
          now.speakers,
        ),
      };
    }
    case 'summary.fallback_used':
      return noted(now, 'no-language-model');
    case 'summary.completed':
      return { summary: passes.run };
    case 'title.chosen':
      return {
        ...(now.titled ? {} : { title: fact.content?.title ?? null }),
        abstract: fact.content?.abstract ?? null,
      };
    default:
      return undefined;
  }
}

const noted = (now: Results, code: string, detail = ''): Partial<Results> => ({
  notes: withNote(now.notes, { code, detail }),
});

const withLatest = (passes: Passes, results: Results): Passes =>
  passes.pending ? { ...passes, pending: results } : { ...passes, shown: results };

/** What a person says holds for what is shown and for what is under way. */
const both = (passes: Passes, change: (results: Results) => Results): Passes => ({
  ...passes,
  shown: change(passes.shown),
  pending: passes.pending && change(passes.pending),
});

const withNames = (results: Results, names: Record<string, string> | undefined): Results => ({
  ...results,
  speakers: results.speakers.map((one) => ({ ...one, name: ownName(names, one.label) })),
  notes: results.notes.filter(({ code }) => code !== 'speakers-skipped'),
});

/** The speakers with one more, when a correction names somebody new. */
function withSpeaker(
  speakers: Results['speakers'],
  label: string | null,
  name: string | undefined,
): Results['speakers'] {
  if (label === null || speakers.some((one) => one.label === label)) return speakers;
  return [...speakers, { label, name: name ?? null, seconds: 0 }];
}

const unplacedNote = 'corrections-unplaced';

/** Names given during a pass that came to nothing stay, if they are names of the same turns' speakers. */
function returnTo({ shown, pending }: Passes): Results {
  if (pending === null || pending.turns === null || pending.turns !== shown.turns) return shown;
  return { ...shown, speakers: pending.speakers };
}

/** An empty name is none: the label stays. Labels come from outside, so only own properties count. */
function ownName(names: Record<string, string> | undefined, label: string): string | null {
  if (names === undefined || !Object.hasOwn(names, label)) return null;
  return names[label]?.trim() || null;
}

const withNote = (notes: readonly Note[], note: Note): Note[] =>
  notes.some(({ code, detail }) => code === note.code && detail === note.detail)
    ? [...notes]
    : [...notes, note];

/** What speech-to-text does anew. */
const nothingSpoken = {
  turns: null,
  utterances: null,
  blocks: null,
  summary: null,
  speakers: [],
  suggestions: [],
  edited: [],
  unplaced: 0,
} satisfies Partial<Results>;

/** Whether what a note says still holds while a pass runs again from there. */
function stays(code: string, from: ReprocessedFrom): boolean {
  if (code === 'capture-interrupted' || code === 'edited') return true;
  if (from === 'speech-to-text') return false;
  if (from === 'entitle' || from === 'write') return true;
  const ofWords = ['no-language-model', 'parts-unpunctuated', unplacedNote, 'restored'];
  const ofSpeakers = ['diarization-skipped', 'identification-skipped', 'speakers-skipped'];
  return !ofWords.includes(code) && (from === 'language-model' || !ofSpeakers.includes(code));
}
