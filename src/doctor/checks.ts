import { hasFfmpeg } from '../audio/ffmpeg.ts';
import { tryLanguage, trySpeech } from '../config/try-servers.ts';
import type { DataFolder } from '../host.ts';
import { isInstalled } from '../installed.ts';
import { packageVersion } from '../package-root.ts';
import type { Settings } from '../settings.ts';
import { ok, type Check } from './check.ts';
import { checkDataDirectory } from './data-directory.ts';
import { checkSpaceTaken } from './space-taken.ts';

/**
 * What this host has and lacks, and what to do about it: for `mitschrift doctor` and `GET /doctor`.
 * Asks the configured servers, which takes at most 15 s; sends them no audio and nothing anybody said.
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
    checkDataDirectory(data),
    checkSpaceTaken(settings, options.taken),
    checkFfmpeg(),
    checkSpeech(options),
    checkLanguage(settings),
  ]);
  const release = ok('Mitschrift', `${packageVersion()} on Node ${process.version}`);
  return [release, ...asked, checkRecorder()];
}

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
      ? `Set stt.base_url to a server, or put a model folder into ${data.models}.`
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
      remedy: 'Set llm.base_url to a server.',
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

const withModels = ({ detail, models = [] }: { detail: string; models?: string[] }): string =>
  models.length === 0 ? detail : `${detail} (${models.slice(0, modelsNamedMax).join(', ')})`;

const modelsNamedMax = 10;
