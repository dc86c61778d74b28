import type { Source } from '../../events/facts/sources.ts';
import { type EarlyEnd, type Note, type NoteCode, noteOf } from '../../src/words/notes.ts';
import { clock } from '../../src/shared/time.ts';
import type { Stretch } from '../../events/facts/transcript.ts';
import type { Sentence } from '../../src/words/params.ts';
import type { ReadFact } from './recording.ts';

/** In the order in which a reader is told. */
export const noteCodes = [
  'capture-interrupted',
  'audio-added',
  'gaps',
  'truncated',
  'damaged',
  'silent',
  'clipped',
  'one-channel',
  'other-tracks',
  'no-speech',
  'heard-otherwise',
  'diarization-skipped',
  'speakers-apart',
  'identification-skipped',
  'speakers-skipped',
  'not-punctuated',
  'punctuation-missing',
  'punctuation-not-added',
  'punctuated-locally',
  'summary-extracted',
  'template-not-used',
  'parts-unnoted',
  'title-extracted',
  'abstract-extracted',
  'abstract-left-out',
  'names-replaced',
  'too-short',
  'title-kept',
  'parts-unpunctuated',
  'punctuation-unanswered',
  'corrections-unplaced',
  'restored',
  'edited',
  'unreadable',
] as const satisfies readonly NoteCode[];

/**
 * The notes of what something is made of, in the order of the codes. They follow from the facts that
 * count and are kept nowhere else, so none outlives what it is about. Pure.
 * @param options.titleGiven whether a person gave the title
 * @param options.allNamed whether every speaker has a name
 * @param options.renamed whether the summary is an earlier one with other names in it
 */
export function notesOf(
  source: Source,
  counting: readonly ReadFact[],
  { titleGiven, renamed, allNamed }: { titleGiven: boolean; renamed: boolean; allNamed: boolean },
): Note[] {
  const said = new Map<NoteCode, Note>(counting.flatMap(saidBy).map((note) => [note.code, note]));
  const say = (note: Note) => said.set(note.code, note);
  const { results, stretches } = source;
  if (stretches === 0) {
    say(noteOf('no-speech'));
    // Then all of them were listened to.
    said.delete('other-tracks');
  }
  if (said.has('no-speech')) {
    // Of no words there is nothing to extract.
    for (const code of extractCodes) said.delete(code);
  }
  // Without a summary there is nothing that an abstract could shorten.
  if (said.has('too-short')) {
    said.delete('abstract-extracted');
    said.delete('abstract-left-out');
  }
  if (titleGiven) said.delete('title-extracted');
  // People gave the names that were not looked up.
  if (allNamed) said.delete('identification-skipped');
  if (renamed) say(noteOf('names-replaced'));
  // Until something is made of the turns they may still be named.
  const isSkipped = results.turns !== null && results.names === null && results.punctuated !== null;
  if (isSkipped) say(noteOf('speakers-skipped'));
  return noteCodes.flatMap((code) => said.get(code) ?? []);
}

/** Of what decoding found, that which a reader should know. */
const audioCodes = ['truncated', 'damaged', 'silent', 'clipped', 'one-channel'] as const;

/** What was made without a language model. The detail says why, where the log does. */
export const extractCodes: readonly NoteCode[] = [
  'not-punctuated',
  'punctuation-missing',
  'punctuation-not-added',
  'punctuated-locally',
  'summary-extracted',
  'template-not-used',
  'title-extracted',
  'abstract-extracted',
  'abstract-left-out',
  'too-short',
];

function saidBy(fact: ReadFact): Note[] {
  const notes: Note[] = [];
  if (fact.unreadable) notes.push(noteOf('unreadable'));
  switch (fact.type) {
    case 'capture.interrupted':
      notes.push(noteOf('capture-interrupted', { reason: fact.data.reason as EarlyEnd }));
      break;
    case 'audio.extended': {
      const length = Math.round((fact.data.duration ?? 0) - fact.data.before);
      notes.push(noteOf('audio-added', { length }));
      break;
    }
    case 'speech.detected': {
      const { warnings, tracks } = fact.data;
      for (const code of audioCodes) if (warnings.includes(code)) notes.push(noteOf(code));
      // The tracks behind the one that was used were not listened to.
      if (tracks && tracks.used < tracks.of) notes.push(noteOf('other-tracks', tracks));
      break;
    }
    case 'diarization.completed':
      if (fact.data.apart !== undefined)
        notes.push(noteOf('speakers-apart', { sections: fact.data.apart }));
      break;
    case 'diarization.skipped': {
      const { data, content } = fact;
      if (data.reason === carried) break;
      notes.push(because('diarization-skipped', { ...data, ...content }));
      break;
    }
    case 'identification.skipped':
      if (fact.data.reason === carried) break;
      notes.push(because('identification-skipped', fact.content));
      break;
    // Music may pass for speech until no word is found in it.
    case 'transcription.completed': {
      const { otherwise, language } = fact.data;
      if (otherwise && language !== null)
        notes.push(noteOf('heard-otherwise', { ...otherwise, language }));
      if (fact.data.words === 0) notes.push(noteOf('no-speech'));
      break;
    }
    case 'corrections.carried_over':
      if (fact.data.unplaced > 0)
        notes.push(noteOf('corrections-unplaced', { count: fact.data.unplaced }));
      break;
    case 'version.restored':
      notes.push(noteOf('restored', { version: fact.data.version }));
      break;
    case 'documents.saved':
      if (fact.data.kept.length > 0) notes.push(noteOf('edited', { documents: fact.data.kept }));
      break;
    default:
      notes.push(...saidOfTexts(fact));
  }
  const gaps = 'ledger' in fact.data ? (fact.data.ledger?.gaps ?? []) : [];
  if (gaps.length > 0) notes.push(noteOf('gaps', { missing: secondsMissing(gaps) }));
  return notes;
}

/** It was not done again: what it led to came with the rest of another recording. */
export const carried = 'carried';

/** What is said of texts that a language model did not make. */
function saidOfTexts(fact: ReadFact): Note[] {
  const notes: Note[] = [];
  switch (fact.type) {
    case 'transcript.punctuated': {
      const { engine, model, kept, unmarked, unanswered } = fact.data;
      const { cause, problem } = fact.content ?? {};
      if (engine === 'built-in') {
        const code = unmarked ? unmarkedCode(cause) : 'not-punctuated';
        notes.push(problem ? noteOf(code, { cause, problem }) : because(code, fact.content));
      }
      if (engine === 'local' && model) notes.push(noteOf('punctuated-locally', { model }));
      if (kept.length > 0)
        notes.push(
          noteOf(unanswered ? 'punctuation-unanswered' : 'parts-unpunctuated', { parts: kept }),
        );
      break;
    }
    case 'summary.completed':
      if (fact.data.engine === 'built-in') {
        notes.push(because(fact.data.too_short ? 'too-short' : 'summary-extracted', fact.content));
        if (fact.data.template) notes.push(noteOf('template-not-used'));
      }
      if (fact.data.unnoted)
        notes.push(noteOf('parts-unnoted', { times: fact.data.unnoted.map(spanOf) }));
      break;
    case 'title.chosen': {
      const { engine, kept, of, too_short } = fact.data;
      if (kept) notes.push(because('title-kept', fact.content));
      if (engine === 'built-in') {
        if (!kept && !of) notes.push(because('title-extracted', fact.content));
        if (!too_short) notes.push(because('abstract-extracted', fact.content));
      }
      if (too_short) notes.push(because('abstract-left-out', fact.content));
      break;
    }
    default:
  }
  return notes;
}

const spanOf = ([start, end]: Stretch): string => `${clock(start)}–${clock(end)}`;

/** Nobody set up a language model, or the one there is could not be asked. */
const unmarkedCode = (cause: Sentence | undefined) =>
  cause?.code === 'no-language-model' ? 'punctuation-missing' : 'punctuation-not-added';

/** A note with its cause; with what an earlier release said of it, where the fact has no code. */
function because(
  code:
    | 'diarization-skipped'
    | 'identification-skipped'
    | 'not-punctuated'
    | 'punctuation-missing'
    | 'punctuation-not-added'
    | 'summary-extracted'
    | 'title-extracted'
    | 'abstract-extracted'
    | 'abstract-left-out'
    | 'too-short'
    | 'title-kept',
  content: { reason?: string | undefined; cause?: Sentence | undefined } | undefined,
): Note {
  const { reason, cause } = content ?? {};
  if (cause) return noteOf(code, { cause });
  // Some releases kept a code here (`no-engine`), which says nothing to a reader.
  return { ...noteOf(code), ...(reason && /\s/.test(reason) && { detail: reason }) };
}

/** To a tenth, and never 0: something is missing. */
function secondsMissing(gaps: readonly (readonly [number, number])[]): number {
  const seconds = gaps.reduce((sum, [, missing]) => sum + missing, 0);
  return Math.max(0.1, Math.round(seconds * 10) / 10);
}
