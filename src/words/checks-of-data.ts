import { says } from './sentences.ts';

/** What Health finds about the event log, keys, notes folders and the clock. */
export const checksOfData = {
  'log-sound': says('No damage was found.'),
  'log-not-opened': says(
    { cause: 'sentence' },
    {
      detail: 'The event log can’t be opened: {cause}',
      todo: 'Fix the cause. `mitschrift verify` lists everything that is damaged.',
    },
  ),
  'log-damaged': says(
    { count: 'integer', places: 'sentences' },
    {
      detail: {
        one: '{count} place is missing or damaged: {places}.',
        other: '{count} places are missing or damaged: {places}.',
      },
    },
  ),
  'damaged-place': says(
    {
      kind: [
        'record',
        'index',
        'table',
        'left',
        'fact',
        'state',
        'user',
        'recording',
        'audio',
        'document',
        'key',
      ],
      position: 'integer?',
      stream: 'text?',
      version: 'integer?',
      path: 'place?',
      finding: 'sentence',
    },
    {
      detail: '{kind}[, position {position}][, {stream}][, version {version}][, {path}]: {finding}',
      choices: {
        kind: {
          record: 'event',
          index: 'index',
          table: 'table of the database',
          left: 'deleted file',
          fact: 'form of an event',
          state: 'state of a recording',
          user: 'user',
          recording: 'recording',
          audio: 'audio',
          document: 'document',
          key: 'key',
        },
      },
    },
  ),
  'more-places': says({ more: 'integer' }, '{more} more'),
  'keys-sound': says('All keys can be read.'),
  'keys-not-compared': says({
    detail: 'The keys could not be checked because the event log can’t be opened.',
    todo: 'Fix the event log first.',
  }),
  'keys-damaged': says(
    { count: 'integer', paths: 'places' },
    {
      detail: {
        one: '{count} key is missing or damaged: {paths}.',
        other: '{count} keys are missing or damaged: {paths}.',
      },
    },
  ),
  'restore-or-salvage': says(
    'The event log is damaged, so nothing new can be saved. Stop Mitschrift and restore the last backup into a new data directory (`mitschrift restore`), or salvage what can be read (`mitschrift repair --out`).',
  ),
  'table-damaged': says(
    'A database table is damaged. Mitschrift may stop when it reads that table. Stop it and restore the last backup into a new data directory (`mitschrift restore`), or salvage what can be read (`mitschrift repair --out`).',
  ),
  'keys-from-backup': says(
    'Put these keys back from a backup, or delete their recordings and users.',
  ),
  'audio-from-backup': says('Put these audio files back from a backup.'),
  'events-unexpected': says(
    'Some events are not what this version would have recorded. Please report this with the output of this command.',
  ),
  'vault-not-set': says('No notes folder is set: documents are opened where they are stored.'),
  'vault-writable': says({ folder: 'place' }, 'Mitschrift can write to {folder}.'),
  'vault-missing': says(
    { folder: 'place' },
    {
      detail: '{folder} doesn’t exist (`notes.vault`).',
      todo: 'Create the folder, or choose the folder of your notes app (`notes.vault`).',
    },
  ),
  'vault-not-a-folder': says(
    { folder: 'place' },
    {
      detail: '{folder} is not a folder (`notes.vault`).',
      todo: 'Create the folder, or choose the folder of your notes app (`notes.vault`).',
    },
  ),
  'vault-not-writable': says(
    { folder: 'place', cause: 'text' },
    {
      detail: 'Mitschrift can’t write to {folder} (`notes.vault`): {cause}.',
      todo: 'Make it writable for the user that runs Mitschrift.',
    },
  ),
  'time-ok': says({ zone: 'text' }, 'Documents use the time zone {zone}.'),
  'time-zone-unknown': says(
    { set: 'text', zone: 'text' },
    {
      detail: 'TZ is “{set}”, which is not a time zone. {zone} is used instead.',
      todo: 'Set the time zone of this computer (in a container, the variable TZ, such as Europe/Berlin).',
    },
  ),
  'time-zone-not-set': says({
    detail: 'No time zone is set: documents are dated in UTC.',
    todo: 'Set the time zone of this computer (in a container, the variable TZ, such as Europe/Berlin).',
  }),
  'clock-behind': says(
    { last: 'time' },
    {
      detail: 'The clock is slow: something was already recorded at {last}.',
      todo: 'Let the computer set its clock over the network.',
    },
  ),
  'vaults-ok': says(
    { count: 'integer' },
    {
      detail: {
        one: 'Mitschrift can write to the notes folder of {count} user.',
        other: 'Mitschrift can write to the notes folders of {count} users.',
      },
    },
  ),
  'vaults-none': says('No user has a notes folder of their own.'),
  'vaults-wrong': says(
    { faults: 'sentences' },
    {
      detail: '{faults}',
      todo: 'Correct the folder, or choose another one for this user under Settings › People.',
    },
  ),
  'vault-of-user-wrong': says(
    {
      folder: 'place',
      user: 'text',
      fault: ['missing', 'no-folder', 'refused', 'unmounted', 'shared', 'in-data'],
      cause: 'text?',
    },
    {
      detail: '{folder} of {user} {fault}',
      choices: {
        fault: {
          missing: 'doesn’t exist',
          'no-folder': 'is not a folder',
          refused: 'can’t be written to ({cause})',
          unmounted: 'isn’t the folder it was, and is empty: its disk may not be mounted',
          shared: 'overlaps with the notes folder of another user',
          'in-data': 'overlaps with Mitschrift’s own data',
        },
      },
    },
  ),
  'recreate-users': says(
    'The keys of these users were destroyed, so they can’t log in. Create them again (`mitschrift users add`).',
  ),
  'delete-leftovers': says(
    'Something that was deleted is still there. Delete it again, or remove these files.',
  ),
};
