import { StageError } from '../stage-error.ts';

/**
 * What ffmpeg's messages mean for a person. The messages themselves go into `cause`: they may hold
 * names from the file's tags, which are no business of an error message.
 */
export function ffmpegSentence(output: string): StageError {
  const messages = withoutTags(output);
  const found = reasons.find(({ when }) => when.test(messages)) ?? fallback;
  return new StageError(found.code, found.sentence, {
    retriable: false,
    cause: new Error(messages.slice(-2000)),
  });
}

/** ffmpeg's own words: a song called “Corrupt” is not corrupt. Tags are indented, names are quoted. */
export function withoutTags(output: string): string {
  return output
    .split('\n')
    .filter((line) => !/^(\s{4}|Input #|Output #)/.test(line))
    .join('\n');
}

const fallback = {
  code: 'audio-damaged',
  sentence: 'ffmpeg could not decode any audio from this file: it is damaged.',
};

const reasons = [
  {
    when: /matches no streams|does not contain any stream/i,
    code: 'no-audio-track',
    sentence: 'This file has no sound track.',
  },
  {
    when: /moov atom not found/i,
    code: 'audio-damaged',
    sentence:
      'This MP4 file is incomplete: its table of contents is missing, so nothing in it can be found. Copy or export it again.',
  },
  {
    when: /Decoder \(codec [^)]*\) not found|Decoding requested, but no decoder|Unknown decoder/i,
    code: 'unsupported-media',
    sentence: 'The ffmpeg on this machine has no decoder for the sound in this file.',
  },
  {
    when: /Format not on whitelist/i,
    code: 'unsupported-media',
    sentence: 'This is a playlist or another kind of file that holds no audio of its own.',
  },
  {
    when: /Permission denied|No such file/i,
    code: 'audio-missing',
    sentence: 'The audio file is gone or may not be read.',
  },
  {
    when: /Stream #0:.*: Audio:/i,
    code: 'audio-damaged',
    sentence: 'The sound track of this file is damaged from its start: nothing could be decoded.',
  },
  {
    when: /Stream #0:.*: (Video|Subtitle|Data):/i,
    code: 'no-audio-track',
    sentence: 'This file has no sound track.',
  },
  {
    when: /Invalid data found when processing input|Invalid argument|could not find codec parameters|Failed to read frame size/i,
    code: 'not-audio',
    sentence: 'This is not an audio file that can be read.',
  },
];
