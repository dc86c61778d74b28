import { says } from './sentences.ts';

/** What each type of problem says: its title, and its sentence where no detail says more. */
export const problems = {
  'malformed-body': says(
    {},
    {
      title: 'The request’s content can’t be read',
      detail: 'What was sent is incomplete or in an unknown format. Try again.',
    },
  ),
  'malformed-request': says(
    {},
    {
      title: 'The request can’t be read',
      detail: 'The address or a header of the request isn’t valid.',
    },
  ),
  'not-authenticated': says(
    {},
    {
      title: 'Not logged in',
      detail: 'You’re not logged in, or your session has ended. Log in and try again.',
    },
  ),
  'wrong-credentials': says(
    {},
    { title: 'Login failed', detail: 'The user name or password is wrong.' },
  ),
  'user-disabled': says(
    {},
    {
      title: 'Account disabled',
      detail: 'This account is disabled. Ask an administrator to enable it again.',
    },
  ),
  'not-admin': says(
    {},
    {
      title: 'Administrators only',
      detail: 'You need administrator rights for this. Ask an administrator of this server.',
    },
  ),
  'outside-space': says(
    { reason: ['outside', 'too-many-folders', 'link', 'not-a-file', 'reserved-name'] },
    {
      title: 'Path not allowed',
      detail: 'This path isn’t allowed: {reason}.',
      choices: {
        reason: {
          outside: 'it must lead to a file in your own folder',
          'too-many-folders': 'it has too many folders',
          link: 'it leads through a symbolic link',
          'not-a-file': 'it doesn’t lead to a file',
          'reserved-name': 'a name in it is reserved',
        },
      },
    },
  ),
  'setup-code-required': says(
    {},
    {
      title: 'Setup code required',
      detail:
        'Open Mitschrift with the setup link: it contains the code. `mitschrift setup-link` prints the link on the server; the code is also in the server’s log and in the file `setup-code` in the data directory.',
    },
  ),
  'cross-origin': says(
    {},
    {
      title: 'Request from another website',
      detail:
        'Only Mitschrift’s own pages may send this request. Open Mitschrift under its own address and try again.',
    },
  ),
  'not-found': says(
    {},
    {
      title: 'Not found',
      detail: 'There is nothing at this address, or it belongs to someone else.',
    },
  ),
  'method-not-allowed': says(
    { methods: 'list' },
    { title: 'Method not allowed', detail: 'Allowed here: {methods}.' },
  ),
  'too-slow': says(
    {},
    {
      title: 'Connection too slow',
      detail:
        'The data arrived too slowly and was not accepted. Check the connection and send it again.',
    },
  ),
  'not-accepted': says(
    {},
    {
      title: 'Not possible at the moment',
      detail: 'The recording is in a state that doesn’t allow this. Nothing was changed.',
    },
  ),
  'already-set-up': says(
    {},
    {
      title: 'Mitschrift is already set up',
      detail: 'There is already an administrator. Log in instead.',
    },
  ),
  'username-taken': says(
    { name: 'text' },
    {
      title: 'User name taken',
      detail: 'The user name {name} is already taken. Choose another one.',
    },
  ),
  'last-administrator': says(
    {},
    {
      title: 'Last administrator',
      detail:
        'This is the last administrator who can log in. Give another person administrator rights first.',
    },
  ),
  'own-account': says(
    {},
    {
      title: 'Not possible for your own account',
      detail: 'You can’t disable your own account. Ask another administrator.',
    },
  ),
  'administrator-first': says(
    {},
    {
      title: 'An administrator is needed first',
      detail: 'The first user must be an administrator. Create an administrator first.',
    },
  ),
  'built-in-user': says(
    { name: 'text' },
    { title: 'Built-in user', detail: 'The user {name} is built in and can’t be changed.' },
  ),
  overridden: says(
    { keys: 'list' },
    {
      title: 'Set by an environment variable',
      detail:
        'Environment variables of the server set {keys}, so they can’t be changed here. Nothing was saved. Change the variables and restart the server.',
    },
  ),
  'device-unavailable': says(
    {},
    {
      title: 'Device not available',
      detail: 'The device can’t be recorded at the moment. Choose another device or try again.',
    },
  ),
  'not-recording': says(
    {},
    { title: 'No recording in progress', detail: 'None of your recordings is running.' },
  ),
  'already-recording': says(
    {},
    { title: 'Already recording', detail: 'One of your recordings is running. Stop it first.' },
  ),
  'several-waiting': says(
    {},
    {
      title: 'Several recordings need names',
      detail: 'Several recordings are waiting for speaker names. Choose one with `recording_id`.',
    },
  ),
  'nobody-waiting': says(
    {},
    {
      title: 'No recording needs names',
      detail: 'None of your recordings is waiting for speaker names.',
    },
  ),
  'no-language-model': says(
    {},
    {
      title: 'No language model set up',
      detail:
        'Nothing was started, because no language model is set up. You can transcribe the recording again without one.',
      admin: 'Set a language model server in the settings (`llm.base_url`).',
    },
  ),
  'backup-running': says(
    {},
    {
      title: 'Backup in progress',
      detail: 'A backup is already being made. Start the next one when it’s finished.',
    },
  ),
  'key-used-differently': says(
    {},
    {
      title: 'Idempotency-Key already used',
      detail: 'This Idempotency-Key was used for another request. Use a new key.',
    },
  ),
  'wrong-offset': says(
    {},
    {
      title: 'Upload continues elsewhere',
      detail: 'Ask with HEAD how much has been uploaded, and continue from there.',
    },
  ),
  'upload-over': says(
    {},
    {
      title: 'Upload expired',
      detail: 'An upload must be finished within 24 hours. Upload the file again.',
    },
  ),
  'tus-version': says(
    {},
    { title: 'Other version of the upload protocol', detail: 'Send `Tus-Resumable: 1.0.0`.' },
  ),
  'changed-meanwhile': says(
    {},
    {
      title: 'Changed in the meantime',
      detail:
        'This was changed in the meantime, so your change was not saved. Reload the page and make your change again.',
    },
  ),
  'too-large': says({}, { title: 'Too large', detail: 'What was sent is larger than allowed.' }),
  'unsupported-media': says(
    {},
    { title: 'File type not supported', detail: 'Files of this type are not accepted.' },
  ),
  'range-not-satisfiable': says(
    { size: 'bytes' },
    {
      title: 'Outside the file',
      detail: 'The audio has {size}; the requested range starts after its end.',
    },
  ),
  'host-not-allowed': says(
    {},
    {
      title: 'Host name not allowed',
      detail:
        'Mitschrift doesn’t accept requests under this host name. An administrator can add it in the settings (Host names, `server.allowed_hosts`).',
    },
  ),
  invalid: says({}, { title: 'Please check your input', detail: 'Some of the input isn’t valid.' }),
  'upgrade-required': says({}, { title: 'WebSocket only', detail: 'Connect with a WebSocket.' }),
  'https-required': says(
    { address: 'text' },
    { title: 'https required', detail: 'Mitschrift uses https here. Open {address}' },
  ),
  'too-many-attempts': says(
    { wait: 'seconds' },
    { title: 'Too many attempts', detail: 'Too many failed attempts. Wait {wait} and try again.' },
  ),
  'too-many-connections': says(
    { count: 'integer' },
    {
      title: 'Too many connections',
      detail:
        'You have {count} connections open, which is the limit. Close other Mitschrift tabs or windows.',
    },
  ),
  internal: says(
    { request: 'text' },
    {
      title: 'Unexpected error',
      detail:
        'The server had an unexpected error. Try again; if it happens again, tell an administrator the number {request}.',
      admin: 'The log has the details under this number.',
    },
  ),
  'outcome-unknown': says(
    {},
    {
      title: 'Not known whether saved',
      detail:
        'The server couldn’t confirm whether your change was saved. Reload the page to check before you try again.',
    },
  ),
  starting: says(
    { done: 'percent?' },
    {
      title: 'Server is starting',
      detail:
        'The server is starting and still loading its data. Nothing was changed. Try again in a moment.',
    },
  ),
  busy: says(
    {},
    {
      title: 'Server is busy',
      detail: 'The server has too much to do at the moment. Try again in a moment.',
    },
  ),
  'views-behind': says(
    {},
    {
      title: 'Saved, but not shown yet',
      detail: 'Your change was saved and will appear shortly. You don’t need to make it again.',
    },
  ),
  'view-stopped': says(
    { list: 'text' },
    {
      title: 'Changes not possible',
      detail:
        'Mitschrift can’t update its lists at the moment, so it accepts no changes. Nothing that was saved is lost. Tell an administrator.',
      admin: 'The log says why the projection {list} has stopped.',
    },
  ),
  'log-damaged': says(
    {},
    {
      title: 'Stored data is damaged',
      detail:
        'Part of the stored data is damaged, so nothing new can be saved. Tell an administrator.',
      admin: '`mitschrift verify` lists what is damaged. Restore a backup.',
    },
  ),
  unreadable: says(
    {},
    {
      title: 'Key missing',
      detail:
        'This can’t be read or changed because its key is missing or damaged. Tell an administrator, or delete it.',
      admin: 'Put the key back from a backup, then restart the server.',
    },
  ),
  'log-newer': says(
    {},
    {
      title: 'Data from a newer version',
      detail: 'The data was written by a newer version of Mitschrift. Nothing was changed.',
      admin: 'Start that version or a newer one.',
    },
  ),
  stopping: says(
    {},
    {
      title: 'Server is shutting down',
      detail: 'The server is shutting down. Try again when it’s running again.',
    },
  ),
  'disk-full': says(
    {},
    {
      title: 'Server disk is full',
      detail:
        'The server’s disk is full, so nothing new can be saved. What is stored can still be read and deleted. Tell an administrator, or delete recordings.',
      admin: 'Free up space on the disk.',
    },
  ),
  'log-unavailable': says(
    {},
    {
      title: 'Stored data not reachable',
      detail:
        'The server can’t access its stored data at the moment. Nothing that was saved is lost. Try again in a moment.',
      admin: 'The event log or its database is being opened again; the log says why.',
    },
  ),
  'files-unavailable': says(
    {},
    {
      title: 'Files not reachable',
      detail:
        'The server can’t reach its files at the moment. Nothing that was saved is lost. Try again in a moment.',
    },
  ),
  unavailable: says(
    {},
    {
      title: 'Not available on this server',
      detail: 'The server doesn’t have what this needs. Ask an administrator.',
    },
  ),
  'decoder-stalled': says(
    {},
    {
      title: 'Audio couldn’t be read in time',
      detail:
        'Reading the file took too long. Try again later. If it fails again, convert the file to WAV.',
    },
  ),
  'space-limit': says(
    {},
    {
      title: 'Storage limit reached',
      detail:
        'The storage limit is reached, so nothing new is accepted. Delete recordings, or ask an administrator to raise the limit.',
    },
  ),
};
