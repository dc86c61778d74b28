import { messageOf } from '../shared/errors.ts';
import { access, constants } from 'node:fs/promises';
import { hasFfmpeg } from '../audio/ffmpeg.ts';
import { tryLanguage, trySpeech } from './try-servers.ts';
import { type DataFolder, prepare } from '../shared/data-directory.ts';
import { isInstalled, packageVersion } from '../shared/package.ts';
import { diskAt } from '../shared/files.ts';
import { lowWaterMark } from '../storage/disk.ts';
import type { Settings } from '../config/environment.ts';
import { gigabyte, sizeText } from '../storage/disk.ts';
import { whatToDo } from '../storage/quota.ts';

/**
 * What this host has and lacks, and what to do about it: for `mitschrift doctor` and `GET /doctor`.
 * Asks the configured servers, which takes at most 15 s; sends them neither audio nor text of recordings.
 */
export async function runChecks(options: {
  data: DataFolder;
  settings: Settings;
  /** Bytes that documents, recordings and uploads take. */
  taken: () => Promise<number>;
  log: { warn(fields: object, text: string): void };
}): Promise<Check[]> {
  const { data, settings } = options;
  const asked = await Promise.all([
    checkDataDirectory(data, settings),
    checkSpaceTaken(settings, options.taken),
    checkFfmpeg(),
    checkSpeech(options),
    checkLanguage(settings),
  ]);
  const release = ok('Mitschrift', `${packageVersion()} on Node ${process.version}`);
  return [release, ...asked, checkRecorder()];
}

const withModels = ({ detail, models = [] }: { detail: string; models?: string[] }): string =>
  models.length === 0 ? detail : `${detail} (${models.slice(0, modelsNamedMax).join(', ')})`;

const modelsNamedMax = 10;
/** One thing looked at. `missing`: something is done without; `failed`: something cannot be done. */
export type Check = {
  name: string;
  state: 'ok' | 'missing' | 'failed';
  /** A sentence about it, for a person. */
  detail: string;
  /** What to do about it. */
  remedy?: string;
};

export const ok = (name: string, detail: string): Check => ({ name, state: 'ok', detail });

async function checkFfmpeg(): Promise<Check> {
  if (await hasFfmpeg()) return ok('ffmpeg', 'is there: all audio formats are taken');
  return {
    name: 'ffmpeg',
    state: 'missing',
    detail: 'is not on the PATH: only WAV files are taken',
    remedy: 'apt install ffmpeg',
  };
}

async function checkSpeech({
  data,
  settings,
  log,
}: Parameters<typeof runChecks>[0]): Promise<Check> {
  const name = 'speech to text';
  const trial = await trySpeech(settings, { modelsDir: data.models, log });
  if (trial.ok) return ok(name, withModels(trial));
  const remedy =
    settings['stt.base_url'] === null
      ? `Set stt.base_url (MITSCHRIFT_STT_BASE_URL) to a server, or install a speech model on this machine: ` +
        'npx mitschrift models list shows those that fit it.'
      : 'Start the server, or correct the settings that begin with stt.';
  return { name, state: 'failed', detail: trial.detail, remedy };
}

async function checkLanguage(settings: Settings): Promise<Check> {
  const name = 'language model';
  const trial = await tryLanguage(settings);
  if (settings['llm.base_url'] === null) {
    return {
      name,
      state: 'missing',
      detail: trial.detail,
      remedy: 'Set llm.base_url (MITSCHRIFT_LLM_BASE_URL) to a server.',
    };
  }
  if (trial.ok) return ok(name, trial.detail);
  const remedy = 'Start the server, or correct the settings that begin with llm.';
  return { name, state: 'failed', detail: trial.detail, remedy };
}

function checkRecorder(): Check {
  if (isInstalled('naudiodon')) return ok('recording', 'the capture library is installed');
  return {
    name: 'recording',
    state: 'missing',
    detail: 'the capture library is not installed: files can be uploaded, devices not recorded',
    remedy: 'apt install build-essential python3, then npm install',
  };
}

/** Whether the data directory can be written, and has room. */
async function checkDataDirectory(data: DataFolder, settings: Settings): Promise<Check> {
  const name = 'data directory';
  try {
    await prepare(data);
    await access(data.root, constants.W_OK);
  } catch (error) {
    const detail = `${data.root} cannot be written: ${messageOf(error)}`;
    return { name, state: 'failed', detail, remedy: 'Set MITSCHRIFT_DATA to a folder of yours.' };
  }
  const { free, total } = await diskAt(data.root);
  if (free >= lowWaterMark(settings, total))
    return ok(name, `${data.root}, ${Math.round(free / 1e9)} GB free`);
  const detail = `${data.root} has only ${Math.round(free / 1e6)} MB free`;
  return { name, state: 'failed', detail, remedy: 'Make room on this disk.' };
}

/** How much documents, recordings and uploads take of what they may. */
async function checkSpaceTaken(
  settings: Pick<Settings, 'limits.spaces_gb'>,
  taken: () => Promise<number>,
): Promise<Check> {
  const name = 'documents and recordings';
  const bytes = await taken();
  const limit = settings['limits.spaces_gb'];
  if (limit === null) return ok(name, `take ${sizeText(bytes)}; no limit is set`);
  const detail = `take ${sizeText(bytes)} of ${sizeText(limit * gigabyte)} (limits.spaces_gb)`;
  if (bytes < limit * gigabyte) return ok(name, detail);
  return { name, state: 'failed', detail: `${detail}: nothing new is taken`, remedy: whatToDo };
}
