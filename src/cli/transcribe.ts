import { messageOf } from '../shared/errors.ts';
import { firstFault } from '../shared/in-words.ts';
import { untilAborted } from '../shared/abort.ts';
import { ulid } from 'ulid';
import { copyFile, mkdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { recordingOf } from '../../events/facts/recording.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import { recordingById } from '../../projections/recordings.ts';
import { acceptsAudio } from '../audio/accepts-audio.ts';
import { unknownVariableText, unknownVariables } from '../config/environment.ts';
import { openPipeline } from '../service/pipeline.ts';
import type { Pipeline } from '../service/pipeline.ts';
import type { FolderSpace } from '../documents/space.ts';
import { requestedLanguage } from '../shared/languages.ts';
import { dataFolder, hostFrom } from '../shared/data-directory.ts';
import { hashFile, ifMissing } from '../shared/files.ts';
import { openLogger } from '../shared/log.ts';
import type { Upload } from '../recordings/import-audio.ts';
import { peopleFieldSchema } from '../recordings/people-given.ts';
import { type FoundFile, findAudioFiles, audioInVault } from './audio-files.ts';
import { confirmed } from './confirmed.ts';
import {
  type TranscribedFormat,
  formatsIn,
  keepDocuments,
  type TranscribedFile,
  type TranscribedFiles,
  openTranscribedFiles,
} from './transcribed-files.ts';
import { openScratchFolder } from './scratch-folder.ts';
import { presentSettings } from './settings.ts';
import { namedAs } from './sure-names.ts';
import { type TranscribeProgress, transcribeProgress } from './transcribe-progress.ts';

export type TranscribeOptions = {
  meeting: boolean;
  out: string;
  recursive: boolean;
  /** Transcribes also what has its documents in `out` already. */
  again: boolean;
  /** Formats, with commas between. */
  format: string;
  language?: string | undefined;
  /** Names of people who may be heard. */
  people?: string | undefined;
  /** How many people speak, of meetings. */
  speakers?: Pick<Upload, 'speakers' | 'speakers_min' | 'speakers_max'> | undefined;
  /** When it was said; by default when the file says it was made, else its modification time. */
  date?: Date | undefined;
  json: boolean;
};

type Result = {
  file: string;
  /** Absolute paths: index, transcript, summary, and each other format; null where there are none. */
  documents: Record<string, string> | null;
  error: string | null;
  /** The documents are those of an earlier run. */
  done_before: boolean;
  /** Name of the file that the documents were made from, where the same audio had another name. */
  same_as: string | null;
  /** No speech was found, so that no documents were written. */
  no_speech: boolean;
};

/** What the work on each file needs. */
type Batch = {
  pipeline: Pipeline;
  /** Where copies of the files go: the pipeline moves what it is given. */
  uploads: string;
  /** Above the folder of each recording. */
  recordings: string;
  out: string;
  options: TranscribeOptions;
  formats: readonly TranscribedFormat[];
  /** Where the three documents are written first: `out`, or aside when they are not asked for. */
  space: FolderSpace;
  people: string[];
  again: boolean;
  /** Says where in the vault the audio of the present file is. */
  now: { audio: string | null };
  /** Aborted when the command is to end. */
  stopping: AbortSignal;
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
    console.error(`--out ${options.out} is a file. Choose a folder.`);
    process.exitCode = 2;
    return;
  }
  const wanted = wantedOf(options);
  if (typeof wanted === 'string') {
    console.error(wanted);
    process.exitCode = 2;
    return;
  }
  for (const unknown of unknownVariables(process.env)) console.error(unknownVariableText(unknown));
  const host = hostFrom(process.env);
  const { settings } = await presentSettings(host);
  const { files, notSearched } = await findAudioFiles(paths, options.recursive);
  await mkdir(options.out, { recursive: true });
  const out = await realpath(options.out);
  const transcribed = await openTranscribedFiles(out);
  const { formats } = wanted;
  const again = options.again || (await wantsAgain(files, { transcribed, formats }, options));
  const results: Result[] = [];
  const scratch = await openScratchFolder();
  try {
    const data = dataFolder(scratch.path);
    const space = { root: formats.includes('md') ? out : data.spaces, user: 'me' };
    await mkdir(space.root, { recursive: true });
    const now: Batch['now'] = { audio: null };
    const pipeline = await openPipeline({
      data,
      // Each file is copied here: of a folder of videos all of them would lie in the temporary folder.
      settings: () => ({ ...settings, 'audio.keep': 'none' }),
      log: openLogger(process.env['MITSCHRIFT_LOG_LEVEL'] || 'silent'),
      modelsDir: host.data.models,
      documentsOf: async () => space,
      audioInVault: () => now.audio,
    });
    const progress = transcribeProgress(files, options.json);
    const { uploads, recordings } = data;
    const work = { uploads, recordings, out, space, now, stopping: scratch.stopping };
    const batch = { pipeline, transcribed, progress, again, ...work, ...wanted };
    try {
      await pipeline.takeUp();
      await transcribeAll(batch, files, results);
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
  else reportBatch(results, { files: files.length, notSearched, out });
  if (results.some(({ error }) => error !== null)) process.exitCode = 1;
  await scratch.remove();
}

/** One after the other, into `results`. @throws when the signal aborts */
async function transcribeAll(
  batch: Batch,
  files: readonly FoundFile[],
  results: Result[],
): Promise<void> {
  const { options, progress, stopping } = batch;
  for (const file of files) {
    stopping.throwIfAborted();
    progress.begin(file);
    const result = await transcribeOne(batch, file);
    // It failed because it was stopped.
    if (result.error !== null) stopping.throwIfAborted();
    results.push(result);
    progress.end(outcomeOf(result), result.error === null && !result.done_before);
    if (options.json) continue;
    for (const path of Object.values(result.documents ?? {})) console.log(path);
  }
}

function outcomeOf(result: Result): string {
  const { documents, error, done_before: isBefore, same_as: other } = result;
  if (error !== null) return `failed: ${error}`;
  if (result.no_speech) return 'no speech was found, so no documents were created';
  const first = basename(Object.values(documents ?? {})[0] ?? '');
  if (!isBefore) return `done: ${first}`;
  const same = other === null ? '' : `, the same audio as ${other}`;
  return `already done: ${first}${same} (--again transcribes it again)`;
}

async function transcribeOne(batch: Batch, file: FoundFile): Promise<Result> {
  const { path, fault } = file;
  const failed = (error: string): Result => ({ ...nothing, file: path, error });
  if (fault !== null) return failed(fault);
  try {
    const before = batch.again ? undefined : await batch.transcribed.find(file, batch.formats);
    const entry = before ?? (await throughPipeline(batch, file));
    if (typeof entry === 'string') return failed(entry);
    const isSilent = Object.keys(entry.documents).length === 0;
    return {
      file: path,
      documents: isSilent ? null : absolute(entry.documents, batch.out),
      error: null,
      done_before: before !== undefined,
      same_as: before && before.file !== basename(path) ? before.file : null,
      no_speech: isSilent,
    };
  } catch (error) {
    return failed(messageOf(error));
  }
}

const nothing = {
  documents: null,
  error: null,
  done_before: false,
  same_as: null,
  no_speech: false,
};

/**
 * Takes a file through the pipeline, and notes that it is done; a sentence: why it is not.
 * @throws what the file or the disk says, or that it was stopped
 */
async function throughPipeline(batch: Batch, file: FoundFile): Promise<TranscribedFile | string> {
  const { pipeline, transcribed, out: folder, space, formats, stopping } = batch;
  const { row, hash } = await untilAborted(processed(batch, file), stopping);
  if (row.status === 'error') {
    // It is reported as failed: the service must not try it again beside the files that follow.
    await pipeline.recordingService.command(
      row.recordingId,
      { type: 'error.cleared', data: {} },
      { by: 'me', command: `${row.recordingId}/clear-error` },
    );
  }
  // Only audio whose documents are saved has been removed.
  const copy = join(batch.recordings, row.recordingId);
  if (!row.documents) await rm(copy, { recursive: true, force: true });
  if (!row.documents || !hash) return row.error?.message ?? 'No documents were created';
  const wanted = { formats, folder, space, stopping };
  const documents = await keepDocuments(pipeline, row, row.documents, wanted);
  const at = new Date().toISOString();
  const entry = { ...hash, file: basename(file.path), at, documents };
  transcribed.add(entry);
  return entry;
}

/** How the pipeline is done with a file, and what tells its audio from other audio. */
async function processed(batch: Batch, file: FoundFile) {
  const { pipeline, uploads, options, people, out } = batch;
  const { path: original, modifiedAt } = file;
  const { madeAt } = await acceptsAudio(original);
  const path = join(uploads, ulid());
  await copyFile(original, path);
  // Of the copy, which does not change while it is worked on.
  const hash = await hashFile(path);
  batch.now.audio = await audioInVault(original, out);
  const { recordingId } = await pipeline.recordingService.importAudio({
    path,
    filename: basename(original),
    owner: 'me',
    by: 'me',
    command: ulid(),
    kind: options.meeting ? 'meeting' : 'solo',
    language: options.language ?? null,
    speakers: null,
    ...options.speakers,
    people,
    began: {
      said: options.date?.toISOString(),
      madeAt,
      modifiedAt: modifiedAt.toISOString(),
    },
  });
  return { row: await settled(batch, recordingId), hash };
}

/** Follows a recording until its documents are there or it failed; speakers are not asked for. */
function settled(
  { pipeline, progress, people }: Pick<Batch, 'pipeline' | 'progress' | 'people'>,
  recordingId: string,
): Promise<RecordingRow> {
  return new Promise((resolve, reject) => {
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
  });
}

/** On a terminal it asks, once for all files; elsewhere only `--again` does a file again. */
async function wantsAgain(
  files: readonly FoundFile[],
  { transcribed, formats }: Pick<Batch, 'transcribed' | 'formats'>,
  { json }: TranscribeOptions,
): Promise<boolean> {
  if (json || !process.stdin.isTTY || !process.stderr.isTTY) return false;
  const known: string[] = [];
  for (const file of files) {
    const before = file.fault === null ? await transcribed.find(file, formats) : undefined;
    const [first] = Object.values(before?.documents ?? {});
    if (before && first !== undefined)
      known.push(`${file.path}: ${first} (${before.at.slice(0, 10)})`);
  }
  if (known.length === 0) return false;
  for (const line of known.slice(0, namedMax)) console.error(line);
  if (known.length > namedMax) console.error(`… and ${known.length - namedMax} more`);
  const which =
    known.length === 1
      ? 'This file already has documents'
      : `${known.length} files already have documents`;
  return await confirmed(`${which}. Transcribe again?`);
}

/** Files that a question or a summary names at most. */
const namedMax = 20;

/** The end, of more than one file: how many are done, and why others are not. */
function reportBatch(
  results: readonly Result[],
  { files, notSearched, out }: { files: number; notSearched: number; out: string },
): void {
  const failed = results.filter(({ error }) => error !== null);
  const silent = results.filter((result) => result.no_speech).length;
  const before = results.filter((one) => one.done_before && !one.no_speech).length;
  const done = results.length - failed.length - silent - before;
  const parts = [
    `${done} transcribed`,
    ...(silent === 0 ? [] : [`${silent} without speech`]),
    ...(before === 0 ? [] : [`${before} already done`]),
    ...(failed.length === 0 ? [] : [`${failed.length} failed`]),
  ];
  const folders = notSearched === 1 ? '1 folder' : `${notSearched} folders`;
  if (files > 1 || notSearched > 0) {
    console.error(
      `${files === 1 ? '1 file' : `${files} files`}: ${parts.join(', ')}` +
        (notSearched === 0 ? '' : `; ${folders} with audio not searched (--recursive)`),
    );
    for (const { file, error } of failed.slice(0, namedMax)) console.error(`  ${file}: ${error}`);
    if (failed.length > namedMax) console.error(`  … and ${failed.length - namedMax} more`);
  }
  if (results.length === files) return;
  const stoppedAt = results.length + 1;
  console.error(
    `Stopped at file ${stoppedAt} of ${files}; nothing of this file was saved. ` +
      (done + before === 0 ? '' : `Finished documents are in ${out}. `) +
      'Run the same command again to continue.',
  );
}

/** What the options ask for; a sentence: what is wrong with one of them. */
function wantedOf(
  options: TranscribeOptions,
): Pick<Batch, 'options' | 'formats' | 'people'> | string {
  const { language, format } = options;
  const code = language === undefined ? null : requestedLanguage(language);
  if (code === undefined) {
    return `--language ${language}: choose a language that can be recognised, such as de or en-US, or auto.`;
  }
  const people = peopleFieldSchema.safeParse(options.people ?? '');
  if (!people.success) return `--people ${firstFault(people.error)}.`;
  try {
    const formats = formatsIn(format);
    return { options: { ...options, language: code ?? undefined }, formats, people: people.data };
  } catch (error) {
    return messageOf(error);
  }
}

const absolute = (documents: Readonly<Record<string, string>>, out: string) =>
  Object.fromEntries(Object.entries(documents).map(([name, path]) => [name, join(out, path)]));

const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(ifMissing(null)))?.isFile() ?? false;
