import assert from 'node:assert/strict';
import { cp, mkdir, readFile, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openSpeechFile } from '../../src/audio/speech-file.ts';
import { localEmbedder } from '../../src/speech/diarization/diarize.ts';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { childrenOf } from '../bench/processor-time.ts';
import { type Said, linesOf, synthesise, writeDialogue } from '../support/dialogues.ts';
import { eventually } from '../support/eventually.ts';
import { type TestService, startService } from '../support/http-client.ts';
import { editManifest, modelsDir } from '../support/models.ts';
import { tempDir } from '../support/temp-dir.ts';
import { machineFolder } from '../support/test-store.ts';

type Measuring = {
  embedding_model: string | null;
  waiting: number;
  without_audio: number;
  given_up: number;
  now: { recording_id: string; fraction: number } | null;
};
type Profile = {
  name: string;
  seconds: number;
  embedding_model: string;
  confirmations: { recording_id: string; embedding_model: string; counts: boolean }[];
};
type Profiles = { profiles: Profile[]; measuring: Measuring };
type Pending = {
  label: string;
  suggested_name: string | null;
  reason: string | null;
  sample: { text: string } | null;
  samples: { text: string }[];
};

test('voices are measured again from the kept audio: after turns were moved, before it goes, and with another embedding model; an erasure ends it', async (t) => {
  const { dataDir, models, audio, said } = await prepared(t);
  let service = await startService(t, { dataDir, stages: hearing(dataDir, said) });
  const token = await service.setUp();
  const profiles = () => profilesOf(service, token);
  const meeting = () => service.settled(token, { kind: 'meeting' }, { audio });
  const measured = async () => {
    await eventually('nothing waits', async () => {
      const { measuring } = await profiles();
      return measuring.waiting === measuring.without_audio && measuring.now === null;
    });
    const { profiles: all } = await profiles();
    return new Map(all.map((one) => [one.name, one]));
  };
  const name = async (id: string) => {
    const speakers = { SPEAKER_00: 'Anna', SPEAKER_01: 'Ben' };
    await service.named(token, id, speakers);
  };

  // In the pause a turn is given to the other one: so is what people are shown, and what is learnt.
  const first = await meeting();
  const before = await pendingOf(service, token, first);
  assert.ok(quotes(before[0]!).includes(said[0]!.text), JSON.stringify(before));
  const move = (speaker: string, id = first) =>
    service.call('PATCH', `/recordings/${id}/utterances/0`, { token, json: { speaker } });
  await move('SPEAKER_01');
  const after = await pendingOf(service, token, first);
  assert.ok(!quotes(after[0]!).includes(said[0]!.text), JSON.stringify(after));
  assert.equal(quotes(after[0]!).length, 3);
  await name(first);
  const moved = await measured();
  const length = (index: number) => said[index]!.end - said[index]!.start;
  const of = (speaker: number) =>
    said.reduce((sum, one, at) => sum + (one.speaker === speaker ? length(at) : 0), 0);
  assertNear(moved.get('Anna')?.seconds, of(0) - length(0));
  assertNear(moved.get('Ben')?.seconds, of(1) + length(0));

  // Of the documents it is given back.
  await move('SPEAKER_00');
  await service.reaches(first, 'idle.saved');
  const back = await measured();
  assertNear(back.get('Anna')?.seconds, of(0));
  assertNear(back.get('Ben')?.seconds, of(1));

  // One whose audio is not kept: it is measured before that goes. Then another model after a restart.
  await service.call('PUT', '/config', { token, json: { audio: { keep: 'none' } } });
  const second = await meeting();
  await move('SPEAKER_01', second);
  await name(second);
  const filesOf = (id: string) => readdir(join(dataDir, 'recordings', id));
  await eventually('its audio is gone', async () => (await filesOf(second)).length === 0);
  const { body } = await service.call<{ events: { type: string }[] }>(
    'GET',
    `/recordings/${second}/events`,
    { token },
  );
  assert.deepEqual(
    body.events.slice(-3).map(({ type }) => type),
    ['documents.saved', 'voice.measured', 'audio.removed'],
  );
  await service.call('PUT', '/config', { token, json: { audio: { keep: 'wav' } } });
  await service.close();
  await rename(join(models, 'espeak-embedding'), join(models, 'other-embedding'));
  await editManifest(join(models, 'other-embedding'), { id: 'other-embedding' });
  service = await startService(t, { dataDir, stages: hearing(dataDir, said) });
  const others = await measured();
  const { measuring } = await profiles();
  assert.deepEqual(measuring, {
    embedding_model: 'other-embedding',
    waiting: 1,
    without_audio: 1,
    given_up: 0,
    now: null,
  });
  for (const [who, index] of [
    ['Anna', 0],
    ['Ben', 1],
  ] as const) {
    const { confirmations } = others.get(who)!;
    assert.deepEqual(
      confirmations.map((one) => [one.recording_id, one.embedding_model]),
      [
        [second, 'espeak-embedding'],
        [first, 'other-embedding'],
      ],
    );
    assert.deepEqual(
      [others.get(who)!.embedding_model, confirmations.map(({ counts }) => counts)],
      ['other-embedding', [false, true]],
    );
    assertNear(others.get(who)!.seconds, of(index));
  }
  // Nothing derived is left beside the kept audio.
  const [kept, ...derived] = await filesOf(first);
  assert.match(kept!, keptAudio);
  assert.deepEqual(derived, []);

  // Voices are known by the new model, and none of them to another user.
  const last = await meeting();
  const third = await pendingOf(service, token, last);
  assert.deepEqual(
    third.map((one) => [one.suggested_name, one.reason]),
    ['Anna', 'Ben'].map((who) => [who, 'the voice is similar to earlier recordings']),
  );
  const stranger = await service.addUser('cem');
  const theirs = await profilesOf(service, stranger);
  assert.deepEqual([theirs.profiles, theirs.measuring.waiting], [[], 0]);

  // Erased while it is measured: that ends at once, and nothing is left of it.
  await name(last);
  await move('SPEAKER_01', last);
  const engine = await heldEngine();
  assert.equal((await profiles()).measuring.now?.recording_id, last);
  const { status } = await service.call('DELETE', `/recordings/${last}`, { token });
  assert.equal(status, 204);
  await assert.rejects(filesOf(last), { code: 'ENOENT' });
  assert.ok(!(await childrenOf(process.pid)).includes(engine), 'the process has ended');
  const { profiles: left, measuring: now } = await profiles();
  assert.deepEqual([now.waiting, now.now], [1, null]);
  for (const { confirmations } of left)
    assert.ok(confirmations.every(({ recording_id }) => recording_id !== last));
});

/** Holds the process that measures as soon as there is one. */
async function heldEngine(): Promise<number> {
  const held = await eventually('the engine process', async () => {
    let last: number | null = null;
    for (const pid of await childrenOf(process.pid)) {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (command.includes('local-worker')) last = pid;
    }
    return last;
  });
  process.kill(held, 'SIGSTOP');
  return held;
}

/** Nodes have the hash in the name. */
const keptAudio = /^audio(-[0-9a-f]+)?\.wav$/;

const quotes = ({ sample, samples }: Pending): string[] =>
  [...(sample ? [sample] : []), ...samples].map(({ text }) => text);

/** What is embedded is the words, without the pauses between them. */
const assertNear = (found: number | undefined, wanted: number): void =>
  assert.ok(found !== undefined && Math.abs(found - wanted) < 1, `${found} instead of ${wanted}`);

async function profilesOf(service: TestService, token: string): Promise<Profiles> {
  return (await service.call<Profiles>('GET', '/speakers/profiles', { token })).body;
}

async function pendingOf(service: TestService, token: string, id: string): Promise<Pending[]> {
  const { body } = await service.call<{ speakers_pending: Pending[] }>('GET', `/recordings/${id}`, {
    token,
  });
  return body.speakers_pending;
}

/** A data directory with the test models, and a dialogue of two voices. */
async function prepared(t: TestContext) {
  const dir = await tempDir(t);
  const dataDir = join(dir, 'data');
  const models = join(machineFolder(dataDir), 'models');
  await mkdir(machineFolder(dataDir), { recursive: true });
  await cp(modelsDir, models, {
    recursive: true,
    filter: (path) => !/espeak-(?:en|seg)/.test(path),
  });
  const { samples, said } = await synthesise(linesOf(2, 12));
  await writeDialogue(join(dir, 'talk.wav'), samples);
  return { dataDir, models, said, audio: new Uint8Array(await readFile(join(dir, 'talk.wav'))) };
}

/** Stages that know who says what and when; how they sound the real model says. */
function hearing(dataDir: string, said: readonly Said[]) {
  const diarize: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'diarize', concurrency: 1 });
    const embedder = (await localEmbedder(join(machineFolder(dataDir), 'models')))!;
    const folder = join(dataDir, 'recordings', job.recordingId);
    const kept = (await readdir(folder)).find((name) => keptAudio.test(name));
    const audio = await openSpeechFile(join(folder, kept!));
    const label = (speaker: number) => `SPEAKER_0${speaker}`;
    try {
      const turns = said.map(({ start, end, speaker }): [number, number, number] => [
        start,
        end,
        speaker,
      ]);
      const voices = await embedder.embed(audio, turns, {
        signal: job.signal,
        onProgress: () => {},
      });
      await job.append({
        type: 'diarization.completed',
        data: {
          engine: 'scripted',
          model: null,
          turns: turns.map(([start, end, speaker]) => [start, end, label(speaker)]),
        },
        content: {
          embedding_model: embedder.embeddingModel,
          voices: voices.map(({ speaker, seconds, embedding }) => ({
            label: label(speaker),
            seconds,
            embedding: [...embedding!],
          })),
        },
      });
    } finally {
      await audio.close();
      await embedder.close();
    }
  };
  const transcribe: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'transcribe', concurrency: 1 });
    const stretches = said.map(({ start, end }): [number, number] => [start, end]);
    const duration = said.at(-1)!.end;
    await job.append({
      type: 'speech.detected',
      data: { detector: 'scripted', duration, stretches, warnings: [] },
    });
    let words = 0;
    for (const [index, { start, end, text }] of said.entries()) {
      const parts = text.split(' ');
      const each = (end - start) / parts.length;
      const timed = parts.map((part, at) => ({
        text: part,
        start: start + at * each,
        end: start + (at + 1) * each,
      }));
      words += parts.length;
      await job.append({
        type: 'utterance.recognised',
        data: { index, start, end, words: parts.length, language: 'en' },
        content: { segments: [{ start, end, text, words: timed }] },
      });
    }
    await job.append({
      type: 'transcription.completed',
      data: {
        engine: 'scripted',
        model: null,
        language: 'en',
        utterances: said.length,
        words,
      },
    });
  };
  return { transcribe, diarize, join: undefined, punctuate: undefined };
}
