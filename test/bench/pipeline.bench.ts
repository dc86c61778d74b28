import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ulid } from 'ulid';
import type { Stretch } from '../../events/transcript.ts';
import { recordingStream } from '../../events/recording-facts.ts';
import { dataFolder } from '../../src/host.ts';
import { openLogger } from '../../src/log.ts';
import { openPipeline, type Pipeline } from '../../src/pipeline.ts';
import { settingsFrom } from '../../src/settings.ts';
import { installedModels, sherpaConfig } from '../../src/speech/local-models.ts';
import { modelsDir } from '../support/models.ts';
import { bestOf, msOf, seconds, type Measured } from './measure.ts';
import { peakMemory } from './peak-memory.ts';
import { speechOf } from './long-speech.ts';

const run = promisify(execFile);
const repetitions = 3;
const minutes = Number(process.env['BENCH_MINUTES'] ?? 10);
const longMinutes = Number(process.env['BENCH_LONG_MINUTES'] ?? 120);

/** Audio to documents against the bare engine on the same stretches; memory for long and for short files. */
export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  try {
    yield* wallTime(root);
    yield* memory(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function* wallTime(root: string): AsyncIterable<Measured> {
  const audio = await speechOf(minutes * 60, join(root, 'talk.wav'));
  const data = dataFolder(join(root, 'data'));
  const pipeline = await openPipeline({
    data,
    settings: () => settingsFrom({}),
    log: openLogger('silent'),
    modelsDir,
  });
  await pipeline.restart();
  try {
    // Once outside the measurement: it gives the plan, and the engine's process is there as in a service at work.
    const planned = await transcribed(pipeline, audio, data.uploads);
    const stretches = await planOf(pipeline, planned);
    const [model] = (await installedModels(modelsDir)).models.filter(
      ({ purpose }) => purpose === 'speech-to-text',
    );
    const best = await bestOf(
      repetitions,
      () => msOf(async () => void (await transcribed(pipeline, audio, data.uploads))),
      async () => {
        const script = join(import.meta.dirname, 'bare-engine.ts');
        const config = JSON.stringify(sherpaConfig(model!));
        const args = ['--import', 'tsx', script, config, JSON.stringify(stretches), audio];
        return Number((await run(process.execPath, args)).stdout);
      },
    );
    yield {
      what: `audio file to documents, ${minutes} minutes of speech in ${stretches.length} stretches, against sherpa-onnx-node on the same stretches (time)`,
      ours: seconds(best.ours),
      bare: seconds(best.bare),
      ratio: best.ours / best.bare,
      aim: '≤ 1.1',
    };
  } finally {
    await pipeline.close();
  }
}

async function* memory(root: string): AsyncIterable<Measured> {
  const short = await peakMemory(root, await speechOf(120, join(root, 'short.wav')));
  const long = await peakMemory(root, await speechOf(longMinutes * 60, join(root, 'long.wav')));
  for (const who of ['service', 'engine', 'together'] as const) {
    yield {
      what: `peak memory (${who}), a file of ${longMinutes} minutes against one of 2`,
      ours: `${Math.round(long[who])} MiB`,
      bare: `${Math.round(short[who])} MiB`,
      ratio: long[who] / short[who],
      aim: who === 'together' ? '≤ 1.3' : '',
    };
  }
}

/** Resolves with the recording's id when its documents are saved. */
async function transcribed(pipeline: Pipeline, audio: string, uploads: string): Promise<string> {
  const path = join(uploads, ulid());
  await copyFile(audio, path);
  let recordingId: string | undefined;
  const saved = new Set<string>();
  return await new Promise((resolve, reject) => {
    const look = (): void => {
      if (recordingId === undefined || !saved.has(recordingId)) return;
      stop();
      resolve(recordingId);
    };
    const stop = pipeline.projections.onApplied((facts) => {
      for (const fact of facts) {
        if (fact.type === 'stage.failed') reject(new Error(fact.content?.message ?? 'it failed'));
        if (fact.type === 'documents.saved')
          saved.add(fact.stream.slice(recordingStream('').length));
      }
      look();
    });
    pipeline.desk
      .importAudio({
        path,
        filename: 'talk.wav',
        owner: 'me',
        by: 'me',
        command: ulid(),
        kind: 'solo',
        language: 'en',
        speakers: null,
      })
      .then((begun) => {
        recordingId = begun.recordingId;
        look();
      }, reject);
  });
}

async function planOf(pipeline: Pipeline, recordingId: string): Promise<Stretch[]> {
  for await (const fact of pipeline.store.read(recordingStream(recordingId))) {
    if (fact.type === 'speech.detected') return fact.data.stretches;
  }
  throw new Error('no speech was found');
}
