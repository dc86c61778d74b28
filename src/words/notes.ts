import type { Sentence } from './params.ts';
import { says, sayingsOf } from './sentences.ts';

/** Why a recording ended before somebody ended it. */
const ends = {
  'device-unavailable': 'the microphone was disconnected',
  'limit-hours': 'the maximum length was reached',
  'space-limit': 'the storage limit was reached',
  'disk-low': 'the disk was almost full',
  'disk-failed': 'the disk could not be written to',
  'browser-gone': 'the browser was no longer connected',
  orphaned: 'the server had stopped',
  terminated: 'the recording was ended from outside Mitschrift',
  'service-and-capture-died': 'the server and the recording stopped unexpectedly',
  'capture-died': 'the recording stopped unexpectedly several times',
  'capture-not-started': 'the recording could not be restarted',
} as const;
export type EarlyEnd = keyof typeof ends;
const earlyEnds = Object.keys(ends) as EarlyEnd[];

/** What a reader of a note should know of how it came about. */
export const noteWords = {
  'capture-interrupted': says(
    { reason: earlyEnds },
    {
      detail:
        'The recording was interrupted[ ({reason})]; everything recorded until then is included.',
      choices: { reason: ends },
    },
  ),
  'audio-added': says(
    { length: 'briefSeconds' },
    'Part of the recording ({length}) arrived from the browser only after it had ended; it is included at the end.',
  ),
  gaps: says({ missing: 'briefSeconds' }, 'Parts of the recording are missing ({missing}).'),
  truncated: says('The audio file is cut off.'),
  damaged: says('Part of the audio file could not be read.'),
  silent: says('A large part of the recording is silent.'),
  clipped: says('The recording is too loud in places and therefore distorted.'),
  'one-channel': says(
    'The two channels of the recording cancel each other out; only the louder one was used.',
  ),
  'other-tracks': says(
    { used: 'integer', of: 'integer' },
    'The file has {of} audio tracks; only track {used} was used.',
  ),
  'no-speech': says('No speech was found in the recording.'),
  'heard-otherwise': says(
    { count: 'integer', of: 'integer', heard: 'language', language: 'language' },
    {
      detail: {
        one: '{count} of {of} passages sounded like {heard}; it was transcribed as {language}.',
        other:
          '{count} of {of} passages sounded like {heard}; they were transcribed as {language}.',
      },
    },
  ),
  'diarization-skipped': says(
    { cause: 'sentence?' },
    'The speakers could not be separated. {cause}',
  ),
  'speakers-apart': says(
    { sections: 'integer' },
    'The speakers were separated in {sections} sections that could not be compared: one person may appear as several speakers.',
  ),
  'identification-skipped': says(
    { cause: 'sentence?' },
    'The names of the speakers were not looked up. {cause}',
  ),
  'speakers-skipped': says('The speakers were not named.'),
  'not-punctuated': says(
    { cause: 'sentence?', problem: 'sentence?' },
    'The punctuation comes from speech recognition; no language model revised it. {cause} {problem}',
  ),
  // The sentence names its cause itself.
  'punctuation-missing': says(
    { cause: 'sentence?', problem: 'sentence?' },
    'The text has no punctuation: speech recognition added none, and no language model is set up. {problem}',
  ),
  'punctuation-not-added': says(
    { cause: 'sentence?', problem: 'sentence?' },
    'The text has no punctuation: speech recognition added none, and the language model could not be used. {cause} {problem}',
  ),
  'punctuated-locally': says(
    { model: 'text' },
    'A small model on the Mitschrift server added the punctuation; no language model revised it.',
  ),
  'summary-extracted': says(
    { cause: 'sentence?' },
    'The summary consists of sentences taken from the transcript. {cause}',
  ),
  'template-not-used': says(
    'The sections of the template don’t apply, because the summary was made without a language model.',
  ),
  'title-extracted': says(
    { cause: 'sentence?' },
    'The title is taken from the transcript. {cause}',
  ),
  'abstract-extracted': says(
    { cause: 'sentence?' },
    'The abstract consists of sentences taken from the transcript. {cause}',
  ),
  'abstract-left-out': says(
    { cause: 'sentence?' },
    'An abstract would only repeat the summary, so it was left out. {cause}',
  ),
  'names-replaced': says(
    'Names were changed later. They are replaced in the summary and abstract wherever it is clear who is meant; neither text was rewritten.',
  ),
  'too-short': says(
    { cause: 'sentence?' },
    'The text is so short that a summary would only repeat it, so it was left out. {cause}',
  ),
  'title-kept': says(
    { cause: 'sentence?' },
    'The earlier title was kept because the language model did not suggest a new one. {cause}',
  ),
  'parts-unnoted': says(
    { times: 'list' },
    'The summary may lack part of the talk ({times}) because the language model noted nothing there.',
  ),
  'parts-unpunctuated': says(
    { parts: 'list' },
    'The punctuation of part of the text was not revised because the language model changed too many words there.',
  ),
  'punctuation-unanswered': says(
    { parts: 'list' },
    'The punctuation of part of the text was not revised because the language model gave no usable answer.',
  ),
  'corrections-unplaced': says(
    { count: 'integer' },
    {
      detail: {
        one: '{count} correction to an earlier version could not be applied to this one; it is listed with the recording.',
        other:
          '{count} corrections to an earlier version could not be applied to this one; they are listed with the recording.',
      },
    },
  ),
  restored: says(
    { version: 'integer' },
    'This is an earlier version that was restored (version {version}).',
  ),
  edited: says(
    { documents: ['index', 'transcript', 'summary'] },
    {
      detail: 'A document was changed by hand and was therefore not overwritten ({documents}).',
      choices: {
        documents: { index: 'overview', transcript: 'transcript', summary: 'summary' },
      },
    },
  ),
  unreadable: says('Part of the data stored for this recording can’t be read.'),
};

export type NoteCode = keyof typeof noteWords;
/** What a reader should know, with what varies in it. */
export const noteOf = sayingsOf(noteWords, 'note');
/** `detail`: its cause as an earlier release kept it, in English. */
export type Note = Sentence & { code: NoteCode; detail?: string };
