import type { Sentence } from '../words/params.ts';
import { detail } from '../words/details.ts';
import { inEnglish } from '../words/say.ts';

/** What is wrong with the folder of a backup. */
export class BackupFault extends Error {
  override name = 'BackupFault';
  /** The end of a sentence that begins with the folder. */
  readonly fault: Sentence;
  /** The whole of it. */
  readonly said: Sentence;
  constructor(folder: string, fault: Sentence, options?: ErrorOptions) {
    const said = detail('backup-folder', { folder, fault });
    super(inEnglish(said), options);
    this.fault = fault;
    this.said = said;
  }
}
