import { problems } from './problems.ts';
import { says, tellAdministrator } from './sentences.ts';

/** Why audio is not recorded, documents are not written, and a recorder on a desk does not reach its Mitschrift. */
export const failuresOfRecording = {
  'server-crashed-here': says(
    { times: 'integer' },
    {
      detail: 'The server crashed {times} times while working on this, so it has stopped trying.',
      todo: 'Try again. If it happens again, tell an administrator.',
      admin: 'The last attempt ran with nothing else in progress; the log shows how it ended.',
    },
  ),
  'program-updated': says({
    detail: 'Mitschrift was updated while it was running.',
    todo: 'The server must be restarted; then try again.',
  }),
  'unexpected-error': says(
    { request: 'text?' },
    {
      detail: 'An unexpected error occurred.',
      todo: 'Try again. If it happens again, tell an administrator.',
      admin: 'The log has the details.',
    },
  ),
  'address-forbidden': says(
    { host: 'text' },
    {
      detail: 'The configured server leads to an address to which Mitschrift sends nothing.',
      todo: tellAdministrator.en,
      admin: 'The name {host} leads to a link-local or metadata address.',
    },
  ),
  'device-lost': says(
    { device: 'text' },
    '“{device}” is no longer connected. Reconnect it to continue the recording.',
  ),
  'device-not-opened': says(
    { device: 'text', cause: 'text' },
    { detail: '“{device}” can’t be opened. Another program may be using it.', admin: '{cause}' },
  ),
  'device-failed': says(
    { device: 'text', cause: 'text' },
    {
      detail:
        '“{device}” stopped with an error. The recording continues when the device works again.',
      admin: '{cause}',
    },
  ),
  'device-no-data': says(
    { device: 'text' },
    '“{device}” sends no audio. Check that it is connected and switched on.',
  ),
  'device-moved': says(
    { device: 'text' },
    'The audio server switched the recording to “{device}”. Check that this is the right device.',
  ),
  'audio-server-ended': says(
    'The audio server has stopped. The recording continues when it is running again.',
  ),
  'no-signal': says(
    { source: ['device', 'microphone', 'speakers'], device: 'text?', since: 'seconds' },
    {
      detail:
        'No signal from {source} for {since}. Check that the device is connected and not muted.',
      choices: {
        source: { device: '“{device}”', microphone: 'the microphone', speakers: 'the speakers' },
      },
    },
  ),
  'long-silence': says(
    { since: 'minutes' },
    'Nobody has spoken for {since}. Should the recording continue?',
  ),
  'audio-gaps': says({ missing: 'seconds' }, 'Audio is missing from the recording: {missing}.'),
  'combined-incomplete': says(
    'Microphone and speakers are not both being recorded. Check that both are connected.',
  ),
  'browser-disconnected': says(
    { since: 'time' },
    'The browser has been offline since {since}. The recording continues when it is back online, and ends if it stays offline.',
  ),
  'recorder-disconnected': says(
    { since: 'time' },
    'The recorder has been offline since {since}. The recording continues when it is back online, and ends after a week offline.',
  ),
  'space-nearly-full': says(
    { left: 'minutes' },
    'Your storage is almost full, so this recording ends in about {left}. Everything recorded until then is saved.',
  ),
  'recording-resumed': says('The recording was interrupted and is running again.'),
  'disk-low': says(
    { free: 'bytes' },
    'The server’s disk is almost full ({free} free), so nothing new is accepted. Tell an administrator, or delete recordings.',
  ),
  'total-space-full': says(
    { taken: 'bytes', limit: 'bytes' },
    'All people together use {taken} of {limit} of storage. Recordings from the server’s devices continue; other recordings end, and nothing new is accepted. Delete recordings, or ask an administrator to raise the limit.',
  ),
  'device-silent': says(
    { device: 'text' },
    {
      detail: 'No audio came from “{device}”, not even silence.',
      todo: 'Check the device, then record again.',
    },
  ),
  'nothing-recorded': says({
    detail: 'The recording ended before any audio was recorded.',
    todo: 'Record again.',
  }),
  'recorder-not-started': says(
    { how: 'text?', cause: ['ended-at-once', 'late', 'exit', 'signal', 'not-run'] },
    {
      detail: 'The recording could not be started.',
      todo: 'Try again, or record in the browser.',
      admin: 'The recording process {cause}.',
      choices: {
        cause: {
          'ended-at-once': 'ended as soon as it started',
          late: 'did not start in time',
          exit: 'ended with exit code {how}',
          signal: 'was ended by {how}',
          'not-run': 'could not be run ({how})',
        },
      },
    },
  ),
  'recorder-socket-unsafe': says(
    { path: 'place' },
    {
      detail:
        'The recording could not be started, because others can access the server’s folder for it.',
      todo: tellAdministrator.en,
      admin: '{path} belongs to another user, or others can enter it.',
    },
  ),
  'files-differ': says({
    detail: 'A stored file has changed since it was saved, so it was not used.',
    todo: tellAdministrator.en,
    admin: '`mitschrift verify` lists the damage.',
  }),
  'already-recording': problems['already-recording'],
  'not-recording': problems['not-recording'],
  'recording-not-allowed': says(
    'You aren’t allowed to record with the devices of this server. Use the microphone of your own device.',
  ),
  'microphone-or-speakers-missing': says('Microphone and speakers are not both connected.'),
  'joined-recording-gone': says('The note to be joined was deleted in the meantime.'),
  'audio-shorter-than-before': says(
    'The audio is shorter than it was, so what arrived late could not be added.',
  ),
  'documents-no-space': says({
    detail: 'The server’s disk is full.',
    todo: 'Delete recordings or tell an administrator, then try again.',
  }),
  'documents-not-writable': says({
    detail: 'Mitschrift isn’t allowed to write to your documents folder on the server.',
    todo: tellAdministrator.en,
  }),
  'document-name-taken': says({
    detail: 'A file or folder with another content has the name the document needs.',
    todo: 'Rename it, then try again.',
  }),
  'document-not-text': says(
    { document: ['index', 'transcript', 'summary'] },
    {
      detail: '{document} was changed by hand and isn’t UTF-8 text, so the file can’t be moved.',
      todo: 'Save the file as UTF-8, then try again.',
      choices: {
        document: { index: 'The overview', transcript: 'The transcript', summary: 'The summary' },
      },
    },
  ),
  'mitschrift-server-unreachable': says(
    { server: 'place', cause: 'text' },
    {
      detail: 'The Mitschrift server can’t be reached.',
      todo: 'Check the address and the network.',
      admin: '{server} ({cause})',
    },
  ),
  'mitschrift-server-closes': says(
    { server: 'place', cause: 'text' },
    {
      detail: 'The Mitschrift server closes connections without an answer.',
      todo: 'Check that it is running.',
      admin: '{server} ({cause})',
    },
  ),
  'mitschrift-server-broke-off': says(
    { server: 'place', cause: 'text?', during: ['request', 'answer'] },
    {
      detail: 'The Mitschrift server broke off {during}.',
      admin: '{server}[ ({cause})]',
      choices: { during: { request: 'the connection', answer: 'in the middle of its answer' } },
    },
  ),
  'mitschrift-server-stopped-answering': says(
    { server: 'place' },
    { detail: 'The Mitschrift server stopped in the middle of its answer.', admin: '{server}' },
  ),
  'mitschrift-server-certificate': says(
    { server: 'place', cause: 'text' },
    {
      detail: 'The certificate of the Mitschrift server isn’t trusted.',
      todo: 'If it is your own, name its authority: NODE_EXTRA_CA_CERTS=/path/to/authority.pem mitschrift …',
      admin: '{server} ({cause})',
    },
  ),
  'mitschrift-server-no-https': says(
    { server: 'place' },
    {
      detail: 'The Mitschrift server doesn’t support https.',
      todo: 'Try http:// in the address.',
      admin: '{server}',
    },
  ),
  'not-mitschrift': says(
    { server: 'place' },
    {
      detail: 'What answers at this address isn’t Mitschrift.',
      todo: 'Check the address.',
      admin: '{server}',
    },
  ),
};
