import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EventStore } from '../../events/store.ts';
import {
  type DecideRecording,
  nameSpeakers,
  postponeSpeakers,
} from '../../projections/recording/decide.ts';
import { editTurn, splitTurn } from '../../projections/recording/edit-turns.ts';
import { draft } from '../../projections/recording/reading.ts';
import { joinStage } from '../../src/recordings/stages/attribute.ts';
import { type PerDocument, speakerName, documentsInput } from '../../src/documents/documents.ts';
import { renderDocuments } from '../../src/documents/render.ts';
import { CommandRefused, NotAccepted } from '../../src/recordings/refusals.ts';
import { type OpenRecordingService, openRecordingService } from '../../src/recordings/service.ts';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { memoryStore } from '../support/memory-store.ts';
import { type Random, seed, seeded, times } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';
import { simulatedActivities } from './simulated-activities.ts';
import { recordingServiceParts } from '../support/recording-service.ts';

/** Interleavings (all 1,000 take 50 s of processor time), and moments one may take; most take about 60. */
const count = times({ short: 50, long: 1000 });
const momentsMax = 2_000;

test(`results, restarts and posts in any order lead to the same documents (${count} orders, SEED=${seed})`, async (t) => {
  const dir = await tempDir(t);
  await mkdir(join(dir, 'recordings'));
  let restarts = 0;
  const run = async (random: Random, name: string) => {
    const lived = await liveThrough(dir, random, name);
    restarts += lived.restarts;
    return lived.documents;
  };
  const expected = await run(seeded(seed), 'first');
  assert.match(expected.transcript, /\*\*Anna\*\* .*corrected/);
  assert.match(expected.transcript, /\*\*Ben\*\*/);
  for (let index = 1; index < count; index += 1) {
    const one = seed + index;
    assert.deepEqual(await run(seeded(one), `${one}`), expected, `SEED=${one}`);
  }
  assert.ok(restarts > count / 4, `${restarts} restarts`);
});

/** What a person does while the meeting waits, in any order; each has its own command id. */
const whileWaiting: Record<string, DecideRecording> = {
  later: postponeSpeakers,
  edit: editTurn(0, { text: 'words corrected' }, speakerName),
  split: splitTurn(2, { word: 1, speaker: 'SPEAKER_00' }, speakerName),
};
const naming = nameSpeakers({ SPEAKER_00: 'Anna', SPEAKER_01: 'Ben' }, { remember: true });

/** One meeting from its upload to its documents. The process is killed now and then, also between any two facts. */
async function liveThrough(dir: string, random: Random, name: string) {
  const store = memoryStore();
  const rendered = new Map<number, PerDocument>();
  let life = 0;
  let restarts = 0;
  const inFlight = new Set<Promise<unknown>>();
  const start = async (): Promise<OpenRecordingService> => {
    life += 1;
    // What a dead process had handed to the disk is there before the next one looks.
    await Promise.allSettled(inFlight);
    const service = openRecordingService({
      ...recordingServiceParts(
        mortal(store, inFlight, life, () => life),
        dir,
      ),
      activities: activities(random, rendered),
    });
    await service.takeUp(id === undefined ? [] : [id]);
    return service;
  };
  let id: string | undefined;
  let service = await start();
  const path = join(dir, `upload-${name}`);
  await writeFile(path, name);
  const upload = { path, filename: 'talk.wav', owner: 'anna', by: 'anna', command: 'upload' };
  const more = { kind: 'meeting', language: null, speakers: null } as const;
  id = (await service.importAudio({ ...upload, ...more })).recordingId;
  const open = new Set(Object.keys(whileWaiting));
  for (let moment = 0; ; moment += 1) {
    const { state } = await service.read(id);
    assert.ok(moment < momentsMax, `never settled: ${state}`);
    if (state === 'idle.saved') break;
    // A stage in which the process died three times is left to a person.
    if (state === 'error') {
      await service.command(id, { type: 'retry.requested', data: {} }, by(`retry ${moment}`));
    }
    if (random.chance(0.04)) {
      // Nothing comes of what the old process still does.
      service = await start();
      restarts += 1;
    }
    if (random.chance(0.3)) {
      const [next = 'name'] = open.size > 0 ? [random.pick([...open])] : [];
      const isDone = await post(service, id, next);
      if (isDone) open.delete(next);
    }
    await moments(1 + random.below(4));
  }
  const last = [...rendered.values()].at(-1)!;
  await service.close();
  const same = (text: string) => text.replaceAll(id, 'ID');
  const { index, transcript, summary } = last;
  const documents = { index: same(index), transcript: same(transcript), summary: same(summary) };
  return { documents, restarts };
}

const by = (command: string) => ({ by: 'anna', command });

/** Whether it was taken; while the meeting does not wait, it is refused. */
async function post(service: OpenRecordingService, id: string, what: string): Promise<boolean> {
  const decision = whileWaiting[what] ?? naming;
  try {
    await service.decide(id, by(what), decision);
    return true;
  } catch (error) {
    if (error instanceof NotAccepted || error instanceof CommandRefused) return false;
    throw error;
  }
}

/** The log as a process sees it that may be dead: then nothing is stored, and nothing answers. */
const mortal = (
  store: EventStore,
  inFlight: Set<Promise<unknown>>,
  mine: number,
  living: () => number,
): EventStore => ({
  ...store,
  async append(...offered) {
    if (living() !== mine) return await new Promise<never>(() => {});
    const append = store.append(...offered);
    inFlight.add(append);
    const stored = await append.finally(() => inFlight.delete(append));
    return living() === mine ? stored : await new Promise<never>(() => {});
  },
});

/** Stages that take a few moments; what they say depends on nothing but the recording. */
function activities(random: Random, rendered: Map<number, PerDocument>) {
  const simulated = simulatedActivities(random, 0);
  const diarize: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'diarize', concurrency: 1 });
    await moments(random.below(4));
    const turns = [0, 3, 6].map((at, index): [number, number, string] => [
      at,
      at + 3,
      `SPEAKER_0${index % 2}`,
    ]);
    await job.append({
      type: 'diarization.completed',
      data: { engine: 'simulated', model: null, turns },
    });
  };
  const write: StageActivity = async (job) => {
    const recording = await job.recording();
    const named = { base: 'Talk', title: 'A title' };
    const input = { local_start: '2026-01-01T10:00:00+00:00', ui_language: 'en' } as const;
    const documents = renderDocuments(
      documentsInput(job.recordingId, draft(recording), { ...named, ...input }, {}),
    );
    rendered.set(recording.facts.length, documents);
    await simulated.write(job);
  };
  return { ...simulated, diarize, join: joinStage({ voiceMatches: async () => [] }), write };
}

async function moments(some: number): Promise<void> {
  for (let moment = 0; moment < some; moment += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
