import { openAsBlob } from 'node:fs';
import type { Stretch } from '../../events/transcript.ts';
import { type SpeechFile, speechRate } from '../audio/speech-file.ts';
import { speechHeader, speechHeaderBytes } from '../audio/speech-header.ts';

/**
 * A stretch of a speech file as a WAV file to upload: read from the disk while it is sent, of known
 * length (servers hang without Content-Length), and with an extension (OpenAI goes by it).
 */
export async function speechUpload(audio: SpeechFile, [start, end]: Stretch): Promise<File> {
  const first = Math.max(0, Math.round(start * speechRate));
  const last = Math.min(audio.samples, Math.round(end * speechRate));
  const whole = await openAsBlob(audio.path);
  const samples = whole.slice(speechHeaderBytes + first * 2, speechHeaderBytes + last * 2);
  return new File([speechHeader(last - first), samples], 'speech.wav', { type: 'audio/wav' });
}
