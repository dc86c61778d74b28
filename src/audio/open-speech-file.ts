import { open } from 'node:fs/promises';
import { StageError } from '../stage-error.ts';
import { type SpeechFile, speechRate } from './speech-file.ts';
import { samplesOf, speechHeaderBytes } from './speech-header.ts';

/** Longest piece that can be read at once, in seconds (38 MB). */
const readSecondsMax = 1200;

/**
 * Opens a speech file for reading at random.
 * @throws {StageError} `speech-file-damaged` (retriable: it can be made again) when its header and
 *   length don't fit; errors of the file system.
 */
export async function openSpeechFile(path: string): Promise<SpeechFile> {
  const file = await open(path, 'r');
  try {
    const header = Buffer.alloc(speechHeaderBytes);
    const { bytesRead } = await file.read(header, 0, speechHeaderBytes, 0);
    const samples = samplesOf(header.subarray(0, bytesRead));
    const { size } = await file.stat();
    if (samples === null || size !== speechHeaderBytes + samples * 2)
      throw new StageError(
        'speech-file-damaged',
        'The working copy of the audio is damaged and has to be made again.',
        { retriable: true },
      );
    return {
      path,
      samples,
      duration: samples / speechRate,
      async read(start, end) {
        const first = clamp(Math.round(start * speechRate), samples);
        const last = clamp(Math.round(end * speechRate), samples);
        const count = Math.max(0, last - first);
        if (count > readSecondsMax * speechRate)
          throw new RangeError(`More than ${readSecondsMax} seconds of audio read at once`);
        const piece = new Int16Array(count);
        const bytes = Buffer.from(piece.buffer);
        for (let done = 0; done < bytes.length;) {
          const at = speechHeaderBytes + first * 2 + done;
          const { bytesRead } = await file.read(bytes, done, bytes.length - done, at);
          if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`);
          done += bytesRead;
        }
        return piece;
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

const clamp = (value: number, max: number) => Math.min(max, Math.max(0, value));
