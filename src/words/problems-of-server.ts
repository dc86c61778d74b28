import { says } from './sentences.ts';

/** Types of problems that the server has: titles, and what they say where no detail says more. */
export const problemsOfServer = {
  internal: says(
    { request: 'text?' },
    {
      title: 'Unexpected error',
      detail:
        'The server had an unexpected error. Try again; if it happens again, tell an administrator[ the number {request}].',
      admin: 'The log has the details under this number.',
    },
  ),
  'outcome-unknown': says({
    title: 'Not known whether saved',
    detail:
      'The server couldn’t confirm whether your change was saved. Reload the page to check before you try again.',
  }),
  starting: says(
    { done: 'percent?' },
    {
      title: 'Server is starting',
      detail:
        'The server is starting and still loading its data. Nothing was changed. Try again in a moment.',
    },
  ),
  busy: says({
    title: 'Server is busy',
    detail: 'The server has too much to do at the moment. Try again in a moment.',
  }),
  'views-behind': says({
    title: 'Saved, but not shown yet',
    detail: 'Your change was saved and will appear shortly. You don’t need to make it again.',
  }),
  'view-stopped': says(
    { list: 'text' },
    {
      title: 'Changes not possible',
      detail:
        'Mitschrift can’t update its lists at the moment, so it accepts no changes. Nothing that was saved is lost. Tell an administrator.',
      admin: 'The log says why the projection {list} has stopped.',
    },
  ),
  'log-damaged': says({
    title: 'Stored data is damaged',
    detail:
      'Part of the stored data is damaged, so nothing new can be saved. Tell an administrator.',
    admin: '`mitschrift verify` lists what is damaged. Restore a backup.',
  }),
  unreadable: says({
    title: 'Key missing',
    detail:
      'This can’t be read or changed because its key is missing or damaged. Tell an administrator, or delete it.',
    admin: 'Put the key back from a backup, then restart the server.',
  }),
  'log-newer': says({
    title: 'Data from a newer version',
    detail: 'The data was written by a newer version of Mitschrift. Nothing was changed.',
    admin: 'Start that version or a newer one.',
  }),
  stopping: says({
    title: 'Server is shutting down',
    detail: 'The server is shutting down. Try again when it’s running again.',
  }),
  'disk-full': says({
    title: 'Server disk is full',
    detail:
      'The server’s disk is full, so nothing new can be saved. What is stored can still be read and deleted. Tell an administrator, or delete recordings.',
    admin: 'Free up space on the disk.',
  }),
  'log-unavailable': says({
    title: 'Stored data not reachable',
    detail:
      'The server can’t access its stored data at the moment. Nothing that was saved is lost. Try again in a moment.',
    admin: 'The event log or its database is being opened again; the log says why.',
  }),
  'files-unavailable': says({
    title: 'Files not reachable',
    detail:
      'The server can’t reach its files at the moment. Nothing that was saved is lost. Try again in a moment.',
  }),
  unavailable: says({
    title: 'Not available on this server',
    detail: 'The server doesn’t have what this needs. Ask an administrator.',
  }),
  'decoder-stalled': says({
    title: 'Audio couldn’t be read in time',
    detail:
      'Reading the file took too long. Try again later. If it fails again, convert the file to WAV.',
  }),
  'space-limit': says({
    title: 'Storage limit reached',
    detail:
      'The storage limit is reached, so nothing new is accepted. Delete recordings, or ask an administrator to raise the limit.',
  }),
};
