import { open } from 'node:fs/promises';
import { StageError } from '../stage-error.ts';
import { ffmpegFindsAudio, hasFfmpeg } from './ffmpeg.ts';
import { mp4Encrypted } from './mp4-encryption.ts';
import { wavLayout } from './wav-layout.ts';

/**
 * Looks whether a file is audio that can be read here, by what is in it, not by its name. Quick:
 * nothing is decoded.
 * @param filename how the person calls it; stands in the sentence, unless whoever shows that says it.
 * @throws {StageError} `unsupported-media`, never retriable, with a sentence that says what to do.
 */
export async function acceptsAudio(path: string, filename?: string): Promise<void> {
  try {
    await examine(path, hasFfmpeg);
  } catch (error) {
    if (!(error instanceof StageError) || error.retriable) throw error;
    const which = filename === undefined ? '' : `“${printable(filename)}”: `;
    throw new StageError('unsupported-media', `${which}${error.message}`, {
      retriable: false,
      cause: error,
    });
  }
}

/**
 * How a file is to be decoded.
 * @throws {StageError} `audio-empty`, `audio-encrypted`, `ffmpeg-missing`, `audio-damaged`,
 *   `not-audio`, `no-audio-track`, `unsupported-media`.
 */
export async function decoderFor(
  path: string,
  ffmpegRuns: () => Promise<boolean>,
): Promise<'wav' | 'ffmpeg'> {
  const file = await open(path, 'r');
  try {
    if ((await file.stat()).size === 0)
      throw new StageError('audio-empty', 'The file is empty.', { retriable: false });
    const layout = await wavLayout(file);
    if (layout && layout.coding !== 'other') {
      if (layout.dataBytes === 0)
        throw new StageError('audio-empty', 'The file holds no audio.', { retriable: false });
      return 'wav';
    }
    if (await mp4Encrypted(file))
      throw new StageError(
        'audio-encrypted',
        'The file is protected against copying (DRM) and can be played only by its shop’s player.',
        { retriable: false },
      );
  } finally {
    await file.close();
  }
  if (await ffmpegRuns()) return 'ffmpeg';
  throw new StageError(
    'ffmpeg-missing',
    'Only WAV files can be read here. For MP3, M4A, Ogg, FLAC and the rest install ffmpeg ' +
      '(Debian and Ubuntu: sudo apt install ffmpeg; macOS: brew install ffmpeg), or convert the file to WAV.',
    { retriable: false },
  );
}

async function examine(path: string, ffmpegRuns: () => Promise<boolean>): Promise<void> {
  if ((await decoderFor(path, ffmpegRuns)) === 'ffmpeg') await ffmpegFindsAudio(path);
}

/** A name from outside, on one line and not longer than one. */
const printable = (name: string) => name.replace(/[\p{C}\s]+/gu, ' ').slice(0, 120);
