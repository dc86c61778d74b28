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
import { apiOf, setUp } from '../support/service-process.ts';
import { type Spoken, spokenRate, spokenSentences } from '../support/spoken-sentences.ts';
import { type RunningService, builtService } from './built-service.ts';
import { type Measured, countFrom, seconds } from './measure.ts';
import { cpuOfAll } from './processor-time.ts';

export const about = 'what is recognised while it is recorded, against after the stop';
export const throughBuild = true;
/** About ten minutes: an hour of speech is fed as fast as the engine keeps up. */
export const onlyByName = true;

const longMinutes = countFrom('BENCH_LIVE_MINUTES', 60);
/** Longest talk that is recorded with a language model, too. */
const toldMinutesMax = 10;
const sentencesAMinute = 12;
/** So much is sent ahead of what is recognised, in seconds … */
const aheadSeconds = 20;
/** … but the last is sent as it is spoken, when all before it is recognised: as of who talks, and then stops. */
const lastSeconds = 6;
/** Of the shortest talk, whose time the longest is compared with: the median of so many. */
const shortTimes = 3;
const withinMs = 600_000;

/** From the end of a sentence to its final frame, beside the engine's own time. */
const delayMaxMs = 1500;

type Run = { transcriptMs: number; documentsMs: number; errors: number; delays: number[] };
type Mode = 'while-recording' | 'after-the-stop';
type Started = { root: string; mode: Mode; service: RunningService; token: string };

/** From the stop to the transcript and the documents, for talks of several lengths. Rows come as they are known. */
export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  const ends: (() => Promise<void>)[] = [() => rm(root, { recursive: true, force: true })];
  try {
    const live = await started(root, 'while-recording');
    ends.unshift(() => live.service.end());
    const batch = await started(root, 'after-the-stop');
    ends.unshift(() => batch.service.end());
    yield* delayRows(live, batch);
    yield* silenceRows(live, batch);
    const sizes = [...new Set([1, Math.min(10, longMinutes), longMinutes])];
    const told = sizes.filter((minutes) => minutes <= toldMinutesMax);
    const short: Run[] = [];
    for (const minutes of sizes) {
      const ours = await runOf(live, minutes);
      const bare = await runOf(batch, minutes);
      short.push(ours);
      yield row(`stop to transcript, ${minutes} min`, ours.transcriptMs, bare.transcriptMs);
      const what = `stop to documents, no language model, ${minutes} min`;
      yield row(what, ours.documentsMs, bare.documentsMs);
      if (minutes === told.at(-1)) yield* languageModelRows(root, told, short);
      if (minutes !== longMinutes) continue;
      const compared = `stop to transcript, ${longMinutes} min against 1`;
      yield row(compared, ours.transcriptMs, short[0]!.transcriptMs, '≤ 1.2');
      yield wordRow(`${longMinutes} min`, ours.errors, bare.errors);
    }
  } finally {
    for (const end of ends) await end();
  }
}

const wordRow = (whose: string, ours: number, bare: number): Measured => ({
  what: `word error rate, ${whose}, while recording against after the stop`,
  ours: percent(ours),
  bare: percent(bare),
  ratio: ours / bare,
  aim: 'within a point',
  met: ours - bare <= 0.01,
});

/** Pauses between sentences in which each sentence is a passage, and of a talk that hardly has any, seconds. */
const spokenPauses = [
  { pause: 1.2, aim: '≤ 1.5 s beside it' },
  { pause: 0.6, aim: '' },
];

/** A minute as it is spoken. */
async function* delayRows(live: Started, batch: Started): AsyncIterable<Measured> {
  const own = await engineAlone(live.root);
  await startEngine(live);
  for (const { pause, aim } of spokenPauses) {
    const spoken = await spokenSentences(live.root, sentencesAMinute, { pauseSeconds: pause });
    const { delays, errors } = await talk(live, spoken, { inRealTime: true });
    for (const part of [0.5, 0.95]) {
      const [ours, bare] = [quantile(delays, part), quantile(own, part)];
      const what = `end of a sentence to its final frame, ${pause} s of pause, p${part * 100}, against the engine alone`;
      const met = aim === '' || part > 0.5 ? {} : { met: ours - bare <= delayMaxMs };
      yield { ...row(what, ours, bare, part > 0.5 ? '' : aim), ...met };
    }
    yield wordRow(`a minute with ${pause} s of pause`, errors, (await talk(batch, spoken)).errors);
  }
}

async function* silenceRows(live: Started, batch: Started): AsyncIterable<Measured> {
  const [ours, bare] = [await silentMs(live), await silentMs(batch)];
  const what = `processor time of following ${longMinutes} silent minutes, against the same after the stop`;
  yield row(what, ours, bare);
}

/** Where a language model punctuates and sums up; it answers at once. */
async function* languageModelRows(
  root: string,
  sizes: readonly number[],
  without: readonly Run[],
): AsyncIterable<Measured> {
  const model = await startLanguageServer({ flavour: 'vllm' });
  const env = { MITSCHRIFT_LLM_BASE_URL: model.url };
  const told = await started(root, 'while-recording', env);
  try {
    for (const [at, minutes] of sizes.entries()) {
      const { documentsMs } = await runOf(told, minutes);
      const what = `stop to documents, a language model that answers at once, ${minutes} min, against none`;
      yield row(what, documentsMs, without[at]!.documentsMs);
    }
  } finally {
    await told.service.end();
    await model.close();
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

async function started(
  root: string,
  mode: Mode,
  env: Record<string, string> = {},
): Promise<Started> {
  const data = join(root, [mode, ...Object.keys(env)].join('-'));
  await mkdir(data);
  await symlink(modelsDir, join(data, 'models'));
  const service = await (await builtService()).start(data, { MITSCHRIFT_STT_LIVE: mode, ...env });
  return { root, mode, service, token: await setUp(service.url) };
}

/** A few sentences start the engine's process, if it has ended. */
const startEngine = async (on: Started): Promise<void> =>
  void (await talk(on, await spokenSentences(on.root, 4)));

/** A talk of so many minutes. */
async function runOf(on: Started, minutes: number): Promise<Run> {
  const spoken = await spokenSentences(on.root, minutes * sentencesAMinute);
  await startEngine(on);
  const runs: Run[] = [];
  for (let time = 0; time < (minutes === 1 ? shortTimes : 1); time += 1)
    runs.push(await talk(on, spoken));
  const by = runs.toSorted((a, b) => a.transcriptMs - b.transcriptMs);
  return by[Math.floor(by.length / 2)]!;
}

async function silentMs(on: Started): Promise<number> {
  const pcm = Buffer.alloc(longMinutes * 60 * spokenRate * 2);
  const before = await cpuOfAll(on.service.pid);
  await talk(on, { pcm, wav: Buffer.alloc(0), said: '', ends: [] });
  return (await cpuOfAll(on.service.pid)) - before;
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

/** Records a talk and stops; with `inRealTime` no faster than it was spoken, so that delays mean something. */
async function talk(
  { mode, service, token }: Started,
  { pcm, said, ends }: Spoken,
  { inRealTime = false } = {},
): Promise<Run> {
  const frames = await follow(service.url, token);
  const { url } = service;
  const frameSamples = inRealTime ? spokenRate / 10 : spokenRate / 2;
  const samples = pcm.length / 2;
  const sends = { pcm, rate: spokenRate, frameSamples };
  // As a browser that was without a network sends its talk: the service lets in nothing else so fast.
  const browser = browserClient({ url: () => url, token, ...sends, held: samples });
  try {
    const isLive = mode === 'while-recording' && said !== '';
    const last = inRealTime
      ? 0
      : isLive
        ? Math.max(0, samples - lastSeconds * spokenRate)
        : samples;
    for (let sent = 0; sent < last;) {
      sent = Math.min(last, sent + 5 * spokenRate);
      await browser.sendTo(sent);
      if (isLive) await untilNear(url, token, sent < last ? aheadSeconds : 0);
    }
    const began = performance.now() - (last / spokenRate) * 1000;
    for (let sent = last; sent < samples;) {
      sent = Math.min(samples, sent + Math.round(spokenRate / 4));
      await browser.sendTo(sent);
      await sleep(Math.max(0, (sent / spokenRate) * 1000 - (performance.now() - began)));
    }
    const id = browser.recordingId()!;
    const stopped = performance.now();
    await browser.stop();
    const transcript = await frames.until(id, 'transcription.completed');
    const documents = await frames.until(id, 'documents.saved');
    const detail = await apiOf(url, token).get<{ utterances: { text: string }[] }>(
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

/** Until no more seconds wait to be recognised: as fast as the engine keeps up. */
async function untilNear(url: string, token: string, secondsMax: number): Promise<void> {
  type Status = { recording: { live: { behind: number } | null } | null };
  for (;;) {
    const { recording } = await apiOf(url, token).get<Status>('/status');
    if ((recording?.live?.behind ?? 0) <= secondsMax) return;
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
