import type { Source } from '../../events/facts/sources.ts';
import type { ReadFact } from './recording.ts';

/** What a reader should know of how the recording came about. Closed: every reader knows every code. */
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
  'diarization-skipped',
  'speakers-apart',
  'identification-skipped',
  'speakers-skipped',
  'not-punctuated',
  'punctuated-locally',
  'summary-extracted',
  'title-extracted',
  'abstract-extracted',
  'names-replaced',
  'too-short',
  'title-kept',
  'parts-unpunctuated',
  'corrections-unplaced',
  'restored',
  'edited',
  'unreadable',
] as const;
export type NoteCode = (typeof noteCodes)[number];

/** `detail` says how much, or which; often empty. */
export type Note = { code: NoteCode; detail: string };

/**
 * The notes of what something is made of, in the order of the codes. They follow from the facts that
 * count and are kept nowhere else, so none outlives what it is about. Pure.
 * @param options.titleGiven whether a person gave the title
 * @param options.renamed whether the summary is an earlier one with other names in it
 */
export function notesOf(
  source: Source,
  counting: readonly ReadFact[],
  { titleGiven, renamed }: { titleGiven: boolean; renamed: boolean },
): Note[] {
  const details = new Map<NoteCode, string>(
    counting.flatMap(saidBy).map(({ code, detail }) => [code, detail]),
  );
  const { results, stretches } = source;
  if (stretches === 0) {
    details.set('no-speech', '');
    // Then all of them were listened to.
    details.delete('other-tracks');
  }
  if (details.has('no-speech')) {
    // Of no words there is nothing to extract.
    for (const code of extractCodes) details.delete(code);
  }
  if (titleGiven) details.delete('title-extracted');
  if (renamed) details.set('names-replaced', '');
  // Until something is made of the turns they may still be named.
  const isSkipped = results.turns !== null && results.names === null && results.punctuated !== null;
  if (isSkipped) details.set('speakers-skipped', '');
  return noteCodes.flatMap((code) => {
    const detail = details.get(code);
    return detail === undefined ? [] : [{ code, detail }];
  });
}

/** Of what decoding found, that which a reader should know. */
const audioCodes: ReadonlySet<string> = new Set([
  'truncated',
  'damaged',
  'silent',
  'clipped',
  'one-channel',
]);

/** What was made without a language model. The detail says why, where the log does. */
export const extractCodes: readonly NoteCode[] = [
  'not-punctuated',
  'punctuated-locally',
  'summary-extracted',
  'title-extracted',
  'abstract-extracted',
  'too-short',
];

function saidBy(fact: ReadFact): Note[] {
  const notes: Note[] = [];
  const note = (code: NoteCode, detail = '') => notes.push({ code, detail });
  if (fact.unreadable) note('unreadable');
  switch (fact.type) {
    case 'capture.interrupted':
      note('capture-interrupted', fact.data.reason);
      break;
    case 'audio.extended':
      note('audio-added', `${Math.round((fact.data.duration ?? 0) - fact.data.before)} s`);
      break;
    case 'speech.detected':
      for (const code of fact.data.warnings) if (audioCodes.has(code)) note(code as NoteCode);
      unheardTracks(fact.data.tracks, note);
      break;
    case 'diarization.completed':
      if (fact.data.apart !== undefined) note('speakers-apart', String(fact.data.apart));
      break;
    case 'diarization.skipped':
      note('diarization-skipped', fact.data.reason);
      break;
    case 'identification.skipped':
      note('identification-skipped', fact.content?.reason ?? fact.data.reason);
      break;
    // Music may pass for speech until no word is found in it.
    case 'transcription.completed':
      if (fact.data.words === 0) note('no-speech');
      break;
    case 'transcript.punctuated':
      if (fact.data.engine === 'built-in') note('not-punctuated', fact.content?.reason);
      if (fact.data.engine === 'local' && fact.data.model)
        note('punctuated-locally', fact.data.model);
      if (fact.data.kept.length > 0) note('parts-unpunctuated', fact.data.kept.join(', '));
      break;
    case 'summary.completed':
      if (fact.data.engine === 'built-in')
        note(fact.data.too_short ? 'too-short' : 'summary-extracted', fact.content?.reason);
      break;
    case 'title.chosen':
      if (fact.data.kept) note('title-kept', fact.content?.reason);
      if (fact.data.engine === 'built-in') {
        if (!fact.data.kept && !fact.data.of) note('title-extracted', fact.content?.reason);
        if (!fact.data.too_short) note('abstract-extracted', fact.content?.reason);
      }
      if (fact.data.too_short) note('too-short', fact.content?.reason);
      break;
    case 'corrections.carried_over':
      if (fact.data.unplaced > 0) note('corrections-unplaced', String(fact.data.unplaced));
      break;
    case 'version.restored':
      note('restored', String(fact.data.version));
      break;
    case 'documents.saved':
      if (fact.data.kept.length > 0) note('edited', fact.data.kept.join(', '));
      break;
    default:
  }
  const gaps = 'ledger' in fact.data ? (fact.data.ledger?.gaps ?? []) : [];
  if (gaps.length > 0) note('gaps', `${secondsMissing(gaps)} s`);
  return notes;
}

/** The tracks behind the one that was used were not listened to. */
function unheardTracks(
  tracks: { used: number; of: number } | undefined,
  note: (code: NoteCode, detail: string) => void,
): void {
  if (tracks && tracks.used < tracks.of)
    note('other-tracks', `track ${tracks.used} of ${tracks.of}`);
}

/** To a tenth, and never 0: something is missing. */
function secondsMissing(gaps: readonly (readonly [number, number])[]): number {
  const seconds = gaps.reduce((sum, [, missing]) => sum + missing, 0);
  return Math.max(0.1, Math.round(seconds * 10) / 10);
}
