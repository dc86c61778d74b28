import { says, sayingsOf } from './sentences.ts';

/** What is wrong with a field: half a sentence behind its label. */
export const fieldFaults = {
  'field-missing': says('is missing'),
  'field-empty': says('must not be empty'),
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
  'field-value': says({ values: 'or' }, 'must be {values}'),
  'field-least': says({ limit: 'integer' }, 'must be at least {limit}'),
  'field-most': says({ limit: 'integer' }, 'must be at most {limit}'),
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
  'field-format': says('has a form that isn’t accepted here'),
  'field-unknown': says({ keys: 'list', more: 'integer?' }, 'unknown: {keys}[ (and {more} more)]'),
  /** Where a message is wrong in several places. */
  'field-at': says({ path: 'text', fault: 'sentence' }, '{path}: {fault}'),
  'only-with-summary': says('is only possible with `from: summary`'),
  'field-twice': says('is given twice'),
  'setting-unknown': says('is not a setting'),
  'settings-unknown': says(
    { count: 'integer' },
    { detail: { one: '{count} more is not a setting', other: '{count} more are not settings' } },
  ),
  'setting-by-environment': says('is set by an environment variable of the server'),
  'setting-not-on-nodes': says('has no effect where Mitschrift runs on several servers'),
  'key-by-environment': says(
    { also: 'text' },
    'can’t be changed here, since the key of this server is in an environment variable: set {also} there, too',
  ),
  'key-again': says('was saved for another server: enter it again, or remove it (null)'),
  'folder-missing': says('doesn’t exist: create the folder first, or choose another one'),
  'not-a-folder': says('is not a folder'),
  'folder-not-writable': says({ cause: 'text' }, 'can’t be written to ({cause})'),
  'folder-unmounted': says(
    'isn’t the folder it was, and is empty: its disk may not be mounted. If it is a new folder, put any file into it',
  ),
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
    'must not be in Mitschrift’s own data folder, or contain it: choose another one',
  ),
  'folder-of-other-user': says('is the notes folder of another user'),
  'not-a-certificate': says('must be a PEM file with a certificate'),
  'not-a-private-key': says('must be a PEM file with a private key that has no password'),
  'certificate-half': says({ other: 'text' }, 'needs {other}, too'),
  'certificate-differs': says({ cause: 'text' }, 'can’t be used with the certificate ({cause})'),
  'not-one-line': says('must be a single line'),
  'not-absolute-path': says('must be a full path, starting with /'),
  'not-http-address': says('must be an address that starts with http:// or https://'),
  'not-http-or-path': says('must be an address with http:// or https://, or a full path'),
  'address-with-password': says('must not contain a user name or password'),
  'issuer-not-https': says('must begin with https://, except on this computer'),
  'scope-openid': says('must contain openid'),
  'address-link-local': says('must not be a link-local or metadata address'),
  'control-characters': says('must not contain control characters'),
  'not-a-language': says('must be a language such as de or en-US, or auto'),
  'not-ascii': says(
    { most: 'integer?' },
    'must be visible ASCII characters without spaces[ (at most {most})]',
  ),
  'ascii-characters': says(
    { most: 'integer' },
    'must be 1 to {most} visible ASCII characters without spaces',
  ),
  'not-a-host': says('must be a host name, with a port if needed'),
  'not-a-network': says('must be an IP address, or a range such as 10.0.0.0/8'),
  'network-too-large': says('must be a smaller range: this one covers much of the internet'),
  'networks-too-large': says(
    'must be smaller ranges: together they cover more than four /8 (of IPv6 addresses four /16)',
  ),
  'not-a-time': says('must be a time such as 2026-05-04T10:00:00+02:00'),
  'time-out-of-range': says('must be between 1900 and today'),
  'not-within-recording': says(
    { seconds: 'integer' },
    'must be within the recording, which has {seconds} seconds',
  ),
  'not-after-from': says('must be after `from`'),
  'same-recording': says('must be another recording'),
  'other-kind': says('must be of the same type: two meetings, or two solo recordings'),
  'not-ready-to-join': says('must be a finished recording that has its audio'),
  'read-by-others': says('must be true: others can read this note, and would read what is joined'),
  'speakers-count': says('must be a number from 1 to 20'),
  'speakers-limits': says('must not be less than `speakers_min`'),
  'not-names': says('must be names separated by commas, or a JSON array'),
  'passage-named-wrong': says(
    'must name a passage by its `block` or its `index`; a `revision` needs a `block`',
  ),
  'passage-named-twice': says('must name each passage once'),
  'recording-named-twice': says('must name each recording once'),
  'count-differs': says({ count: 'integer' }, 'must be {count}, as many as are named'),
  'tags-of-others': says('finds only your own notes: other people’s tags aren’t shown'),
  'one-place': says('must be the only one of cursor, before and around'),
  'search-empty': says('must contain what to search for, such as /search?q=budget'),
  'question-or-missed': says('is required unless `about` is `missed`; give only one of them'),
  'question-of-recording': says('is required with `since` and `about`'),
  'search-of-notes': says('is accepted only with group=note'),
  'one-of-names-skip-later': says('must be the only one of names, `skip` and `later`'),
  'not-a-status': says('must be IDLE, RECORDING, TRANSCRIBING, AWAITING_SPEAKERS or ERROR'),
  'not-a-position': says('must be a position of the log'),
  'not-a-cursor': says('must be the next_cursor of the previous page'),
  'not-a-ulid': says('must be a ULID'),
  'peaks-rate': says({ most: 'integer' }, 'must be a divisor of {most}, such as 10, 20 or 50'),
  'peaks-too-many': says('is too high for a recording of this length'),
  'model-only-for-speech': says('can only be chosen when transcribing again'),
  'not-your-folder': says('is not one of your folders'),
  'not-your-template': says('is not a template that you can choose'),
  'too-many-lines': says({ count: 'integer' }, 'must have at most {count} lines'),
  'same-section-twice': says('has a heading twice'),
  'rule-without-condition': says('must have at least one condition'),
  'rule-without-action': says('must say what is done'),
  'summaries-most': says(
    { count: 'integer' },
    'can have at most {count} summaries made again at once',
  ),
  'kind-or-template': says('can change the kind or the template, not both at once'),
  'rule-title-too-late': says(
    'can’t be set by a rule about the title: the title is known only after the summary',
  ),
  'rule-too-late': says(
    'can’t be set by a rule about title, speakers or what is said: these are known only afterwards',
  ),
  'rule-times': says('must be given with the other time'),
  'not-a-clock-time': says('must be a time of day, such as 18:30'),
  'too-many-tags': says({ limit: 'integer' }, 'must be at most {limit} for one recording'),
  'not-your-tag': says('is not one of your tags'),
  'only-by-owner': says('can only be changed by the owner of the note'),
  'link-too-long': says({ days: 'integer' }, 'must be within {days} days'),
  'link-over-already': says('must be in the future'),
  'is-the-owner': says('is the person who shares'),
  'not-a-user': says('is not a user'),
  'not-a-label': says({ labels: 'list' }, 'is not a speaker of this recording ({labels})'),
  'not-a-word': says('is not a word at which this passage can be split'),
  'no-speakers': says('This passage has no speaker because the recording is not a meeting'),
  'file-name': says('must have a file name'),
  'one-file': says('must be exactly one file, in the field `file`'),
};

/** What is wrong with a field: its code with what varies in its sentence. */
export const fieldFault = sayingsOf(fieldFaults, 'field');
