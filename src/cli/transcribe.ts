import { messageOf } from '../shared/errors.ts';
import { onAbort } from '../shared/abort.ts';
import { ulid } from 'ulid';
import { copyFile, mkdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { recordingOf } from '../../events/facts/recording.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import { recordingById } from '../../projections/recordings.ts';
import { acceptsAudio } from '../audio/accepts-audio.ts';
import { unknownVariableText, unknownVariables } from '../config/environment.ts';
import { type Pipeline, openPipeline } from '../pipeline.ts';
import { dataFolder, hostFrom } from '../shared/data-directory.ts';
import { hashFile, ifMissing } from '../shared/files.ts';
import { openLogger } from '../shared/log.ts';
import { peopleFieldSchema } from '../recordings/people-given.ts';
import { type FoundFile, findAudioFiles } from './audio-files.ts';
import { confirmed } from './confirmed.ts';
import { openScratchFolder } from './scratch-folder.ts';
import { presentSettings } from './settings.ts';
import { namedAs } from './sure-names.ts';
import { type TranscribeProgress, transcribeProgress } from './transcribe-progress.ts';
import { type TranscribedFiles, openTranscribedFiles } from './transcribed-files.ts';

export type TranscribeOptions = {
  meeting: boolean;
  out: string;
  recursive: boolean;
  /** Transcribes also what has its documents in `out` already. */
  again: boolean;
  language?: string | undefined;
  /** Names of people who may be heard. */
  people?: string | undefined;
  /** When it was said; by default when the file says it was made, else its modification time. */
  date?: Date | undefined;
  json: boolean;
};

type Result = {
  file: string;
  /** Absolute paths: index, transcript, summary. */
  documents: Record<string, string> | null;
  error: string | null;
  /** The documents are those of an earlier run. */
  done_before: boolean;
};

/** What the work on each file needs. */
type Batch = {
  pipeline: Pipeline;
  /** Where copies of the files go: the pipeline moves what it is given. */
  uploads: string;
  out: string;
  options: TranscribeOptions;
  people: string[];
  again: boolean;
  transcribed: TranscribedFiles;
  progress: TranscribeProgress;
};

/**
 * Writes the three documents of audio files: the service's own pipeline over a temporary log that is
 * gone afterwards, also when a signal ends the command. Of the service it only takes the settings. A file
 * that fails does not keep the others from being done; what is done is not done again by the next run.
 */
export async function transcribeCommand(
  paths: string[],
  options: TranscribeOptions,
): Promise<void> {
  if (await isFile(options.out)) {
    console.error(`--out ${options.out} is a file. Name a folder.`);
    process.exitCode = 2;
    return;
  }
  const given = peopleFieldSchema.safeParse(options.people ?? '');
  if (!given.success) {
    console.error(`--people ${given.error.issues[0]?.message}.`);
    process.exitCode = 2;
    return;
  }
  for (const unknown of unknownVariables(process.env)) console.error(unknownVariableText(unknown));
  const host = hostFrom(process.env);
  const { settings } = await presentSettings(host);
  const files = await findAudioFiles(paths, options.recursive);
  await mkdir(options.out, { recursive: true });
  const out = await realpath(options.out);
  const transcribed = await openTranscribedFiles(out);
  const again = options.again || (await wantsAgain(files, transcribed, options));
  const results: Result[] = [];
  const scratch = await openScratchFolder('transcribe');
  try {
    const data = dataFolder(scratch.path);
    const pipeline = await openPipeline({
      data,
      settings: () => settings,
      log: openLogger(process.env['MITSCHRIFT_LOG_LEVEL'] || 'silent'),
      modelsDir: host.data.models,
      spaceOf: async (user) => ({ root: out, user }),
    });
    const progress = transcribeProgress(files, { quiet: options.json });
    const { uploads } = data;
    const { data: people } = given;
    const batch = { pipeline, uploads, out, options, people, again, transcribed, progress };
    try {
      await pipeline.takeUp();
      await transcribeAll(batch, files, results, scratch.stopping);
    } finally {
      progress.stop();
      await pipeline.close();
    }
  } catch (error) {
    if (!scratch.stopping.aborted) {
      await scratch.remove();
      throw error;
    }
  }
  if (options.json) console.log(JSON.stringify(results));
  else reportBatch(results, files.length, out);
  if (results.some(({ error }) => error !== null)) process.exitCode = 1;
  await scratch.remove();
}

/** One after the other, into `results`. @throws when the signal aborts */
async function transcribeAll(
  batch: Batch,
  files: readonly FoundFile[],
  results: Result[],
  stopping: AbortSignal,
): Promise<void> {
  const stopped = new Promise<never>((_, reject) => void onAbort(stopping, reject));
  stopped.catch(() => undefined);
  const { options, progress } = batch;
  for (const file of files) {
    progress.begin(file);
    const result = await Promise.race([transcribeOne(batch, file), stopped]);
    results.push(result);
    const { documents, error } = result;
    const index = documents && basename(documents['index'] ?? '');
    if (error !== null) progress.end(`failed: ${error}`, false);
    else if (result.done_before)
      progress.end(`already there: ${index} (--again does it again)`, false);
    else progress.end(`done: ${index}`, true);
    if (options.json) continue;
    for (const path of Object.values(documents ?? {})) console.log(path);
  }
}

async function transcribeOne(batch: Batch, file: FoundFile): Promise<Result> {
  const { path, fault } = file;
  const failed = (error: string): Result => ({
    file: path,
    documents: null,
    error,
    done_before: false,
  });
  if (fault !== null) return failed(fault);
  try {
    const before = batch.again ? undefined : await batch.transcribed.find(file);
    if (before) {
      const documents = absolute(before.documents, batch.out);
      return { file: path, documents, error: null, done_before: true };
    }
    const row = await throughPipeline(batch, file);
    if (!row.documents) return failed(row.error?.message ?? 'No documents were written');
    const documents = absolute(row.documents, batch.out);
    return { file: path, documents, error: null, done_before: false };
  } catch (error) {
    return failed(messageOf(error));
  }
}

/** Takes a file through the pipeline, and notes that it is done. @throws what the file or the pipeline says */
async function throughPipeline(
  { pipeline, uploads, options, people, transcribed, progress }: Batch,
  { path: original, modifiedAt }: FoundFile,
): Promise<RecordingRow> {
  const { madeAt } = await acceptsAudio(original);
  const path = join(uploads, ulid());
  await copyFile(original, path);
  // Of the copy, which does not change while it is worked on.
  const hash = await hashFile(path);
  const done = settled({ pipeline, progress, people });
  const { recordingId } = await pipeline.recordingService.importAudio({
    path,
    filename: basename(original),
    owner: 'me',
    by: 'me',
    command: ulid(),
    kind: options.meeting ? 'meeting' : 'solo',
    language: options.language ?? null,
    speakers: null,
    people,
    began: {
      said: options.date?.toISOString(),
      madeAt,
      modifiedAt: modifiedAt.toISOString(),
    },
  });
  const row = await done.of(recordingId);
  if (row.status === 'error') {
    // It is reported as failed: the service must not try it again beside the files that follow.
    await pipeline.recordingService.command(
      recordingId,
      { type: 'error.cleared', data: {} },
      { by: 'me', command: `${recordingId}/clear-error` },
    );
  }
  if (row.documents && hash) {
    const at = new Date().toISOString();
    transcribed.add({ ...hash, file: basename(original), at, documents: row.documents });
  }
  return row;
}

/** Follows a recording until its documents are there or it failed; speakers are not asked for. */
function settled({ pipeline, progress, people }: Pick<Batch, 'pipeline' | 'progress' | 'people'>) {
  return {
    of: (recordingId: string): Promise<RecordingRow> =>
      new Promise((resolve, reject) => {
        const stopShowing = pipeline.recordingService.onActivity((id, activity) => {
          if (id === recordingId) progress.show(activity);
        });
        const look = async () => {
          const row = await recordingById(pipeline.storage, recordingId);
          if (row?.status === 'awaiting-speakers') {
            await pipeline.recordingService.command(recordingId, namedAs(row, people), {
              by: 'me',
              command: `${recordingId}/skip-speakers`,
            });
          } else if (row?.status === 'error' || (row?.status === 'idle' && row.version > 0)) {
            stopShowing();
            stopListening();
            resolve(row);
          }
        };
        const stopListening = pipeline.projections.onApplied((facts) => {
          if (facts.some((fact) => recordingOf(fact.stream) === recordingId)) look().catch(reject);
        });
        look().catch(reject);
      }),
  };
}

/** On a terminal it asks, once for all files; elsewhere only `--again` does a file again. */
async function wantsAgain(
  files: readonly FoundFile[],
  transcribed: TranscribedFiles,
  { json }: TranscribeOptions,
): Promise<boolean> {
  if (json || !process.stdin.isTTY || !process.stderr.isTTY) return false;
  const known: string[] = [];
  for (const file of files) {
    const before = file.fault === null ? await transcribed.find(file) : undefined;
    if (before)
      known.push(`${file.path}: ${before.documents['index']} (${before.at.slice(0, 10)})`);
  }
  if (known.length === 0) return false;
  for (const line of known.slice(0, namedMax)) console.error(line);
  if (known.length > namedMax) console.error(`… and ${known.length - namedMax} more`);
  const which =
    known.length === 1
      ? 'This file has its documents'
      : `${known.length} files have their documents`;
  return await confirmed(`${which} already. Transcribe again?`);
}

/** Files that a question or a summary names at most. */
const namedMax = 20;

/** The end, of more than one file: how many are done, and why others are not. */
function reportBatch(results: readonly Result[], files: number, out: string): void {
  const failed = results.filter(({ error }) => error !== null);
  const before = results.filter((result) => result.done_before).length;
  const done = results.length - failed.length - before;
  if (files > 1) {
    console.error(
      `${files} files: ${done} done` +
        (before === 0 ? '' : `, ${before} already there`) +
        (failed.length === 0 ? '' : `, ${failed.length} failed`),
    );
    for (const { file, error } of failed.slice(0, namedMax)) console.error(`  ${file}: ${error}`);
    if (failed.length > namedMax) console.error(`  … and ${failed.length - namedMax} more`);
  }
  if (results.length === files) return;
  const stoppedAt = results.length + 1;
  console.error(
    `Stopped at file ${stoppedAt} of ${files}, of which nothing is kept. ` +
      (done + before === 0 ? '' : `What is done is in ${out}. `) +
      'The same command goes on with the rest.',
  );
}

const absolute = (documents: Readonly<Record<string, string>>, out: string) =>
  Object.fromEntries(Object.entries(documents).map(([name, path]) => [name, join(out, path)]));

const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(ifMissing(null)))?.isFile() ?? false;
