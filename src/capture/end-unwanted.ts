import { adoptCapture } from './capture-client.ts';
import { removeCaptureFiles } from './capture-files.ts';

/**
 * Ends what is being captured in a recording's folder, if anything is, and removes what captures keep
 * there.
 * @param audio whether the audio goes as well.
 */
export async function endUnwanted(folder: string, { audio }: { audio: boolean }): Promise<void> {
  const live = await adoptCapture(folder);
  live?.stop();
  await live?.ended;
  await removeCaptureFiles(folder, { audio });
}
