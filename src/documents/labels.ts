import type { NoteCode } from '../../projections/recording/notes.ts';
import type { LineKind } from '../../events/facts/transcript.ts';
import { germanBy } from '../shared/german.ts';
import { wholePhrases } from '../words/whole-phrases.ts';

/** The service's own words in documents: headings, labels and sentences by code. */
export type Labels = {
  transcript: string;
  summary: string;
  notes: string;
  /** Before the name of the file that was imported. */
  source: string;
  /** Before the number of a speaker without a name. */
  speaker: string;
  speakingTime: string;
  percent: (whole: number) => string;
  /** Headings of a summary. */
  lineKinds: Readonly<Record<LineKind, string>>;
  /** Said of a decision or task that is given to a person, by their name. */
  notFound: (name: string) => string;
  noSpeech: string;
  noSummary: string;
  /** Sentence for a note's code; its detail follows in brackets. */
  noteSentences: Readonly<Record<NoteCode, string>>;
  /** A detail in this language, where it is one of our codes or sentences; others are shown as they are. */
  detail: (detail: string) => string;
  doubts: (count: number) => string;
  moreDoubts: (count: number) => string;
  doubtReasons: Readonly<Record<string, string>>;
};

const germanCause = germanBy(wholePhrases());

/** Labels in a language of the interface. A change here is a change of `rendererVersion`. */
export const labelsIn = (language: 'de' | 'en'): Labels => (language === 'de' ? german : english);

/** Codes that details hold, one or several: why a capture was interrupted, names of documents. */
const germanWords: Readonly<Record<string, string>> = {
  'device-unavailable': 'das Mikrofon war nicht mehr da',
  'limit-hours': 'so lange wie erlaubt aufgenommen',
  'space-limit': 'der Speicherplatz für Aufnahmen war voll',
  'disk-low': 'der Datenträger war fast voll',
  'disk-failed': 'auf den Datenträger ließ sich nicht schreiben',
  'browser-gone': 'der Browser war fort',
  orphaned: 'der Dienst war fort',
  terminated: 'die Aufnahme wurde von außen beendet',
  'service-and-capture-died': 'Dienst und Aufnahme endeten unerwartet',
  'capture-died': 'die Aufnahme endete mehrmals unerwartet',
  'capture-not-started': 'die Aufnahme ließ sich nicht wieder beginnen',
  'no-engine': 'dafür war nichts eingerichtet',
  index: 'Übersicht',
  transcript: 'Transkript',
  summary: 'Zusammenfassung',
};
const englishWords: Readonly<Record<string, string>> = {
  'device-unavailable': 'the microphone was not there any more',
  'limit-hours': 'recorded for as long as is allowed',
  'space-limit': 'the space for recordings was full',
  'disk-low': 'the disk was almost full',
  'disk-failed': 'the disk could not be written to',
  'browser-gone': 'the browser was gone',
  orphaned: 'the service was gone',
  terminated: 'the recording was ended from outside',
  'service-and-capture-died': 'service and recording ended unexpectedly',
  'capture-died': 'the recording ended unexpectedly several times',
  'capture-not-started': 'the recording could not be begun again',
  'no-engine': 'nothing was set up for it',
};

function inWords(detail: string, words: Readonly<Record<string, string>>): string | undefined {
  const parts = detail.split(', ');
  return parts.some((part) => Object.hasOwn(words, part))
    ? parts.map((part) => words[part] ?? part).join(', ')
    : undefined;
}

const german: Labels = {
  transcript: 'Transkript',
  summary: 'Zusammenfassung',
  notes: 'Hinweise',
  source: 'Quelle',
  speaker: 'Sprecher',
  speakingTime: 'Redezeit',
  percent: (whole) => `${whole}\u00A0%`,
  lineKinds: {
    decision: 'Entscheidungen',
    task: 'Aufgaben',
    open: 'Offene Fragen',
    point: 'Punkte',
  },
  notFound: (name) => `nicht gefunden in dem, was ${name} gesagt hat`,
  noSpeech: 'Es wurde keine Sprache erkannt.',
  noSummary: 'Es gibt keine Zusammenfassung.',
  noteSentences: {
    'not-punctuated':
      'Die Zeichensetzung ist die des Spracherkenners; kein Sprachmodell hat sie überarbeitet.',
    'punctuated-locally':
      'Ein kleines Modell dieses Rechners hat die Satzzeichen gesetzt; kein Sprachmodell hat sie überarbeitet.',
    'summary-extracted': 'Die Zusammenfassung ist ein Auszug aus dem Text.',
    'title-extracted': 'Der Titel ist ein Auszug aus dem Text.',
    'abstract-extracted': 'Die Kurzfassung ist ein Auszug aus dem Text.',
    'names-replaced':
      'Namen wurden später geändert: In Zusammenfassung und Kurzfassung sind sie ersetzt, wo sicher ist, wer gemeint ist; neu geschrieben sind sie nicht.',
    'too-short':
      'Der Text ist so kurz, dass eine Zusammenfassung oder Kurzfassung aus ihm nur ihn wiederholen würde; sie ist weggelassen.',
    'title-kept': 'Der Titel ist der bisherige: Das Sprachmodell hat keinen neuen gegeben.',
    'parts-unpunctuated':
      'In einem Teil des Textes wurde die Zeichensetzung nicht überarbeitet, weil sich sonst Wörter geändert hätten.',
    'no-speech': 'In der Aufnahme wurde keine Sprache gefunden.',
    truncated: 'Die Audiodatei bricht vorzeitig ab.',
    damaged: 'Ein Teil der Audiodatei war nicht lesbar.',
    'capture-interrupted':
      'Die Aufnahme wurde unterbrochen; was bis dahin aufgenommen war, ist hier.',
    'audio-added':
      'Ein Teil der Aufnahme kam erst nach ihrem Ende vom Browser; er ist hier am Schluss enthalten.',
    gaps: 'In der Aufnahme fehlen Stücke.',
    clipped: 'Die Aufnahme ist stellenweise übersteuert.',
    'one-channel':
      'Die beiden Kanäle der Aufnahme heben einander auf; nur der lautere wurde verwendet.',
    'other-tracks':
      'Die Datei hat mehrere Tonspuren; nur eine wurde verwendet, die folgenden nicht angehört.',
    silent: 'Ein großer Teil der Aufnahme ist still.',
    'diarization-skipped': 'Wer wann gesprochen hat, konnte nicht unterschieden werden.',
    'speakers-apart':
      'Der Server hat die Sprechenden in mehreren Teilen unterschieden, die nicht verglichen werden konnten: Eine Person kann unter mehreren stehen.',
    'identification-skipped': 'Nach den Namen der Sprechenden wurde nicht gesucht.',
    'speakers-skipped': 'Die Sprechenden wurden nicht benannt.',
    'corrections-unplaced':
      'Für Korrekturen einer früheren Fassung fand sich in dieser keine Stelle; sie sind bei der Aufnahme aufgeführt.',
    restored: 'Das ist eine frühere Fassung, zu der zurückgekehrt wurde.',
    unreadable:
      'Ein Teil dessen, was zu dieser Aufnahme gespeichert ist, kann nicht gelesen werden.',
    edited: 'Ein Dokument wurde von Hand geändert und deshalb nicht überschrieben.',
  },
  detail: (detail) => inWords(detail, germanWords) ?? germanCause(detail) ?? detail,
  doubts: (count) =>
    count === 1
      ? 'Eine Stelle ist vielleicht falsch erkannt:'
      : `${count} Stellen sind vielleicht falsch erkannt:`,
  moreDoubts: (count) => `und ${count} weitere`,
  doubtReasons: {
    repetition: 'Wiederholung',
    'known-phrase': 'Floskel, die Spracherkenner bei Stille erfinden',
  },
};

const english: Labels = {
  transcript: 'Transcript',
  summary: 'Summary',
  notes: 'Notes',
  source: 'Source',
  speaker: 'Speaker',
  speakingTime: 'Speaking time',
  percent: (whole) => `${whole}%`,
  lineKinds: {
    decision: 'Decisions',
    task: 'Tasks',
    open: 'Open questions',
    point: 'Points',
  },
  notFound: (name) => `not found in what ${name} said`,
  noSpeech: 'No speech was recognised.',
  noSummary: 'There is no summary.',
  noteSentences: {
    'not-punctuated': 'The punctuation is the speech recogniser’s; no language model revised it.',
    'punctuated-locally':
      'A small model of this computer set the punctuation; no language model revised it.',
    'summary-extracted': 'The summary is an extract from the text.',
    'title-extracted': 'The title is an extract from the text.',
    'abstract-extracted': 'The abstract is an extract from the text.',
    'names-replaced':
      'Names were changed afterwards: in summary and abstract they are replaced where it is certain who is meant; neither was written again.',
    'too-short':
      'The text is so short that a summary or abstract taken from it would only repeat it; it was left out.',
    'title-kept': 'The title is the earlier one: the language model gave no new one.',
    'parts-unpunctuated':
      'The punctuation of a part of the text was left alone, because words would have changed with it.',
    'no-speech': 'No speech was found in the recording.',
    truncated: 'The audio file ends before its time.',
    damaged: 'A part of the audio file could not be read.',
    'capture-interrupted':
      'The recording was interrupted; what had been recorded until then is here.',
    'audio-added':
      'A part of the recording came from the browser only after its end; it is in here, at the end.',
    gaps: 'Pieces are missing from the recording.',
    clipped: 'The recording is overdriven in places.',
    'one-channel':
      'The two channels of the recording cancel each other out; only the louder one was used.',
    'other-tracks':
      'The file has several sound tracks; only one was used, those after it were not listened to.',
    silent: 'A large part of the recording is silent.',
    'diarization-skipped': 'Who spoke when could not be told apart.',
    'speakers-apart':
      'The server told the speakers apart in several parts that could not be compared: one person may stand under several.',
    'identification-skipped': 'The names of the speakers were not looked for.',
    'speakers-skipped': 'The speakers were not named.',
    'corrections-unplaced':
      'Corrections of an earlier version found no place in this one; they are listed with the recording.',
    restored: 'This is an earlier version that was restored.',
    unreadable: 'A part of what is stored of this recording cannot be read.',
    edited: 'A document had been changed by hand and was therefore not written over.',
  },
  detail: (detail) => inWords(detail, englishWords) ?? detail,
  doubts: (count) =>
    count === 1
      ? 'One passage may be recognised wrongly:'
      : `${count} passages may be recognised wrongly:`,
  moreDoubts: (count) => `and ${count} more`,
  doubtReasons: {
    repetition: 'repetition',
    'known-phrase': 'a phrase that recognisers invent in silence',
  },
};
