import { says, sayingsOf } from './sentences.ts';

/**
 * Why stored data can’t be opened, read or changed. Only who runs Mitschrift reads these: at a start that fails, in Health, and
 * on the command line.
 */
export const dataFailures = {
  'data-in-use': says(
    { folder: 'place' },
    {
      detail: 'Another Mitschrift is using this data directory ({folder}).',
      todo: 'Stop it first.',
    },
  ),
  'log-newer': says(
    { format: 'integer', known: 'integer' },
    {
      detail:
        'The event log was written by a newer version of Mitschrift (format {format}; this version knows {known}). Nothing was changed.',
      todo: 'Start the newer version.',
    },
  ),
  'events-newer': says(
    { type: 'text', version: 'integer?' },
    {
      detail:
        'The event log was written by a newer version of Mitschrift: it contains the event {type}[ in version {version}]. Nothing was changed.',
      todo: 'Start the newer version.',
    },
  ),
  'log-damaged-at': says(
    { position: 'integer?', stream: 'text?', version: 'integer?', finding: 'sentence' },
    {
      detail:
        'The event log is damaged[ at position {position}][ in {stream}][ at version {version}]: {finding}. Nothing new is saved.',
      todo: '`mitschrift verify` lists all damage; restore a backup.',
    },
  ),
  'key-damaged-at': says(
    { subject: 'text', finding: 'sentence' },
    {
      detail: 'Something of {subject} can’t be read: {finding}.',
      todo: 'Put the key back from a backup, or delete {subject}.',
    },
  ),
  'key-lost': says(
    { subject: 'text', path: 'place?' },
    'The key of {subject} is missing[ ({path})], although it was not deleted.',
  ),
  'key-damaged': says(
    { subject: 'text', path: 'place?' },
    'The key of {subject} is damaged[ ({path})].',
  ),
  'key-destroyed': says(
    { subject: 'text' },
    '{subject} was deleted; nothing of it is stored any more.',
  ),
  'key-unavailable': says(
    { subject: 'text' },
    'The key of {subject} is not available at the moment.',
  ),
  'erasures-unreadable': says(
    { line: 'integer', path: 'place?' },
    {
      detail: 'Line {line} of the list of erasures can’t be read[ ({path})].',
      todo: 'Put the file back from a backup.',
    },
  ),
  'log-incomplete': says(
    { folder: 'place' },
    {
      detail:
        '{folder} contains parts of an event log, but its file CURRENT is missing or unusable. Nothing was changed.',
      todo: 'Restore the data directory from a backup.',
    },
  ),
  'data-not-built': says(
    { folder: 'place' },
    {
      detail: '{folder} is there: a restore or repair is running, or was interrupted.',
      todo: 'Wait for it, or run `mitschrift restore` or `mitschrift repair` again. To start without a backup, delete that folder.',
    },
  ),
  'log-gone': says(
    { file: 'place', folder: 'place' },
    {
      detail:
        '{file} belongs to an event log, but {folder} has no usable file CURRENT. Nothing was changed.',
      todo: 'Restore the data directory from a backup.',
    },
  ),
  'log-marker-unreadable': says(
    { file: 'place' },
    {
      detail: '{file} can’t be read. Nothing was changed.',
      todo: 'Restore the data directory from a backup.',
    },
  ),
  'log-mismatch': says(
    { file: 'place', marked: 'text', found: 'text?' },
    {
      detail:
        '{file} belongs to another event log ({marked}) than the database next to it[ ({found})]. Nothing was changed.',
      todo: 'Restore both from the same backup.',
    },
  ),
  'log-unopenable': says(
    { folder: 'place', cause: 'said' },
    {
      detail: 'The database in {folder} can’t be opened: {cause}. Nothing was changed.',
      todo: 'Restore it from a backup.',
    },
  ),
  'log-unopenable-now': says(
    { folder: 'place', cause: 'said' },
    'The database in {folder} can’t be opened at the moment: {cause}.',
  ),
  'log-bookkeeping-lost': says('The database has lost the list of its own files.'),
  'tables-end-process': says(
    { folder: 'place', findings: 'sentences' },
    {
      detail:
        'The event log in {folder} was not opened because damaged tables would end the process: {findings}. Nothing was changed.',
      todo: 'Restore the last backup into a new data directory (`mitschrift restore`), or salvage what can be read (`mitschrift repair --out`).',
    },
  ),
  'table-finding': says({ file: 'place', finding: 'sentence' }, '{file}: {finding}'),
  'more-findings': says({ more: 'integer' }, 'and {more} more'),
  'log-reopening': says(
    'Mitschrift is opening the event log again after a failed write. Until then, nothing new is accepted.',
  ),
  'log-disk-full': says(
    { free: 'bytes' },
    'The disk is full ({free} free). Saved recordings and notes can be read and deleted, but nothing new is accepted until there is space.',
  ),
  'log-lost': says(
    { count: 'integer' },
    {
      detail: {
        one: 'The database came back without its last event: a standby that was behind took over, or an earlier state was restored. That event is lost; this node continues with what is there.',
        other:
          'The database came back without its last {count} events: a standby that was behind took over, or an earlier state was restored. Those events are lost; this node continues with what is there.',
      },
    },
  ),
  'log-lost-some': says(
    'The database came back without the last events that this node knew: a standby that was behind took over, or an earlier state was restored. Those events are lost; this node continues with what is there.',
  ),
  'log-replaced': says(
    'The database contains a different event log than when this node opened it, because it was restored or replaced. This node restarts with that event log.',
  ),
  'secrets-damaged': says(
    { path: 'place' },
    {
      detail: '{path} is damaged.',
      todo: 'Put it back from a backup, or delete it and enter the API keys again.',
    },
  ),
  'file-differs': says('A file doesn’t match its checksum and was not stored.'),
  'file-changing': says('A file changed while it was being stored.'),
  'file-in-use': says({ detail: 'Another node is using the same file.', todo: 'Try again.' }),
  'audio-changed': says('The audio has changed since it was recorded.'),
  'upload-part-missing': says('A part of an upload is missing.'),
  'upload-part-changed': says('The length of a part of an upload has changed.'),
  'database-full': says(
    { database: 'place' },
    'The disk of the database {database} is full, so nothing new is saved.',
  ),
  'database-damaged': says(
    { database: 'place', cause: 'text' },
    'Tables of the database {database} are damaged ({cause}).',
  ),
  'database-other-log': says(
    { database: 'place' },
    'The database {database} now contains another event log. Mitschrift opens it again.',
  ),
  'database-away': says(
    { database: 'place', cause: 'text?' },
    'The database {database} can’t be reached at the moment[ ({cause})].',
  ),
  'database-no-connections': says(
    { database: 'place' },
    {
      detail: 'The database {database} has no free connection.',
      todo: 'Raise max_connections in PostgreSQL, or run fewer nodes.',
    },
  ),
  'database-no-rights': says(
    { database: 'place' },
    {
      detail:
        'In the database {database}, the user of this node no longer has the rights it needs.',
      todo: 'Make that user the owner of the database.',
    },
  ),
};

/** Why stored data can’t be used, by its code. */
export const dataFailure = sayingsOf(dataFailures, 'data');
