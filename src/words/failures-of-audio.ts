import { says, tellAdministrator } from './sentences.ts';

/** Why an audio file cannot be read. */
export const failuresOfAudio = {
  'audio-empty': says({ detail: 'The file is empty.', todo: 'Choose another file.' }),
  'audio-no-samples': says({ detail: 'The file contains no audio.', todo: 'Choose another file.' }),
  'audio-protected': says({
    detail: 'The file is copy-protected (DRM) and can only be played by the shop’s own player.',
    todo: 'Use a file without copy protection.',
  }),
  'ffmpeg-missing': says({
    detail: 'This server can only read WAV files, because ffmpeg isn’t installed.',
    todo: 'Convert the file to WAV, or ask an administrator to install ffmpeg.',
    admin: 'Debian and Ubuntu: `sudo apt install ffmpeg`; macOS: `brew install ffmpeg`.',
  }),
  'audio-too-long': says(
    { limit: 'hours' },
    { detail: 'The audio is longer than {limit}.', todo: 'Cut it and upload the parts.' },
  ),
  'wav-damaged': says(
    {
      channels: 'integer?',
      rate: 'integer?',
      bytes: 'integer?',
      fault: ['header-incomplete', 'no-samples', 'no-format', 'channels', 'sample-bytes'],
    },
    {
      detail: 'The WAV file is damaged.',
      todo: 'Export or copy it again.',
      admin: '{fault}',
      choices: {
        fault: {
          'header-incomplete': 'Its header is incomplete.',
          'no-samples': 'It contains no samples.',
          'no-format': 'Its sample format is missing.',
          channels: 'Its header claims {channels} channels at {rate} Hz.',
          'sample-bytes': 'Its header claims samples of {bytes} bytes.',
        },
      },
    },
  ),
  'audio-damaged': says({
    detail: 'The file is damaged: no audio could be read.',
    todo: 'Export or copy it again.',
  }),
  'mp4-incomplete': says({
    detail: 'The MP4 file is incomplete: its index is missing.',
    todo: 'Export or copy it again.',
  }),
  'audio-track-damaged': says({
    detail: 'The audio track is damaged from the start.',
    todo: 'Export or copy the file again.',
  }),
  'no-audio-track': says({ detail: 'The file has no audio track.', todo: 'Choose another file.' }),
  'not-audio': says({
    detail: 'This is not an audio or video file that can be read.',
    todo: 'Choose another file.',
  }),
  'audio-needs-memory': says(
    { limit: 'bytes' },
    { detail: 'Reading this file needs more than {limit} of memory.', todo: 'Convert it to WAV.' },
  ),
  'no-decoder': says({
    detail: 'ffmpeg on this server can’t read this audio format.',
    todo: 'Convert the file to WAV.',
  }),
  playlist: says({
    detail: 'This is a playlist: it only refers to audio elsewhere.',
    todo: 'Choose the audio file itself.',
  }),
  'audio-file-gone': says({
    detail: 'The audio file is missing or can’t be read.',
    admin: 'Check the permissions of the data directory.',
  }),
  'no-audio': says('This recording has no audio.'),
  'reading-stalled': says({
    detail: 'Reading the audio took too long.',
    todo: 'Try again. If it fails again, convert the file to WAV.',
  }),
  'working-copy-damaged': says({
    detail: 'The working copy of the audio is damaged.',
    todo: 'Try again: Mitschrift makes a new copy from the audio.',
  }),
  'flac-failed': says({
    detail: 'ffmpeg could not compress or read the audio.',
    todo: 'Try again.',
  }),
  'flac-differs': says(
    'The compressed audio isn’t identical to the original, so the original was kept.',
  ),
  'not-flac': says({
    detail: 'The stored audio isn’t in the expected format.',
    todo: tellAdministrator.en,
    admin: 'Expected: FLAC.',
  }),
  'not-16-bit': says({
    detail: 'The stored audio isn’t in the expected format.',
    todo: tellAdministrator.en,
    admin: 'Expected: WAV with 16-bit samples.',
  }),
};
