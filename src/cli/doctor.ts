import { access, constants, statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { hasFfmpeg } from '../audio/ffmpeg.ts';
import { hostFrom, prepare, type Host } from '../host.ts';
import { packageVersion } from '../package-root.ts';
import type { Settings } from '../settings.ts';
import { installedModels } from '../speech/local-models.ts';
import { presentSettings } from './present-settings.ts';

type Check = { name: string; state: 'ok' | 'missing' | 'failed'; detail: string; remedy?: string };

/** A server that takes longer than this to say anything is called away, in milliseconds. */
const answerWithinMs = 5000;
/** Below this the service will not begin a recording, in bytes. */
const freeBytesMin = 500_000_000;

/** Says what is there, what is missing and what to do about it. Exit code 1 when something fails. */
export async function doctor(options: { json: boolean }): Promise<void> {
  const host = hostFrom(process.env);
  const { settings, running } = await presentSettings(host);
  const checks: Check[] = [
    ok('Mitschrift', `${packageVersion()} on Node ${process.version}`),
    running
      ? ok('service', 'runs')
      : { name: 'service', state: 'missing', detail: 'does not run', remedy: 'npm start' },
    await dataDirectory(host),
    await ffmpeg(),
    await speech(host, settings),
    await language(settings),
    recorder(),
  ];
  if (options.json) console.log(JSON.stringify(checks));
  else {
    for (const { name, state, detail, remedy } of checks) {
      console.log(`${marks[state]} ${name}: ${detail}${remedy ? `\n    → ${remedy}` : ''}`);
    }
  }
  if (checks.some(({ state }) => state === 'failed')) process.exitCode = 1;
}

const marks = { ok: '✔', missing: '–', failed: '✖' };
const ok = (name: string, detail: string): Check => ({ name, state: 'ok', detail });

async function dataDirectory({ data }: Host): Promise<Check> {
  const name = 'data directory';
  try {
    await prepare(data);
    await access(data.root, constants.W_OK);
  } catch (error) {
    const detail = `${data.root} cannot be written: ${(error as Error).message}`;
    return { name, state: 'failed', detail, remedy: 'Set MITSCHRIFT_DATA to a folder of yours.' };
  }
  const { bavail, bsize } = await statfs(data.root);
  const free = bavail * bsize;
  if (free >= freeBytesMin) return ok(name, `${data.root}, ${Math.round(free / 1e9)} GB free`);
  const detail = `${data.root} has only ${Math.round(free / 1e6)} MB free`;
  return { name, state: 'failed', detail, remedy: 'Make room on this disk.' };
}

async function ffmpeg(): Promise<Check> {
  if (await hasFfmpeg()) return ok('ffmpeg', 'is there: all audio formats are taken');
  return {
    name: 'ffmpeg',
    state: 'missing',
    detail: 'is not on the PATH: only WAV files are taken',
    remedy: 'apt install ffmpeg',
  };
}

async function speech({ data }: Host, settings: Settings): Promise<Check> {
  const name = 'speech to text';
  const url = settings['stt.base_url'];
  if (url !== null) {
    const { 'stt.backend': backend } = settings;
    const away = await isAway(url);
    if (away === null) return ok(name, `${backend} server at ${url} answers`);
    const remedy = 'Start the server, or correct MITSCHRIFT_STT_BASE_URL.';
    return { name, state: 'failed', detail: `${url} does not answer: ${away}`, remedy };
  }
  const { models, broken } = await installedModels(data.models);
  const recognisers = models.filter(({ purpose }) => purpose === 'speech-to-text');
  const problems = broken.map(({ problem }) => `; ${problem}`).join('');
  if (!present('sherpa-onnx-node')) {
    const remedy = 'npm install (sherpa-onnx-node is an optional package), or a remote server';
    return { name, state: 'failed', detail: 'the local engine is not installed', remedy };
  }
  if (recognisers.length > 0) {
    return ok(name, `local: ${recognisers.map(({ id }) => id).join(', ')}${problems}`);
  }
  return {
    name,
    state: 'failed',
    detail: `no engine: no server is set and ${data.models} holds no model${problems}`,
    remedy: 'Set MITSCHRIFT_STT_BASE_URL, or put a model folder into the models directory.',
  };
}

async function language(settings: Settings): Promise<Check> {
  const name = 'language model';
  const url = settings['llm.base_url'];
  if (url === null) {
    const detail = 'none is set: summary and title are extracted without one';
    return { name, state: 'missing', detail, remedy: 'Set MITSCHRIFT_LLM_BASE_URL.' };
  }
  const away = await isAway(url);
  if (away === null) return ok(name, `server at ${url} answers`);
  const remedy = 'Start the server, or correct MITSCHRIFT_LLM_BASE_URL.';
  return { name, state: 'failed', detail: `${url} does not answer: ${away}`, remedy };
}

function recorder(): Check {
  if (present('naudiodon')) return ok('recording', 'the capture library is installed');
  return {
    name: 'recording',
    state: 'missing',
    detail: 'the capture library is not installed: files can be uploaded, devices not recorded',
    remedy: 'apt install build-essential python3, then npm install',
  };
}

function present(packageName: string): boolean {
  try {
    createRequire(import.meta.url).resolve(packageName);
    return true;
  } catch {
    return false;
  }
}

/** Any answer at all means that somebody is there; null then, else why not. */
async function isAway(url: string): Promise<string | null> {
  try {
    const answer = await fetch(url, {
      signal: AbortSignal.timeout(answerWithinMs),
      redirect: 'manual',
    });
    await answer.body?.cancel();
    return null;
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return cause?.code ?? message;
  }
}
