import { count, params } from '@nanostores/i18n';
import { wordsFor } from '../components/words.ts';

const english = {
  // The part of the page.
  words: 'Words',
  intro: 'Names and terms that are to be spelled right, in transcripts and summaries.',
  whose: 'Whose words',
  mine: 'My words',
  houseMeans: 'These words count in the recordings of all people.',
  houseByAdministrators:
    'These words count in the recordings of all people. Administrators change them.',
  notRead: 'The words could not be read.',
  notSaved: 'The word could not be saved.',
  none: 'No words yet.',
  noneText:
    'Add names of people, places and products that speech recognition often gets wrong. What you add counts from the next recording on.',
  filter: 'Filter',
  count: count({ one: '{count} word', many: '{count} words' }),
  found: count({ one: '{count} word found', many: '{count} words found' }),
  add: 'Add a word',
  write: 'Written',
  heard: 'Often transcribed as (optional)',
  heardHint: 'Separate with commas. New transcripts say the word in place of these.',
  for: 'For',
  allFolders: 'all folders',
  addIt: 'Add',
  delete: 'Delete',
  editNamed: params('Edit {word}'),
  taken: 'There is already a word that is written so.',
  saved: params('{word} was saved'),
  deleted: params('{word} was deleted'),
  helpsRecognition: 'helps speech recognition',
  howMarked:
    'In a transcript each replaced word is underlined with dots; one click or tap says what was heard, and “Put back” restores that text.',
  onlyIn: params('folder {folder}'),
  heardAs: 'often transcribed as',

  // From corrections.
  fromCorrections: 'From your corrections',
  correctedIn: params('corrected {notes}, last on {day}'),
  inNotes: count({ one: 'in {count} note', many: 'in {count} notes' }),
  becomes: 'is written',
  always: 'Always write it so',
  alwaysNamed: params('Always write it so: {write}'),
  dismissNamed: params('Dismiss: {write}'),
  dismissed: 'Dismissed',
  writtenSo: params('“{write}” is written so from now on'),
  askAlways: params('Write “{write}” always?'),

  // In older notes.
  findOld: 'Find in older notes…',
  findOldNamed: params('Find in older notes… {word}'),
  inOldNotes: params('{word} in older notes'),
  looking: 'Searching…',
  nowhere: 'Not found in older notes.',
  foundIn: params('Found {places} {notes}.'),
  places: count({ one: '{count} time', many: '{count} times' }),
  oneVersion: 'Each note gets one new version; the audio isn’t touched.',
  partly: params('So far the newest {percent}% of your notes can be searched.'),
  notLooked: 'The notes could not be searched.',
  morePlaces: count({
    one: '{count} more passage: search again afterwards.',
    many: '{count} more passages: search again afterwards.',
  }),
  correctIn: count({ one: 'Replace in {count} note', many: 'Replace in {count} notes' }),
  correcting: params('{done} of {total} notes…'),
  correctedOld: count({
    one: 'Replaced in {count} note',
    many: 'Replaced in {count} notes',
  }),
  asBefore: count({
    one: '{count} note is as it was before',
    many: '{count} notes are as they were before',
  }),
  lookOn: 'Search further',
  before: 'before:',
  after: 'after:',

  // In a transcript.
  heardHere: params('Heard: “{text}”'),
  putBack: 'Put back',
  wasPutBack: params('“{text}” put back'),
  askStop: params('Also stop replacing “{text}”?'),
  stop: 'Stop replacing',
  keep: 'Keep replacing',
  stopped: params('“{text}” is no longer replaced'),

  // Import.
  importOpen: 'Import…',
  importTitle: 'Import words',
  importText:
    'One word a line; after “=” how it’s often transcribed, separated by commas. For example: Kubernetes = Kuba Netis, cube and eddies',
  lines: 'Lines',
  importNow: 'Import',
  chooseFile: 'Choose file…',
  imported: count({ one: '{count} word imported', many: '{count} words imported' }),
  importLeft: count({
    one: '{count} line was not imported. It stays in the field.',
    many: '{count} lines were not imported. They stay in the field.',
  }),
  'line:empty-term': params('“{text}”: there is no word before “=”.'),
  'line:too-long': params('“{text}”: a word has more than 64 characters.'),
  'line:too-many-heard': params('“{text}”: there are more than 10 words after “=”.'),
  notImported: 'The words could not be imported. Nothing was saved.',
};

export type English = typeof english;
export const words = wordsFor('spelling', english);
