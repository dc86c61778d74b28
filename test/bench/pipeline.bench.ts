import { WebSocket } from 'ws';
import { execFile } from 'node:child_process';
import { openAsBlob } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Stretch } from '../../events/facts/transcript.ts';
import { installedModels, sherpaConfig } from '../../src/speech/local/local-models.ts';
import { modelsDir } from '../support/models.ts';
import { apiOf, setUp } from '../support/service-process.ts';
import { type RunningService, builtService } from './built-service.ts';
import { speechOf } from './long-speech.ts';
import { type Measured, countFrom, inTurns, msOf, seconds } from './measure.ts';
import { cpuOfAll } from './processor-time.ts';

export const about = 'an uploaded file to its documents, against sherpa-onnx-node alone';
export const throughBuild = true;

const run = promisify(execFile);
const repetitions = 5;
const minutes = countFrom('BENCH_MINUTES', 10);
const savedWithinMs = 600_000;

type Taken = { ms: number; cpuMs: number };

/**
 * From the upload's first byte to the documents' fact, engine and its model in memory, against the bare
 * engine on the same stretches. The processor time has what is done beside on another core.
 */
export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  const audio = await speechOf(minutes * 60, join(root, 'talk.wav'));
  const data = join(root, 'data');
  await mkdir(data);
  await symlink(modelsDir, join(data, 'models'));
  const service = await (await builtService()).start(data);
  try {
    const token = await setUp(service.url);
    const ours: Taken[] = [];
    const bare: Taken[] = [];
    // Once outside the measurement: it starts the engine's process, and tells the plan.
    const planned = await toDocuments(service, token, audio);
    const stretches = await planOf(service.url, token, planned.recordingId);
    const times = await inTurns(
      repetitions,
      async () => taken(ours, await toDocuments(service, token, audio)),
      async () => taken(bare, await bareEngine(stretches, audio)),
    );
    const [mine, theirs] = [Math.min(...times.ours), Math.min(...times.bare)];
    yield {
      what: `audio to documents, ${minutes} minutes of speech, against sherpa-onnx-node on the same ${stretches.length} stretches`,
      ours: seconds(mine),
      bare: seconds(theirs),
      ratio: mine / theirs,
      aim: '≤ 1.1',
    };
    const [myCpu, theirCpu] = [ours, bare].map((all) => Math.min(...all.map(({ cpuMs }) => cpuMs)));
    yield {
      what: 'the same in processor time, service and engine together',
      ours: seconds(myCpu!),
      bare: seconds(theirCpu!),
      ratio: myCpu! / theirCpu!,
      aim: '',
    };
  } finally {
    await service.end();
    await rm(root, { recursive: true, force: true });
  }
}

function taken(all: Taken[], one: Taken): number {
  all.push(one);
  return one.ms;
}

/** Uploads a file and waits for its documents. */
async function toDocuments(
  service: RunningService,
  token: string,
  audio: string,
): Promise<Taken & { recordingId: string }> {
  const saved = await savedRecordings(service.url, token);
  try {
    const form = new FormData();
    form.set('kind', 'solo');
    form.set('language', 'en');
    form.set('file', await openAsBlob(audio), 'talk.wav');
    const cpuBefore = await cpuOfAll(service.pid);
    let recordingId = '';
    const ms = await msOf(async () => {
      const begun = await apiOf(service.url, token).post<{ recording_id: string }>(
        '/recordings',
        form,
      );
      recordingId = begun.recording_id;
      await saved.include(recordingId);
    });
    return { ms, cpuMs: (await cpuOfAll(service.pid)) - cpuBefore, recordingId };
  } finally {
    saved.close();
  }
}

/** Follows which recordings' documents are saved. */
async function savedRecordings(url: string, token: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?token=${token}`);
  const saved = new Set<string>();
  const failed = new Set<string>();
  let look = (): void => {};
  socket.on('message', (text: Buffer) => {
    if (!text.includes('documents.saved') && !text.includes('stage.failed')) return;
    const frame = JSON.parse(text.toString()) as { event?: string; recording_id: string };
    if (frame.event === 'documents.saved') saved.add(frame.recording_id);
    if (frame.event === 'stage.failed') failed.add(frame.recording_id);
    look();
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    async include(recordingId: string): Promise<void> {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('no documents in time')), savedWithinMs);
        look = () => {
          if (failed.has(recordingId)) reject(new Error('the recording failed'));
          else if (saved.has(recordingId)) resolve();
          else return;
          clearTimeout(timer);
        };
        look();
      });
    },
    close: () => socket.terminate(),
  };
}

async function planOf(url: string, token: string, recordingId: string): Promise<Stretch[]> {
  const path = `/recordings/${recordingId}/events`;
  type Events = { events: { type: string; data: { stretches: Stretch[] } }[] };
  const { events } = await apiOf(url, token).get<Events>(path);
  const planned = events.find(({ type }) => type === 'speech.detected');
  if (!planned) throw new Error('no speech was found');
  return planned.data.stretches;
}

async function bareEngine(stretches: Stretch[], audio: string): Promise<Taken> {
  const { models } = await installedModels(modelsDir);
  const model = models.find(({ purpose }) => purpose === 'speech-to-text')!;
  const script = join(import.meta.dirname, 'bare-engine.ts');
  const config = JSON.stringify(sherpaConfig(model));
  const args = ['--import', 'tsx', script, config, JSON.stringify(stretches), audio];
  return JSON.parse((await run(process.execPath, args)).stdout) as Taken;
}
