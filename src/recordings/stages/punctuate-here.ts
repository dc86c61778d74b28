import type { Block } from '../../../events/facts/transcript.ts';
import { punctuateBare } from '../../language/punctuate-bare.ts';
import type { Punctuated } from '../../language/punctuate.ts';
import { StageError } from '../../shared/errors.ts';
import { languageCode } from '../../shared/languages.ts';
import type { Log } from '../../shared/log.ts';
import type { ModelFolders } from '../../speech/local/local-models.ts';
import { punctuateLocally, punctuationModel } from '../../speech/local/local-punctuation.ts';
import type { Job } from './run-stage.ts';

/** What was made of a talk. */
export type PunctuatedHere = Punctuated & {
  /** The model of this machine that did it; absent where none did. */
  by?: { engine: 'local'; model: string };
  /** Why one that is installed could not, in a sentence. */
  problem?: string;
};

/**
 * Where no language model punctuates: an installed model of the talk's language does, in what the recogniser wrote
 * without marks and capitals. A talk is never held up by it.
 */
export async function punctuatedHere(
  job: Job,
  { blocks, language }: { blocks: Block[]; language: string | null },
  { modelsDir, log }: { modelsDir: ModelFolders; log: Log },
): Promise<PunctuatedHere> {
  const untouched = { blocks, parts: 0, kept: [] };
  const code = languageCode(language);
  if (code === null || blocks.length === 0) return untouched;
  const model = await punctuationModel(modelsDir, code);
  if (!model) return untouched;
  const options = { signal: job.signal, onProgress: (fraction: number) => job.progress(fraction) };
  try {
    const punctuated = await punctuateBare(
      blocks,
      (texts) => punctuateLocally(model, texts, options),
      code,
    );
    const isDone = punctuated.parts > punctuated.kept.length;
    return { ...punctuated, ...(isDone ? { by: { engine: 'local', model: model.id } } : {}) };
  } catch (error) {
    if (job.signal.aborted || !(error instanceof StageError)) throw error;
    const { recordingId } = job;
    log.warn({ recordingId, stage: 'punctuate', code: error.code }, error.message);
    return { ...untouched, problem: error.message };
  }
}
