import { says } from './sentences.ts';

/** Details of problems with devices, captures, uploads and space. */
export const detailsOfDevices = {
  'device-not-found': says(
    { device: 'text', there: 'list?' },
    'The input device “{device}” is not connected.[ Connected: {there}.]',
  ),
  'no-device-connected': says(
    'The server has no input device. Connect a microphone to it, or record in the browser.',
  ),
  'device-in-use': says(
    { device: 'text' },
    '“{device}” is already being recorded. Choose another device, or stop the other recording.',
  ),
  'device-trial-running': says('A device is already being tested. Try again in a moment.'),
  'combined-in-use': says(
    'Microphone and speakers are being recorded together. Change this when the recording has ended.',
  ),
  'combined-not-chosen': says(
    'No microphone and speakers are chosen for the combined recording. Choose them in the settings.',
  ),
  'combined-with-itself': says(
    'must be another source than the speakers, and not the combined source itself',
  ),
  'combined-microphone-gone': says(
    { device: 'text' },
    'The microphone “{device}” is no longer connected.',
  ),
  'combined-speakers-gone': says(
    { device: 'text' },
    'The speakers “{device}” are no longer connected.',
  ),
  'not-a-speaker': says({ device: 'text' }, '“{device}” does not belong to any speakers'),
  'combined-name-taken': says(
    'Another program uses the name of the combined source on the audio server. End that program and try again.',
  ),
  'combined-not-removed': says(
    'The audio server didn’t remove the old combined source. Restart the audio server.',
  ),
  'devices-not-listed': says({
    detail: 'The input devices can’t be listed because the server’s audio system isn’t responding.',
    admin: 'Restarting the audio server (PipeWire or PulseAudio) usually helps.',
  }),
  'no-audio-server': says(
    'No audio server is running on the server (neither PulseAudio nor PipeWire).',
  ),
  'pactl-missing': says({
    detail: 'Devices can’t be combined because the program pactl is missing on the server.',
    admin: 'Debian and Ubuntu: install `pulseaudio-utils`.',
  }),
  'audio-server-silent': says(
    { limit: 'seconds' },
    'The audio server didn’t respond within {limit}.',
  ),
  'audio-server-refused': says(
    { command: 'text' },
    'The audio server refused the command {command}.',
  ),
  'no-devices-on-nodes': says({
    detail:
      'This Mitschrift runs on several servers, which don’t record from devices of their own. Record in the browser.',
    admin: 'On a desktop computer: `mitschrift record --server <address>`.',
  }),
  'call-elsewhere': says(
    'Only people at the server’s own computer, who may record there, can answer the question about a call.',
  ),
  'call-over': says(
    'The call is over, or the question has been answered already. Nothing was changed.',
  ),
  'recording-over': says('This recording is no longer running.'),
  'recording-ending': says('This recording has ended or is just ending.'),
  'nothing-recorded': says('The recording ended before any audio was recorded.'),
  'recorded-from-device': says(
    'This recording comes from a device of the server, not from a browser.',
  ),
  'late-audio-not-wanted': says('There is no audio left to which this could be added.'),
  'late-audio-elsewhere': says(
    'The recording was joined or cut in the meantime, so this audio can’t be added any more. Upload it as a recording of its own.',
  ),
  'browser-recording-over': says('This recording no longer accepts audio from a browser.'),
  'recording-erased': says('This recording was deleted, so it no longer accepts audio.'),
  'recording-paused': says('The recording is paused. Resume it first.'),
  'recorded-on-other-node': says(
    'Another server is still working on this recording. Try again in a moment.',
  ),
  'recorded-on-this-node': says(
    'This server is still working on this recording. Try again in a moment.',
  ),
  'browsers-recording': says(
    { count: 'integer' },
    {
      detail: {
        one: 'You are already recording in 1 browser. Stop that recording first.',
        other: 'You are already recording in {count} browsers. Stop one of them first.',
      },
    },
  ),
  'sample-rate-differs': says({ rate: 'integer' }, 'This recording has {rate} samples a second.'),
  'uploader-gone': says(
    'The user of this upload no longer exists or is disabled. The upload was not saved.',
  ),
  'too-many-uploads-open': says(
    'Too many uploads are unfinished. Finish or delete some of them first.',
  ),
  'too-many-uploads-yours': says(
    'You are uploading too many files at once. Try again when one is finished.',
  ),
  'too-many-uploads': says(
    'Too many files are being uploaded at once. Try again when one is finished.',
  ),
  'upload-elsewhere': says('This file is already being uploaded in another tab or window.'),
  'file-too-large': says(
    { limit: 'bytes' },
    {
      detail: 'The file is larger than {limit}, the maximum upload size.',
      admin: 'Setting: Maximum upload size (`limits.upload_mb`).',
    },
  ),
  'upload-too-large': says(
    { limit: 'bytes', fields: 'bytes' },
    {
      detail:
        'The file is larger than {limit}, the maximum upload size, or the fields beside it are larger than {fields}.',
      admin: 'Setting: Maximum upload size (`limits.upload_mb`).',
    },
  ),
  'more-than-announced': says(
    { limit: 'bytes' },
    {
      detail: 'More was sent than announced, or more than {limit}, the maximum upload size.',
      admin: 'Setting: Maximum upload size (`limits.upload_mb`).',
    },
  ),
  'document-too-large': says(
    { limit: 'bytes' },
    'The document is larger than {limit} and was not saved.',
  ),
  'body-too-large': says({ limit: 'bytes' }, 'The body may have at most {limit} here.'),
  'body-too-deep': says('The body has too many values, or they are nested too deeply.'),
  'body-not-json': says('The body isn’t valid JSON.'),
  'form-unreadable': says(
    'The form is incomplete, or a header of a part isn’t valid. Write file names in quotes, without quotation marks or control characters in them.',
  ),
  'body-cut-off': says('The connection broke off before everything was sent. Try again.'),
  'body-late': says({ limit: 'seconds' }, 'The body must arrive within {limit}.'),
  'upload-slow': says(
    { least: 'bytes' },
    'The connection is too slow for an upload (less than {least} a second). Check the connection and try again.',
  ),
  'content-type-needed': says({ type: 'text' }, 'Send `Content-Type: {type}`.'),
  'content-encoding': says('Send the body without `Content-Encoding`.'),
  'not-an-upload': says('The request doesn’t follow tus 1.0.'),
  'host-sent-twice': says('Send `Host` once.'),
  'path-encoding': says('The path isn’t valid percent-encoded UTF-8.'),
  'disk-low': says(
    { free: 'bytes', least: 'bytes' },
    {
      detail:
        'The server’s disk is almost full ({free} free), so nothing new is accepted. Tell an administrator, or delete recordings.',
      admin: 'At least {least} must be free (Minimum free disk space, `limits.free_mb`).',
    },
  ),
  'disk-full-free': says(
    { free: 'bytes' },
    'The server’s disk is full ({free} free), so nothing new can be saved. What is stored can still be read and deleted.',
  ),
  'user-space-full': says(
    { taken: 'bytes', limit: 'bytes' },
    {
      detail:
        'You use {taken} of your {limit} of storage. Delete recordings, or ask an administrator to raise the limit.',
      admin: 'Setting: Disk space per user (`limits.user_gb`).',
    },
  ),
  'user-space-too-small': says(
    { taken: 'bytes', limit: 'bytes', more: 'bytes', later: 'bytes?' },
    {
      detail:
        'This needs {more}[ ({later} of it only while it is transcribed)], but you already use {taken} of your {limit} of storage. Delete recordings, or ask an administrator to raise the limit.',
      admin: 'Setting: Disk space per user (`limits.user_gb`).',
    },
  ),
  'total-space-full': says(
    { taken: 'bytes', limit: 'bytes' },
    {
      detail:
        'All people together use {taken} of {limit} of storage. Delete recordings, or ask an administrator to raise the limit.',
      admin: 'Setting: Disk space for all users (`limits.spaces_gb`).',
    },
  ),
  'total-space-too-small': says(
    { taken: 'bytes', limit: 'bytes', more: 'bytes', later: 'bytes?' },
    {
      detail:
        'This needs {more}[ ({later} of it only while it is transcribed)], but all people together already use {taken} of {limit} of storage. Delete recordings, or ask an administrator to raise the limit.',
      admin: 'Setting: Disk space for all users (`limits.spaces_gb`).',
    },
  ),
};
