import type { Block } from '../../../events/facts/transcript.ts';
import { type Punctuated, punctuatedWords } from '../../language/punctuate.ts';
import { StageError } from '../../shared/errors.ts';
import type { Sentence } from '../../words/params.ts';
import { hasMarks } from '../../shared/sentence-ends.ts';
import { languageCode } from '../../shared/languages.ts';
import type { Log } from '../../shared/log.ts';
import {
  type ModelFolders,
  firstModel,
  sherpaConfig,
  verifyModel,
} from '../../speech/local/local-models.ts';
import type { Job } from './run-stage.ts';
import { askOnce } from '../../speech/local/local-process.ts';
import {
  alignedText,
  type Heard,
  type ProvenText,
  isShouted,
  plausibleNames,
  provenText,
} from '../../language/proof.ts';
import { spokenWords } from '../../language/spoken-words.ts';

/** What was made of a talk. */
export type PunctuatedHere = Punctuated & {
  /** The model of this machine that did it; absent where none did. */
  by?: { engine: 'local'; model: string };
  /** Why one that is installed could not. */
  problem?: Sentence;
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
  const model = await firstModel(modelsDir, 'punctuation', code);
  if (!model) return untouched;
  const punctuate = async (texts: readonly string[]) => {
    await verifyModel(model);
    const request = { op: 'punctuate', config: sherpaConfig(model), texts } as const;
    const onProgress = (fraction: number): void => job.progress(fraction);
    return await askOnce(request, { signal: job.signal, onProgress, timeoutMs });
  };
  try {
    const punctuated = await punctuateBare(blocks, punctuate, code);
    const isDone = punctuated.parts > punctuated.kept.length;
    return { ...punctuated, ...(isDone ? { by: { engine: 'local', model: model.id } } : {}) };
  } catch (error) {
    if (job.signal.aborted || !(error instanceof StageError)) throw error;
    const { recordingId } = job;
    log.warn(
      { recordingId, stage: 'punctuate', code: error.code, reason: error.message },
      'local punctuation failed',
    );
    return { ...untouched, problem: error.sentence };
  }
}

/**
 * Punctuates and capitalises, with a model that does only this, the blocks whose recogniser did neither; all others
 * stay. Not a word is changed: each answer is compared word by word, and where too much of it
 * differs the block stays as it was.
 * @param punctuate texts in lower case, answered one for one
 * @param language ISO 639-1 code of the talk
 */
export async function punctuateBare(
  blocks: Block[],
  punctuate: (texts: readonly string[]) => Promise<readonly string[]>,
  language: string,
): Promise<Punctuated> {
  const bare = blocks.filter(({ text }) => isBare(text, language));
  if (bare.length === 0) return { blocks, parts: 0, kept: [] };
  const shouted = isShouted(bare.map(({ text }) => text).join('\n'));
  const answers = await punctuate(bare.map(({ text }) => text.trim().toLocaleLowerCase(language)));
  const proofs = new Map(
    bare.map(({ id, text }, index) => [
      id,
      proofOf({ text: text.trim(), language, shouted }, answers[index] ?? ''),
    ]),
  );
  const isPlausible = plausibleNames({ words: sum(proofs, 'words'), names: sum(proofs, 'names') });
  const textOf = (id: string) => (isPlausible ? proofs.get(id)?.text : undefined);
  return {
    parts: bare.length,
    kept: bare.flatMap(({ id }) => (textOf(id) === undefined ? [id] : [])),
    blocks: blocks.map((block) => {
      const text = textOf(block.id);
      if (text === undefined) return block;
      return { ...block, text, words: punctuatedWords(block.words, text, language) };
    }),
  };
}

/** Without an answer or a sign of progress, milliseconds: a text takes a fraction of a second. */
const timeoutMs = 120_000;

const proofOf = (heard: Heard, answer: string): ProvenText | null =>
  provenText(heard, answer) ?? alignedText(heard, answer);

/** Words in one case, without a mark behind any of them. */
const isBare = (text: string, language: string): boolean =>
  spokenWords(text, language).length > 0 &&
  !hasMarks(text) &&
  !(/\p{Lu}/u.test(text) && /\p{Ll}/u.test(text));

const sum = (proofs: ReadonlyMap<string, ProvenText | null>, key: 'words' | 'names'): number =>
  [...proofs.values()].reduce((all, proof) => all + (proof?.[key] ?? 0), 0);
