import { says } from './sentences.ts';

/** Types of problems with a request: titles, and what they say where no detail says more. */
export const problemsOfRequests = {
  'malformed-body': says({
    title: 'The request’s content can’t be read',
    detail: 'What was sent is incomplete or in an unknown format. Try again.',
  }),
  'malformed-request': says({
    title: 'The request can’t be read',
    detail: 'The address or a header of the request isn’t valid.',
  }),
  'not-admin': says({
    title: 'Administrators only',
    detail: 'You need administrator rights for this. Ask an administrator of this server.',
  }),
  'not-a-recorder': says({
    title: 'Recording not allowed here',
    detail:
      'You are not allowed to record with the devices of this server. Use the microphone of your own device.',
    admin: 'Setting: Who may record here (`audio.recorders`).',
  }),
  'outside-space': says(
    {
      reason: [
        'outside',
        'too-many-folders',
        'link',
        'not-a-file',
        'reserved-name',
        'forbidden-name',
      ],
    },
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
          'forbidden-name': 'a name in it isn’t allowed',
        },
      },
    },
  ),
  'setup-code-required': says({
    title: 'Setup code required',
    detail:
      'Open Mitschrift with the setup link: it contains the code. `mitschrift setup-link` prints the link on the server; the code is also in the server’s log and in the file `setup-code` in the data directory.',
  }),
  'cross-origin': says({
    title: 'Request from another website',
    detail:
      'Only Mitschrift’s own pages may send this request. Open Mitschrift under its own address and try again.',
  }),
  'not-found': says({
    title: 'Not found',
    detail: 'There is nothing at this address, or it belongs to someone else.',
  }),
  'unknown-user': says({
    title: 'Nobody of that name',
    detail: 'There is no user or group of that name. Check the name.',
  }),
  'not-yours': says(
    { owner: 'text' },
    {
      title: 'Only the owner can do this',
      detail: 'This note belongs to {owner}. Nothing was changed. Ask {owner} to do this.',
    },
  ),
  'on-hold': says({
    title: 'Protected from deletion',
    detail:
      'This note is protected from deletion. Nothing was deleted. Remove the protection first.',
  }),
  'sharing-off': says({
    title: 'Sharing is switched off',
    detail: 'Sharing is switched off on this server. Ask an administrator.',
  }),
  'links-off': says({
    title: 'Links are switched off',
    detail: 'Links are switched off on this server. Ask an administrator.',
  }),
  'password-required': says({
    title: 'Password required',
    detail: 'This link has a password. Whoever sent you the link knows it.',
  }),
  'link-over': says({
    title: 'Link no longer valid',
    detail: 'This link is no longer valid. Ask the person who sent it for a new one.',
  }),
  'method-not-allowed': says(
    { methods: 'list' },
    { title: 'Method not allowed', detail: 'Allowed here: {methods}.' },
  ),
  'too-slow': says({
    title: 'Connection too slow',
    detail:
      'The data arrived too slowly and was not accepted. Check the connection and send it again.',
  }),
  'not-accepted': says({
    title: 'Not possible at the moment',
    detail: 'The recording is in a state that doesn’t allow this. Nothing was changed.',
  }),
  'already-set-up': says({
    title: 'Mitschrift is already set up',
    detail: 'There is already an administrator. Log in instead.',
  }),
  'username-taken': says(
    { name: 'text' },
    {
      title: 'User name taken',
      detail: 'The user name {name} is already taken. Choose another one.',
    },
  ),
  'last-administrator': says({
    title: 'Last administrator',
    detail:
      'This is the last administrator who can log in. Give another person administrator rights first.',
  }),
  'own-account': says({
    title: 'Not possible for your own account',
    detail: 'You can’t disable your own account. Ask another administrator.',
  }),
  'administrator-first': says({
    title: 'An administrator is needed first',
    detail: 'The first user must be an administrator. Create an administrator first.',
  }),
  'built-in-user': says(
    { name: 'text' },
    { title: 'Built-in user', detail: 'The user {name} is built in and can’t be changed.' },
  ),
  'too-many-links': says({
    title: 'Too many open invitations and links',
    detail: 'Too many invitations and password links are open. Withdraw some of them first.',
  }),
  'name-taken': says(
    { name: 'text' },
    { title: 'Name taken', detail: 'The name “{name}” is already taken. Choose another one.' },
  ),
  'too-many-names': says(
    {
      count: 'integer',
      what: [
        'folders',
        'tags',
        'rules',
        'templates',
        'words',
        'groups',
        'members',
        'grants',
        'links',
      ],
    },
    {
      title: 'Too many',
      detail: 'There can be {count} {what} at most. Delete some of them first.',
      choices: {
        what: {
          folders: 'folders',
          tags: 'tags',
          rules: 'rules',
          templates: 'templates',
          words: 'words',
          groups: 'groups',
          members: 'members of a group',
          grants: 'people and groups for one note or folder',
          links: 'links to one note',
        },
      },
    },
  ),
  overridden: says(
    { keys: 'list' },
    {
      title: 'Set by an environment variable',
      detail:
        'Environment variables of the server set {keys}, so they can’t be changed here. Nothing was saved. Change the variables and restart the server.',
    },
  ),
  'device-unavailable': says({
    title: 'Device not available',
    detail: 'The device can’t be recorded at the moment. Choose another device or try again.',
  }),
  'not-recording': says({
    title: 'No recording in progress',
    detail: 'None of your recordings is running.',
  }),
  'already-recording': says({
    title: 'Already recording',
    detail: 'One of your recordings is already running. Stop it first.',
  }),
  'several-waiting': says({
    title: 'Several recordings need names',
    detail: 'Several recordings are waiting for speaker names. Choose one with `recording_id`.',
  }),
  'nobody-waiting': says({
    title: 'No recording needs names',
    detail: 'None of your recordings is waiting for speaker names.',
  }),
  'no-embeddings': says({
    title: 'No embedding server set up',
    detail: 'Notes can’t be found by their meaning, because no embedding server is set up.',
    admin: 'Set an embedding server in the settings (`embeddings.base_url`).',
  }),
  'no-language-model': says({
    title: 'No language model set up',
    detail:
      'Nothing was started, because no language model is set up. You can transcribe the recording again without one.',
    admin: 'Set a language model server in the settings (`llm.base_url`).',
  }),
  'backup-running': says({
    title: 'Backup in progress',
    detail: 'A backup is already being made. Start the next one when it’s finished.',
  }),
  'key-used-differently': says({
    title: 'Idempotency-Key already used',
    detail: 'This Idempotency-Key was used for another request. Use a new key.',
  }),
  'wrong-offset': says({
    title: 'Upload continues elsewhere',
    detail: 'Ask with HEAD how much has been uploaded, and continue from there.',
  }),
  'upload-over': says({
    title: 'Upload expired',
    detail: 'An upload must be finished within 24 hours. Upload the file again.',
  }),
  'tus-version': says({
    title: 'Other version of the upload protocol',
    detail: 'Send `Tus-Resumable: 1.0.0`.',
  }),
  'changed-meanwhile': says({
    title: 'Changed in the meantime',
    detail:
      'This was changed in the meantime, so your change was not saved. Reload the page and make your change again.',
  }),
  'too-large': says({ title: 'Too large', detail: 'What was sent is larger than allowed.' }),
  'unsupported-media': says({
    title: 'File type not supported',
    detail: 'Files of this type are not accepted.',
  }),
  'range-not-satisfiable': says(
    { size: 'bytes' },
    {
      title: 'Outside the file',
      detail: 'The audio has {size}; the requested range starts after its end.',
    },
  ),
  'host-not-allowed': says(
    { host: 'text?' },
    {
      title: 'Host name not allowed',
      // Everyone is told the names of variable and setting: who reads this cannot log in yet.
      detail:
        'Mitschrift doesn’t accept requests under this host name[ ({host})]. Start it with MITSCHRIFT_SERVER_ALLOWED_HOSTS[={host}], or have an administrator add the name in the settings (Host names, `server.allowed_hosts`).',
    },
  ),
  invalid: says({ title: 'Please check your input', detail: 'Some of the input isn’t valid.' }),
  'upgrade-required': says({ title: 'WebSocket only', detail: 'Connect with a WebSocket.' }),
  'https-required': says(
    { address: 'place' },
    { title: 'https required', detail: 'Mitschrift uses https here. Open {address}' },
  ),
  'too-many-attempts': says(
    { wait: 'seconds' },
    {
      title: 'Too many attempts',
      detail: 'Too many failed attempts. Wait {wait}, then try again.',
    },
  ),
  'too-many-questions': says(
    { wait: 'seconds' },
    {
      title: 'Too many questions',
      detail:
        'You have asked too many questions at once or within an hour. Wait {wait}, then ask again.',
    },
  ),
  'too-many-connections': says(
    { count: 'integer' },
    {
      title: 'Too many connections',
      detail:
        'You have {count} connections open, which is the limit. Close other Mitschrift tabs or windows.',
    },
  ),
};
