import { type SentenceOf, says, sayingsOf } from './sentences.ts';

const documentNames = ['index', 'transcript', 'summary'] as const;
const documentWords = { index: 'overview', transcript: 'transcript', summary: 'summary' };

/** What a check of the stored data finds: a fragment behind the place (“event, position 41: …”). Quotes nothing that people said. */
export const findings = {
  'record-altered': says('the event was altered after it was written'),
  'record-missing': says('the event is missing'),
  'records-missing': says({ up_to: 'integer' }, 'events up to {up_to} are missing'),
  'record-unreadable': says('the event can’t be read'),
  'records-unreadable': says('events from here on can’t be read'),
  'record-out-of-order': says('the event doesn’t follow the one before it'),
  'tail-missing': says(
    { count: 'integer', last: 'integer', reached: 'integer' },
    {
      detail: {
        one: '{count} event after position {last} is missing; the event log had reached {reached}',
        other:
          '{count} events after position {last} are missing; the event log had reached {reached}',
      },
    },
  ),
  'saved-event-gone': says('a saved event is missing or was replaced'),
  'stream-unreadable': says('the events can’t be read to the end'),
  'stream-gaps': says(
    { events: 'integer', version: 'integer' },
    'there are {events} events up to version {version}',
  ),
  'log-unopenable': says({ cause: 'sentence' }, 'the data can’t be opened: {cause}'),
  'index-unreadable': says('the index can’t be read'),
  'index-wrong': says(
    { position: 'text' },
    'the index points to position {position}, where the event isn’t',
  ),
  'index-other': says('the index points to another event'),
  'index-lacks': says('the event is missing from the index'),
  'index-extra': says('the index has an entry without an event'),
  'index-count': says(
    { entries: 'integer', records: 'integer' },
    'the index has {entries} entries for {records} events',
  ),
  'key-missing': says('the key is missing, so what it encrypts can’t be read'),
  'key-altered': says('the key is damaged, so what it encrypts can’t be read'),
  'key-other': says('the key isn’t the one in use, so what it encrypts can’t be read'),
  'key-left': says('the key of something deleted is still there, so what it encrypts can be read'),
  'key-foreign': says(
    'this file isn’t a key; it may be a copy of one, with which deleted content could be read',
  ),
  'erasures-unreadable': says(
    { line: 'integer' },
    'line {line} of the list of erasures can’t be read',
  ),
  'user-nameless': says(
    { user: 'text' },
    'the name of user {user} can’t be read, although this user was not deleted',
  ),
  'table-index-lost': says('the table has lost its index'),
  'table-altered': says(
    { from: 'integer', to: 'integer', holds: 'sentence' },
    'bytes {from} to {to} were altered, which contain {holds}',
  ),
  'holds-events': says({ first: 'integer', last: 'integer' }, 'events {first} to {last}'),
  'holds-events-from': says({ first: 'integer' }, 'events from {first} on'),
  'holds-events-up-to': says({ last: 'integer' }, 'events up to {last}'),
  'holds-rows': says('events, their index or rows of lists'),
  'holds-keys': says('the table’s list of what it contains'),
  'audio-missing': says('the audio is missing'),
  'audio-altered': says(
    { length: 'integer?', saved: 'integer?' },
    'the audio was altered[ ({length} bytes instead of {saved})]',
  ),
  'audio-left': says('the recording was deleted, but its audio is still there'),
  'document-missing': says(
    { document: documentNames },
    {
      detail: 'the {document} is missing: deleted or moved',
      choices: { document: documentWords },
    },
  ),
  'document-changed': says(
    { document: documentNames },
    { detail: 'the {document} was changed by hand', choices: { document: documentWords } },
  ),
  'document-left': says(
    { document: documentNames },
    {
      detail: 'the {document} was deleted, but is still there',
      choices: { document: documentWords },
    },
  ),
  'document-differs': says(
    { document: documentNames },
    {
      detail: 'the {document} made from the event log differs from the one that was written',
      choices: { document: documentWords },
    },
  ),
  'documents-nameless': says('documents were saved without a name'),
  'event-invalid': says(
    { type: 'text', place: 'text' },
    'the event {type} has an unexpected form at {place}',
  ),
  'event-refused': says(
    { type: 'text', state: 'text' },
    'the event {type} isn’t possible in the state {state}',
  ),
  'state-before-differs': says(
    { saved: 'text', computed: 'text' },
    'the state before it was saved as {saved}, but is computed as {computed}',
  ),
  'state-after-differs': says(
    { saved: 'text', computed: 'text' },
    'the state after it was saved as {saved}, but is computed as {computed}',
  ),
  'version-differs': says(
    { version: 'integer' },
    'the restored version {version} was made of other events',
  ),
  'version-content-differs': says(
    { version: 'integer' },
    'the restored version {version} has different content',
  ),
  'not-continued': says(
    { cause: 'said' },
    'the recording could not be continued: {cause} Mitschrift tries again at the next start',
  ),
};

/** What is wrong with stored data, by its code. */
export const finding = sayingsOf(findings, 'finding');
export type FindingSaid = SentenceOf<typeof findings>;
