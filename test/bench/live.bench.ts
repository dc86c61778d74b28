import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { settingsFrom } from '../../src/config/environment.ts';
import { decodeToSpeech } from '../../src/audio/decode.ts';
import { openSpeechFile } from '../../src/audio/speech-file.ts';
import { chooseEngine } from '../../src/speech/choose-engine.ts';
import { startLanguageServer } from '../support/language-servers.ts';
import { browserClient } from '../support/browser-client.ts';
import { wordErrorRate } from '../support/espeak.ts';
import { modelsDir } from '../support/models.ts';
import { apiOf } from '../support/service-process.ts';
import { type Spoken, spokenRate, spokenSentences } from '../support/spoken-sentences.ts';
import { type RunningService, builtService, setUp } from './built-service.ts';
import { type Measured, countFrom, seconds } from './measure.ts';
import { cpuOfAll } from './processor-time.ts';

export const about = 'what is recognised while it is recorded, against after the stop';
export const throughBuild = true;
/** Feeding an hour takes as long as the engine takes for it, twice. */
export const onlyByName = true;

const longMinutes = countFrom('BENCH_LIVE_MINUTES', 60);
const sentencesAMinute = 12;
/** So much is sent ahead of what is recognised, in seconds. */
const aheadSeconds = 20;
const withinMs = 3_600_000;

type Run = { transcriptMs: number; documentsMs: number; errors: number; delays: number[] };

/** From the stop to the transcript and the documents, for talks of several lengths. */
export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  try {
    const sizes = [...new Set([1, Math.min(10, longMinutes), longMinutes])];
    const live = await inService(root, 'while-recording', sizes);
    const batch = await inService(root, 'after-the-stop', sizes);
    const told = await withLanguageModel(root, sizes);
    for (const [at, minutes] of sizes.entries()) {
      const [ours, bare] = [live.runs[at]!, batch.runs[at]!];
      yield row(`stop to transcript, ${minutes} min`, ours.transcriptMs, bare.transcriptMs);
      yield row(
        `stop to documents, no language model, ${minutes} min`,
        ours.documentsMs,
        bare.documentsMs,
      );
      yield row(
        `stop to documents, a language model that answers at once, ${minutes} min, against none`,
        told[at]!.documentsMs,
        ours.documentsMs,
      );
    }
    const [first, last] = [live.runs[0]!, live.runs.at(-1)!];
    yield row(
      `stop to transcript, ${longMinutes} min against 1`,
      last.transcriptMs,
      first.transcriptMs,
      '≤ 1.2',
    );
    const [liveErrors, batchErrors] = [last.errors, batch.runs.at(-1)!.errors];
    yield {
      what: 'word error rate, while recording against after the stop',
      ours: percent(liveErrors),
      bare: percent(batchErrors),
      ratio: liveErrors / batchErrors,
      aim: 'within a point',
      met: liveErrors - batchErrors <= 0.01,
    };
    const own = await engineAlone(root);
    for (const part of [0.5, 0.95]) {
      const what = `end of a sentence to its final frame, p${part * 100}, against the engine alone`;
      yield row(what, quantile(live.delays, part), quantile(own, part));
    }
    yield {
      what: 'processor time of following a silent hour, against the same after the stop',
      ours: seconds(live.silentMs),
      bare: seconds(batch.silentMs),
      ratio: live.silentMs / batch.silentMs,
      aim: '',
    };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const row = (what: string, ours: number, bare: number, aim = ''): Measured => ({
  what,
  ours: seconds(ours),
  bare: seconds(bare),
  ratio: ours / bare,
  aim,
});
const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;
const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(part * (values.length - 1))] ?? NaN;

async function started(root: string, name: string, env: Record<string, string>) {
  const data = join(root, name);
  await mkdir(data);
  await symlink(modelsDir, join(data, 'models'));
  const service = await (await builtService()).start(data, env);
  const token = await setUp(service.url);
  // Once outside the measurement: it starts the engine's process.
  await talk(service, token, await spokenSentences(root, 4), { isLive: true });
  return { service, token };
}

/** From the stop to the documents where a language model punctuates and sums up; it answers at once. */
async function withLanguageModel(root: string, sizes: readonly number[]): Promise<Run[]> {
  const model = await startLanguageServer({ flavour: 'vllm' });
  const { service, token } = await started(root, 'language-model', {
    MITSCHRIFT_STT_LIVE: 'while-recording',
    MITSCHRIFT_LLM_BASE_URL: model.url,
  });
  try {
    return await runsOf(root, { service, token, sizes, isLive: true });
  } finally {
    await service.end();
    await model.close();
  }
}

/** How long the engine takes for each of twelve sentences by itself, once its model is loaded, milliseconds. */
async function engineAlone(root: string): Promise<number[]> {
  const { wav, ends } = await spokenSentences(root, 12);
  const [path, speechPath] = [join(root, 'alone.wav'), join(root, 'alone-16k.wav')];
  const { signal } = new AbortController();
  await writeFile(path, wav);
  await decodeToSpeech(path, speechPath, { signal });
  const speech = await openSpeechFile(speechPath);
  const engine = await chooseEngine(settingsFrom({}), { modelsDir, log: { warn() {} } });
  try {
    const times: number[] = [];
    for (const [at, end] of [ends[0]!, ...ends].entries()) {
      const before = performance.now();
      const stretch: [number, number] = [ends[at - 2] ?? 0, end];
      await engine.recognise(speech, stretch, { language: null, signal });
      times.push(performance.now() - before);
    }
    return times.slice(1);
  } finally {
    await engine.close();
    await speech.close();
  }
}

async function runsOf(
  root: string,
  on: { service: RunningService; token: string; sizes: readonly number[]; isLive: boolean },
): Promise<Run[]> {
  const runs: Run[] = [];
  for (const minutes of on.sizes) {
    const spoken = await spokenSentences(root, minutes * sentencesAMinute);
    runs.push(await talk(on.service, on.token, spoken, on));
  }
  return runs;
}

async function inService(root: string, mode: string, sizes: readonly number[]) {
  const { service, token } = await started(root, mode, { MITSCHRIFT_STT_LIVE: mode });
  try {
    const isLive = mode === 'while-recording';
    const runs = await runsOf(root, { service, token, sizes, isLive });
    const real = isLive
      ? await talk(service, token, await spokenSentences(root, 12), { isLive, inRealTime: true })
      : null;
    const silence = { pcm: Buffer.alloc(longMinutes * 60 * spokenRate * 2), said: '', ends: [] };
    const before = await cpuOfAll(service.pid);
    await talk(service, token, { ...silence, wav: Buffer.alloc(0) }, { isLive });
    const silentMs = (await cpuOfAll(service.pid)) - before;
    return { runs, delays: real?.delays ?? [], silentMs };
  } finally {
    await service.end();
  }
}

/** Records a talk and stops; with `inRealTime` no faster than it was spoken, so that delays mean something. */
async function talk(
  service: RunningService,
  token: string,
  { pcm, said, ends }: Spoken,
  { isLive, inRealTime = false }: { isLive: boolean; inRealTime?: boolean },
): Promise<Run> {
  const frames = await follow(service.url, token);
  const { url } = service;
  const options = { url: () => url, token, pcm, rate: spokenRate, frameSamples: spokenRate / 10 };
  const browser = browserClient(options);
  try {
    const samples = pcm.length / 2;
    const step = inRealTime ? 0.25 : 5;
    const began = performance.now();
    for (let sent = 0; sent < samples;) {
      sent = Math.min(samples, sent + Math.round(step * spokenRate));
      await browser.sendTo(sent);
      if (inRealTime)
        await sleep(Math.max(0, (sent / spokenRate) * 1000 - (performance.now() - began)));
      else if (isLive) await untilNear(service.url, token);
    }
    const id = browser.recordingId()!;
    const stopped = performance.now();
    await browser.stop();
    const transcript = await frames.until(id, 'transcription.completed');
    const documents = await frames.until(id, 'documents.saved');
    const detail = await apiOf(service.url, token).get<{ utterances: { text: string }[] }>(
      `/recordings/${id}`,
    );
    const heard = detail.utterances.map(({ text }) => text).join(' ');
    return {
      transcriptMs: transcript - stopped,
      documentsMs: documents - stopped,
      errors: said === '' ? 0 : wordErrorRate(said, heard),
      delays: frames.finals.flatMap(({ end, at }) => {
        const sentence = ends.findLast((one) => one <= end);
        return sentence === undefined ? [] : [at - began - sentence * 1000];
      }),
    };
  } finally {
    browser.vanish();
    frames.close();
  }
}

/** As fast as the engine keeps up. */
async function untilNear(url: string, token: string): Promise<void> {
  type Status = { recording: { live: { behind: number } | null } | null };
  for (;;) {
    const { recording } = await apiOf(url, token).get<Status>('/status');
    if ((recording?.live?.behind ?? 0) <= aheadSeconds) return;
    await sleep(50);
  }
}

/** When facts and texts of recordings came. */
async function follow(url: string, token: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?token=${token}`);
  const seen = new Map<string, number>();
  const finals: { end: number; at: number }[] = [];
  let look = (): void => {};
  socket.on('message', (text: Buffer) => {
    const frame = JSON.parse(text.toString()) as {
      type: string;
      recording_id: string;
      event?: string;
      end?: number;
    };
    const at = performance.now();
    if (frame.type === 'utterance') finals.push({ end: frame.end!, at });
    if (frame.event) seen.set(`${frame.recording_id} ${frame.event}`, at);
    look();
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    finals,
    until: (id: string, event: string) =>
      new Promise<number>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no ${event} in time`)), withinMs);
        look = () => {
          const at = seen.get(`${id} ${event}`);
          if (at === undefined) return;
          clearTimeout(timer);
          resolve(at);
        };
        look();
      }),
    close: () => socket.terminate(),
  };
}
