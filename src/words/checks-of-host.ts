import { says } from './sentences.ts';

/** What Health finds about the computer, its programs and folders. */
export const checksOfHost = {
  'check-late': says(
    { limit: 'seconds' },
    {
      detail: 'The check didn’t finish within {limit}.',
      todo: 'Something is overloaded or not responding. Check again; if it stays like this, restart what was checked.',
    },
  ),
  'check-failed': says(
    { cause: 'text' },
    { detail: 'The check failed: {cause}.', todo: 'Fix the cause and check again.' },
  ),
  'service-runs': says('Mitschrift is running.'),
  'service-stopped': says({ detail: 'Mitschrift isn’t running.', todo: 'Start Mitschrift.' }),
  'service-silent': says(
    { cause: 'text' },
    {
      detail: 'Mitschrift is running but doesn’t respond: {cause}.',
      todo: 'Restart Mitschrift.',
    },
  ),
  'node-ok': says({ release: 'text', node: 'text' }, 'Mitschrift {release} runs on Node {node}.'),
  'node-untested': says(
    { release: 'text', node: 'text', tested: 'list' },
    {
      detail: 'Mitschrift {release} runs on Node {node}, but is only tested on {tested}.',
      todo: 'Install Node 24 (nodejs.org), then run `npm install` again.',
    },
  ),
  'node-too-old': says(
    { release: 'text', node: 'text', oldest: 'text' },
    {
      detail: 'Mitschrift {release} needs Node {oldest} or newer; this is Node {node}.',
      todo: 'Install Node 24 (nodejs.org), then run `npm install` again.',
    },
  ),
  'packages-ok': says('All packages compiled for this computer can be loaded.'),
  'packages-broken': says(
    { packages: 'sentences' },
    {
      detail: 'These packages can’t be loaded: {packages}.',
      todo: 'Install the compiler and Python, then install the packages again.',
    },
  ),
  'variables-ok': says('All variables that start with MITSCHRIFT_ are known.'),
  'variables-wrong': says(
    { faults: 'said' },
    {
      detail: 'Mitschrift won’t start with these values: {faults}',
      todo: 'Correct the values where Mitschrift is started.',
    },
  ),
  'variable-unknown': says(
    { variable: 'text', nearest: 'text?' },
    {
      detail: 'The variable {variable} is unknown and has no effect.[ Did you mean {nearest}?]',
      todo: 'Correct the name where Mitschrift is started, or remove the variable.',
    },
  ),
  'ffmpeg-ok': says('ffmpeg is installed: all audio formats are accepted.'),
  'ffmpeg-missing': says({
    detail: 'ffmpeg isn’t installed or doesn’t run: only WAV files are accepted.',
    todo: 'Install ffmpeg.',
  }),
  'bzip2-ok': says('bzip2 is installed: models can be unpacked.'),
  'bzip2-missing': says({
    detail:
      'bzip2 isn’t installed or doesn’t run: most models for speech recognition can’t be unpacked.',
    todo: 'Install bzip2.',
  }),
  'data-writable': says({ folder: 'place' }, 'Mitschrift can write to {folder}.'),
  'data-not-writable': says(
    { folder: 'place', cause: 'text' },
    {
      detail: 'Mitschrift can’t write to {folder}: {cause}.',
      todo: 'Make the folder writable, or set MITSCHRIFT_DATA to another folder.',
    },
  ),
  'models-not-writable': says(
    { folder: 'place', models: 'place', cause: 'text' },
    {
      detail: 'Mitschrift can write to {folder}, but not to the folder of the models: {cause}.',
      todo: 'Make {models} writable, or set MITSCHRIFT_MODELS to another folder. Models already in {models} are still used.',
    },
  ),
  'disk-ok': says({ free: 'bytes' }, '{free} free.'),
  'disk-low': says(
    { free: 'bytes', least: 'bytes', folder: 'place' },
    {
      detail: 'Only {free} free. Below {least}, nothing new is accepted.',
      todo: 'Free up space on the disk of {folder}, or lower “Minimum free disk space” (`limits.free_mb`).',
    },
  ),
  'space-unlimited': says({ taken: 'bytes' }, '{taken} used; no limit is set.'),
  'space-within': says(
    { taken: 'bytes', limit: 'bytes' },
    '{taken} of {limit} used (`limits.spaces_gb`).',
  ),
  'space-full': says(
    { taken: 'bytes', limit: 'bytes' },
    {
      detail: '{taken} of {limit} used (`limits.spaces_gb`), so nothing new is accepted.',
      todo: 'Delete recordings, or raise the limit.',
    },
  ),
  'permissions-ok': says('Only Mitschrift’s own user can read the data.'),
  'files-of-others': says(
    { paths: 'places' },
    {
      detail: 'These files belong to another user: {paths}.',
      todo: 'Give them to the user that runs Mitschrift.',
    },
  ),
  'files-open': says(
    { paths: 'places' },
    {
      detail: 'Other users of this computer may be able to read: {paths}.',
      todo: 'Remove the permissions of other users.',
    },
  ),
  'package-broken': says(
    {
      name: 'text',
      consequence: ['no-data', 'no-login', 'no-local-speech', 'no-devices'],
      cause: ['missing', 'ended', 'failed'],
      said: 'said?',
    },
    {
      detail: '{name} ({consequence}): {cause}',
      choices: {
        consequence: {
          'no-data': 'the data can’t be opened',
          'no-login': 'nobody can log in',
          'no-local-speech': 'no speech recognition on this server',
          'no-devices': 'no recording from devices of the server',
        },
        cause: { missing: 'not installed', ended: 'its process ended', failed: '{said}' },
      },
    },
  ),
};
