import { says } from './sentences.ts';

/** What a reader of a note should know of how it came about. */
export const noteWords = {
  'capture-interrupted': says(
    { reason: 'text' },
    {
      detail:
        'The recording was interrupted ({reason}); everything recorded until then is included.',
    },
  ),
  'audio-added': says(
    { length: 'seconds' },
    {
      detail:
        'Part of the recording ({length}) arrived from the browser only after it had ended; it is included at the end.',
    },
  ),
  gaps: says({ missing: 'seconds' }, { detail: 'Parts of the recording are missing ({missing}).' }),
  truncated: says({}, { detail: 'The audio file is cut off.' }),
  damaged: says({}, { detail: 'Part of the audio file could not be read.' }),
  silent: says({}, { detail: 'A large part of the recording is silent.' }),
  clipped: says({}, { detail: 'The recording is too loud in places and therefore distorted.' }),
  'one-channel': says(
    {},
    {
      detail:
        'The two channels of the recording cancel each other out; only the louder one was used.',
    },
  ),
  'other-tracks': says(
    { used: 'integer', of: 'integer' },
    { detail: 'The file has {of} audio tracks; only track {used} was used.' },
  ),
  'no-speech': says({}, { detail: 'No speech was found in the recording.' }),
  'diarization-skipped': says(
    { cause: 'sentence' },
    { detail: 'The speakers could not be separated. {cause}' },
  ),
  'speakers-apart': says(
    { sections: 'integer' },
    {
      detail:
        'The speakers were separated in {sections} sections that could not be compared: one person may appear as several speakers.',
    },
  ),
  'identification-skipped': says(
    { cause: 'sentence' },
    { detail: 'The names of the speakers were not looked up. {cause}' },
  ),
  'speakers-skipped': says({}, { detail: 'The speakers were not named.' }),
  'not-punctuated': says(
    { cause: 'sentence?' },
    {
      detail:
        'The punctuation comes from speech recognition; no language model revised it. {cause}',
    },
  ),
  'punctuated-locally': says(
    {},
    {
      detail:
        'A small model on the Mitschrift server added the punctuation; no language model revised it.',
    },
  ),
  'summary-extracted': says(
    { cause: 'sentence?' },
    { detail: 'The summary consists of sentences taken from the transcript. {cause}' },
  ),
  'title-extracted': says(
    { cause: 'sentence?' },
    { detail: 'The title is taken from the transcript. {cause}' },
  ),
  'abstract-extracted': says(
    { cause: 'sentence?' },
    { detail: 'The abstract consists of sentences taken from the transcript. {cause}' },
  ),
  'names-replaced': says(
    {},
    {
      detail:
        'Names were changed later. They are replaced in the summary and abstract wherever it is clear who is meant; neither text was rewritten.',
    },
  ),
  'too-short': says(
    {},
    {
      detail:
        'The text is so short that a summary or abstract would only repeat it, so it was left out.',
    },
  ),
  'title-kept': says(
    { cause: 'sentence?' },
    {
      detail:
        'The earlier title was kept because the language model did not suggest a new one. {cause}',
    },
  ),
  'parts-unpunctuated': says(
    { parts: 'text' },
    {
      detail:
        'The punctuation of part of the text was not revised because that would have changed words.',
    },
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
    { detail: 'This is an earlier version that was restored (version {version}).' },
  ),
  edited: says(
    { documents: 'list' },
    { detail: 'A document was changed by hand and was therefore not overwritten ({documents}).' },
  ),
  unreadable: says({}, { detail: 'Part of the data stored for this recording can’t be read.' }),
};
