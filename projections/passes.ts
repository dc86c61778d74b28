import type { LoggedFact } from '../events/facts/catalogue.ts';
import { isErased } from './erased.ts';
import { noteStays, withNote } from './pass-notes.ts';
import {
  type Results,
  noResults,
  nothingSpoken,
  ownName,
  withNames,
  withSpeaker,
} from './pass-results.ts';
import { resultOf } from './stage-results.ts';

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

/** Of a recording that has not begun. */
export const noPasses: Passes = {
  run: 0,
  shown: noResults,
  pending: null,
  saved: false,
};

/** What the pass that is under way has led to; without one, what is shown. */
export const latest = (passes: Passes): Results => passes.pending ?? passes.shown;

/** The passes after a fact; the same object when it has no say in them. Pure. */
export function foldPasses(passes: Passes, fact: LoggedFact): Passes {
  if (isErased(fact)) return { ...noPasses, run: passes.run };
  const result = resultOf(fact, latest(passes), passes.run);
  if (result) return withLatest(passes, { ...latest(passes), ...result });

  switch (fact.type) {
    case 'recording.started':
    case 'audio.imported':
      return {
        ...noPasses,
        run: 1,
        shown: {
          ...noResults,
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
        notes: passes.shown.notes.filter(({ code }) => noteStays(code, from)),
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

const withLatest = (passes: Passes, results: Results): Passes =>
  passes.pending ? { ...passes, pending: results } : { ...passes, shown: results };

/** What a person says holds for what is shown and for what is under way. */
const both = (passes: Passes, change: (results: Results) => Results): Passes => ({
  ...passes,
  shown: change(passes.shown),
  pending: passes.pending && change(passes.pending),
});

/** Names given during a pass that came to nothing stay, if they are names of the same turns' speakers. */
function returnTo({ shown, pending }: Passes): Results {
  if (pending === null || pending.turns === null || pending.turns !== shown.turns) return shown;
  return { ...shown, speakers: pending.speakers };
}
