import { says, sayingsOf } from './sentences.ts';

/** What is wrong with a field: half a sentence behind its label. */
export const fieldFaults = {
  'field-missing': says({}, { detail: 'is missing' }),
  'field-empty': says({}, { detail: 'must not be empty' }),
  'field-type': says(
    { type: ['whole-number', 'number', 'text', 'boolean', 'list', 'object', 'null'] },
    {
      detail: 'must be {type}',
      choices: {
        type: {
          'whole-number': 'a whole number',
          number: 'a number',
          text: 'a text',
          boolean: 'true or false',
          list: 'a list',
          object: 'an object',
          null: 'null',
        },
      },
    },
  ),
  'field-value': says({ values: 'or' }, { detail: 'must be {values}' }),
  'field-least': says({ limit: 'integer' }, { detail: 'must be at least {limit}' }),
  'field-most': says({ limit: 'integer' }, { detail: 'must be at most {limit}' }),
  'field-characters-least': says(
    { count: 'integer' },
    {
      detail: {
        one: 'must have at least {count} character',
        other: 'must have at least {count} characters',
      },
    },
  ),
  'field-characters-most': says(
    { count: 'integer' },
    {
      detail: {
        one: 'may have at most {count} character',
        other: 'may have at most {count} characters',
      },
    },
  ),
  'field-entries-least': says(
    { count: 'integer' },
    {
      detail: {
        one: 'must have at least {count} entry',
        other: 'must have at least {count} entries',
      },
    },
  ),
  'field-entries-most': says(
    { count: 'integer' },
    {
      detail: { one: 'may have at most {count} entry', other: 'may have at most {count} entries' },
    },
  ),
  'field-fields-least': says(
    { count: 'integer' },
    {
      detail: {
        one: 'must have at least {count} field',
        other: 'must have at least {count} fields',
      },
    },
  ),
  'field-fields-most': says(
    { count: 'integer' },
    { detail: { one: 'may have at most {count} field', other: 'may have at most {count} fields' } },
  ),
  'field-union': says({}, { detail: 'has a form that isn’t accepted here' }),
  'field-format': says({}, { detail: 'has a form that isn’t accepted here' }),
  'field-unknown': says(
    { keys: 'list', more: 'integer?' },
    { detail: 'unknown: {keys}[ (and {more} more)]' },
  ),
  /** Where a message is wrong in several places. */
  'field-at': says({ path: 'text', fault: 'sentence' }, { detail: '{path}: {fault}' }),
  'only-with-summary': says({}, { detail: 'is only possible with `from: summary`' }),
  'field-twice': says({}, { detail: 'is given twice' }),
  'setting-unknown': says({}, { detail: 'is not a setting' }),
  'settings-unknown': says(
    { count: 'integer' },
    { detail: { one: '{count} more is not a setting', other: '{count} more are not settings' } },
  ),
  'setting-by-environment': says({}, { detail: 'is set by an environment variable of the server' }),
  'key-again': says(
    {},
    { detail: 'was saved for another server: enter it again, or remove it (null)' },
  ),
  'folder-missing': says(
    {},
    { detail: 'doesn’t exist: create the folder first, or choose another one' },
  ),
  'not-a-folder': says({}, { detail: 'is not a folder' }),
  'folder-not-writable': says({ cause: 'text' }, { detail: 'can’t be written to ({cause})' }),
  'folder-notes-stuck': says(
    { count: 'integer' },
    {
      detail: {
        one: 'has no place for {count} note: a link, another file or a read-only folder is in its way',
        other:
          'has no place for {count} notes: links, other files or read-only folders are in their way',
      },
    },
  ),
  'folder-of-data': says(
    {},
    { detail: 'must not be in Mitschrift’s own data folder, or contain it: choose another one' },
  ),
  'folder-of-other-user': says({}, { detail: 'is the notes folder of another user' }),
  'not-a-certificate': says({}, { detail: 'must be a PEM file with a certificate' }),
  'not-a-private-key': says(
    {},
    { detail: 'must be a PEM file with a private key that has no password' },
  ),
  'not-one-line': says({}, { detail: 'must be a single line' }),
  'not-absolute-path': says({}, { detail: 'must be a full path, starting with /' }),
  'not-http-address': says(
    {},
    { detail: 'must be an address that starts with http:// or https://' },
  ),
  'not-http-or-path': says(
    {},
    { detail: 'must be an address with http:// or https://, or a full path' },
  ),
  'address-with-password': says({}, { detail: 'must not contain a user name or password' }),
  'issuer-not-https': says({}, { detail: 'must begin with https://, except on this computer' }),
  'scope-openid': says({}, { detail: 'must contain openid' }),
  'address-link-local': says({}, { detail: 'must not be a link-local or metadata address' }),
  'control-characters': says({}, { detail: 'must not contain control characters' }),
  'not-a-language': says({}, { detail: 'must be a language such as de or en-US, or auto' }),
  'not-ascii': says(
    { most: 'integer?' },
    { detail: 'must be visible ASCII characters without spaces[ (at most {most})]' },
  ),
  'ascii-characters': says(
    { most: 'integer' },
    { detail: 'must be 1 to {most} visible ASCII characters without spaces' },
  ),
  'not-a-host': says({}, { detail: 'must be a host name, with a port if needed' }),
  'not-a-network': says({}, { detail: 'must be an IP address, or a range such as 10.0.0.0/8' }),
  'network-too-large': says(
    {},
    { detail: 'must be a smaller range: this one covers much of the internet' },
  ),
  'networks-too-large': says(
    {},
    {
      detail:
        'must be smaller ranges: together they cover more than four /8 (of IPv6 addresses four /16)',
    },
  ),
  'not-a-time': says({}, { detail: 'must be a time such as 2026-05-04T10:00:00+02:00' }),
  'time-out-of-range': says({}, { detail: 'must be between 1900 and today' }),
  'not-within-recording': says(
    { seconds: 'integer' },
    { detail: 'must be within the recording, which has {seconds} seconds' },
  ),
  'not-after-from': says({}, { detail: 'must be after `from`' }),
  'same-recording': says({}, { detail: 'must be another recording' }),
  'other-kind': says(
    {},
    { detail: 'must be of the same type: two meetings, or two solo recordings' },
  ),
  'not-ready-to-join': says({}, { detail: 'must be a finished recording that has its audio' }),
  'read-by-others': says(
    {},
    { detail: 'must be true: others can read this note, and would read what is joined' },
  ),
  'speakers-count': says({}, { detail: 'must be a number from 1 to 20' }),
  'speakers-limits': says({}, { detail: 'must not be less than `speakers_min`' }),
  'not-names': says({}, { detail: 'must be names separated by commas, or a JSON array' }),
  'passage-named-wrong': says(
    {},
    { detail: 'must name a passage by its `block` or its `index`; a `revision` needs a `block`' },
  ),
  'passage-named-twice': says({}, { detail: 'must name each passage once' }),
  'recording-named-twice': says({}, { detail: 'must name each recording once' }),
  'count-differs': says({ count: 'integer' }, { detail: 'must be {count}, as many as are named' }),
  'tags-of-others': says(
    {},
    { detail: 'finds only your own notes: other people’s tags aren’t shown' },
  ),
  'one-place': says({}, { detail: 'must be the only one of cursor, before and around' }),
  'search-empty': says({}, { detail: 'must contain what to search for, such as /search?q=budget' }),
  'question-or-missed': says(
    {},
    { detail: 'is required unless `about` is `missed`; give only one of them' },
  ),
  'question-of-recording': says({}, { detail: 'is required with `since` and `about`' }),
  'search-of-notes': says({}, { detail: 'is accepted only with group=note' }),
  'one-of-names-skip-later': says(
    {},
    { detail: 'must be the only one of names, `skip` and `later`' },
  ),
  'not-a-status': says(
    {},
    { detail: 'must be IDLE, RECORDING, TRANSCRIBING, AWAITING_SPEAKERS or ERROR' },
  ),
  'not-a-position': says({}, { detail: 'must be a position of the log' }),
  'not-a-cursor': says({}, { detail: 'must be the next_cursor of the previous page' }),
  'not-a-ulid': says({}, { detail: 'must be a ULID' }),
  'peaks-rate': says(
    { most: 'integer' },
    { detail: 'must be a divisor of {most}, such as 10, 20 or 50' },
  ),
  'peaks-too-many': says({}, { detail: 'is too high for a recording of this length' }),
  'model-only-for-speech': says({}, { detail: 'can only be chosen when transcribing again' }),
  'not-your-folder': says({}, { detail: 'is not one of your folders' }),
  'not-your-template': says({}, { detail: 'is not a template that you can choose' }),
  'too-many-lines': says({ count: 'integer' }, { detail: 'must have at most {count} lines' }),
  'same-section-twice': says({}, { detail: 'has a heading twice' }),
  'rule-without-condition': says({}, { detail: 'must have at least one condition' }),
  'rule-without-action': says({}, { detail: 'must say what is done' }),
  'summaries-most': says(
    { count: 'integer' },
    { detail: 'can have at most {count} summaries made again at once' },
  ),
  'kind-or-template': says({}, { detail: 'can change the kind or the template, not both at once' }),
  'rule-title-too-late': says(
    {},
    {
      detail: 'can’t be set by a rule about the title: the title is known only after the summary',
    },
  ),
  'rule-too-late': says(
    {},
    {
      detail:
        'can’t be set by a rule about title, speakers or what is said: these are known only afterwards',
    },
  ),
  'rule-times': says({}, { detail: 'must be given with the other time' }),
  'not-a-clock-time': says({}, { detail: 'must be a time of day, such as 18:30' }),
  'too-many-tags': says(
    { limit: 'integer' },
    { detail: 'must be at most {limit} for one recording' },
  ),
  'not-your-tag': says({}, { detail: 'is not one of your tags' }),
  'only-by-owner': says({}, { detail: 'can only be changed by the owner of the note' }),
  'link-too-long': says({ days: 'integer' }, { detail: 'must be within {days} days' }),
  'link-over-already': says({}, { detail: 'must be in the future' }),
  'is-the-owner': says({}, { detail: 'is the person who shares' }),
  'not-a-user': says({}, { detail: 'is not a user' }),
  'not-a-label': says(
    { labels: 'list' },
    { detail: 'is not a speaker of this recording ({labels})' },
  ),
  'not-a-word': says({}, { detail: 'is not a word at which this passage can be split' }),
  'no-speakers': says(
    {},
    { detail: 'This passage has no speaker because the recording is not a meeting' },
  ),
  'one-file': says({}, { detail: 'must be exactly one file, in the field `file`' }),
};

/** What is wrong with a field: its code with what varies in its sentence. */
export const fieldFault = sayingsOf(fieldFaults, 'field');
