import cliProgress from 'cli-progress';
import { ulid } from 'ulid';
import { copyFile, mkdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { recordingOf } from '../../events/facts/recording.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import { recordingById } from '../../projections/recordings.ts';
import { acceptsAudio } from '../audio/accepts-audio.ts';
import { dataFolder, hostFrom } from '../shared/data-directory.ts';
import { openLogger } from '../shared/log.ts';
import { type Pipeline, openPipeline } from '../pipeline.ts';
import { openScratchFolder } from './scratch-folder.ts';
import { presentSettings } from './settings.ts';

export type TranscribeOptions = {
  meeting: boolean;
  out: string;
  language?: string | undefined;
  json: boolean;
};

type Result = { file: string; documents: Record<string, string> | null; error: string | null };

/**
 * Writes the three documents of audio files: the service's own pipeline over a log of its own that is
 * gone afterwards, also when a signal ends the command. Of the service it only takes the settings.
 */
export async function transcribeCommand(
  files: string[],
  options: TranscribeOptions,
): Promise<void> {
  const host = hostFrom(process.env);
  const { settings } = await presentSettings(host);
  await mkdir(options.out, { recursive: true });
  const out = await realpath(options.out);
  const scratch = await openScratchFolder('transcribe');
  const results: Result[] = [];
  try {
    const data = dataFolder(scratch.path);
    const pipeline = await openPipeline({
      data,
      settings: () => settings,
      log: openLogger(process.env['MITSCHRIFT_LOG_LEVEL'] || 'silent'),
      modelsDir: host.data.models,
      spaceOf: async (user) => ({ root: out, user }),
    });
    const bars = progressBars(options.json);
    const ended = aborted(scratch.stopping);
    ended.catch(() => undefined);
    try {
      await pipeline.takeUp();
      for (const file of files) {
        const done = transcribeOne(pipeline, file, data.uploads, options, bars);
        results.push(await Promise.race([done, ended]));
      }
    } finally {
      bars.stop();
      await pipeline.close();
    }
  } finally {
    await scratch.remove();
  }
  report(results, out, options.json);
  if (results.some(({ error }) => error !== null)) process.exitCode = 1;
}

/** Rejects when the signal aborts. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

async function transcribeOne(
  pipeline: Pipeline,
  file: string,
  uploads: string,
  options: TranscribeOptions,
  bars: ReturnType<typeof progressBars>,
): Promise<Result> {
  const failed = (error: unknown): Result => ({
    file,
    documents: null,
    error: error instanceof Error ? error.message : String(error),
  });
  try {
    const there = await stat(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
      throw error;
    });
    if (!there?.isFile()) return failed('There is no such file');
    await acceptsAudio(file);
    // A copy: the pipeline moves what it is given into the recording's folder.
    const path = join(uploads, ulid());
    await copyFile(file, path);
    const done = settled(pipeline, basename(file), bars);
    const { recordingId } = await pipeline.recordingService.importAudio({
      path,
      filename: basename(file),
      owner: 'me',
      by: 'me',
      command: ulid(),
      kind: options.meeting ? 'meeting' : 'solo',
      language: options.language ?? null,
      speakers: null,
    });
    const row = await done.of(recordingId);
    return row.documents
      ? { file, documents: row.documents, error: null }
      : failed(row.error?.message ?? 'No documents were written');
  } catch (error) {
    return failed(error);
  }
}

/** Follows a recording until its documents are there or it failed; nobody is asked for speakers. */
function settled(pipeline: Pipeline, name: string, bars: ReturnType<typeof progressBars>) {
  return {
    of: (recordingId: string): Promise<RecordingRow> =>
      new Promise((resolve, reject) => {
        const stopBar = pipeline.recordingService.onActivity((id, { stage, fraction, waiting }) => {
          if (id === recordingId) bars.show(name, stage, fraction, waiting?.for ?? null);
        });
        const look = async () => {
          const row = await recordingById(pipeline.storage, recordingId);
          if (row?.status === 'awaiting-speakers') {
            await pipeline.recordingService.command(
              recordingId,
              { type: 'speakers.skipped', data: {} },
              { by: 'me', command: `${recordingId}/skip-speakers` },
            );
          } else if (row?.status === 'error' || (row?.status === 'idle' && row.version > 0)) {
            stopBar();
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

/** A bar on a terminal, a line a stage elsewhere. */
function progressBars(quiet: boolean) {
  if (quiet) return { show() {}, stop() {} };
  if (!process.stderr.isTTY) {
    const said = new Set<string>();
    return {
      show(name: string, stage: string) {
        const line = `${name}: ${stage}`;
        if (!said.has(line)) console.error(line);
        said.add(line);
      },
      stop() {},
    };
  }
  const bar = new cliProgress.SingleBar({
    format: '{name} {bar} {percentage}% {stage}',
    stream: process.stderr,
    hideCursor: true,
  });
  let started = false;
  return {
    show(name: string, stage: string, fraction: number | null, waiting: string | null) {
      const payload = { name, stage: waiting === null ? stage : `${stage}, waits for ${waiting}` };
      if (!started) bar.start(100, 0, payload);
      started = true;
      bar.update(Math.round((fraction ?? 0) * 100), payload);
    },
    stop() {
      if (started) bar.stop();
    },
  };
}

function report(results: Result[], out: string, json: boolean): void {
  const withPaths = results.map((result) => ({
    ...result,
    documents:
      result.documents &&
      Object.fromEntries(
        Object.entries(result.documents).map(([name, path]) => [name, join(out, path)]),
      ),
  }));
  if (json) {
    console.log(JSON.stringify(withPaths));
    return;
  }
  for (const { file, documents, error } of withPaths) {
    if (error !== null) console.error(`${file}: ${error}`);
    for (const path of Object.values(documents ?? {})) console.log(path);
  }
}
