import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { make, speak } from '../support/espeak.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Chromium's switches for a microphone that says a text once, behind a second of silence. */
export async function microphoneThatSpeaks(t: TestContext, text: string): Promise<string[]> {
  const folder = await tempDir(t);
  const spoken = join(folder, 'spoken.wav');
  const heard = join(folder, 'heard.wav');
  await speak(text, spoken);
  await make('sox', spoken, '-b', '16', '-c', '1', heard, 'rate', '16000', 'pad', '1', '0.5');
  return [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-audio-capture=${heard}%noloop`,
  ];
}
