import pino from 'pino';
import { ulid } from 'ulid';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type TestContext, test } from 'node:test';
import { openFileKeys } from '../../events/log/file-keys.ts';
import type { EventStore } from '../../events/store.ts';
import { openLog } from '../../events/log/level-log.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import type { Taken } from '../../events/facts/retention.ts';
import { commands } from '../../projections/commands.ts';
import { recordingById, recordings } from '../../projections/recordings.ts';
import { removeTexts } from '../../projections/texts.ts';
import { startProjections } from '../../projections/runner/runner.ts';
import { dataFolder, speechFileName } from '../../src/shared/data-directory.ts';
import { decodeToSpeech } from '../../src/audio/decode.ts';
import { untilAborted } from '../../src/shared/abort.ts';
import { wavHeader, wavHeaderBytes } from '../../src/audio/wav.ts';
import { openSpace } from '../../src/documents/space.ts';
import { checkStream } from '../../src/integrity/verify.ts';
import type { Finding } from '../../src/integrity/findings.ts';
import { write } from '../../src/recordings/stages/write.ts';
import type { KeptAs } from '../../src/recordings/audio-retention.ts';
import { NotAccepted } from '../../src/recordings/refusals.ts';
import { type OpenRecordingService, openRecordingService } from '../../src/recordings/service.ts';
import { levelKept, levelProjectionStorage } from '../../src/storage/level-rows.ts';
import { pendingJobs } from '../../src/storage/pending-jobs.ts';
import { seeded } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';
import { simulatedActivities } from './simulated-activities.ts';
import { within } from '../support/eventually.ts';
import { recordingServiceParts, writingParts } from '../support/recording-service.ts';

/** What is done with the audio of a recording, one after the other. */
const keepingSteps = ['compress', 'rename', 'fact', 'remove', 'done'] as const;
type KeepingStep = (typeof keepingSteps)[number];

const who = (command: string) => ({ by: 'anna', command });
const reprocess = (from: 'speech-to-text' | 'language-model') =>
  ({ type: 'reprocessing.requested', data: { from } }) as const;

for (const channels of [1, 2] as const) {
  test(`flac: what was captured with ${channels} channels is kept sample by sample in a smaller file`, async (t) => {
    const world = await openWorld(t, { keep: 'flac', channels });
    const before = await world.speechOf('audio.wav', world.captured);
    const id = await world.record();
    await world.done(id);
    assert.deepEqual(await world.files(id), ['audio.flac']);

    const bytes = await readFile(join(world.folder(id), 'audio.flac'));
    assert.ok(bytes.length < world.captured.length);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const row = await recordingById(world.storage, id);
    assert.deepEqual(row?.audio, { path: 'audio.flac', bytes: bytes.length, sha256 });
    assert.equal(row?.state, 'idle.saved');
    const samples = await decoded(join(world.folder(id), 'audio.flac'));
    assert.ok(samples.equals(world.captured.subarray(wavHeaderBytes)), 'every sample is there');
    if (channels === 1) {
      assert.ok((await world.speechOf('audio.flac', bytes)).equals(before), 'it is heard the same');
    }
    assert.deepEqual(await world.findings(id), []);

    // What hears it again is given the new file.
    await world.recordingService.command(id, reprocess('speech-to-text'), who('again'));
    await world.done(id);
    assert.deepEqual(world.heard, ['audio.wav', 'audio.flac']);
    assert.deepEqual(await world.files(id), ['audio.flac']);
    assert.deepEqual(await world.findings(id), []);
  });
}

for (const keep of ['flac', 'none'] as const) {
  for (const step of keepingSteps) {
    if (keep === 'none' && step !== 'done') continue;
    test(`${keep}: a process that dies before the step "${step}" leaves one whole file, and goes on`, async (t) => {
      const home = await tempDir(t);
      let world = await openWorld(t, { keep, home, dieBefore: step });
      const id = await world.record();
      await world.died;
      await world.close();
      // The file that the facts name is there and whole.
      assert.deepEqual(await world.findings(id), []);
      // What stages heard has all of it, too.
      await writeFile(join(world.folder(id), speechFileName), 'all that was said');
      world = await openWorld(t, { keep, home });
      await world.done(id);
      assert.deepEqual(await world.files(id), keep === 'flac' ? ['audio.flac'] : []);
      assert.deepEqual(await world.findings(id), []);
    });
  }
}

test('flac: what a person changed meanwhile in the settings leaves the WAV, and nothing beside it', async (t) => {
  const home = await tempDir(t);
  let world = await openWorld(t, { keep: 'flac', home, dieBefore: 'fact' });
  const id = await world.record();
  await world.died;
  assert.deepEqual(await world.files(id), ['audio.flac', 'audio.wav']);
  await world.close();
  world = await openWorld(t, { keep: 'wav', home });
  await world.done(id);
  assert.deepEqual(await world.files(id), ['audio.wav']);
  assert.deepEqual(await world.findings(id), []);
});

test('flac: where the file that facts name is not there, nothing beside it is removed', async (t) => {
  const home = await tempDir(t);
  let world = await openWorld(t, { keep: 'flac', home, dieBefore: 'fact' });
  const id = await world.record();
  await world.died;
  await world.close();
  // As behind a repair that cut the log before the fact of the FLAC file.
  await rm(join(world.folder(id), 'audio.wav'));
  world = await openWorld(t, { keep: 'wav', home });
  await world.loggedLine('audio could not be compressed or removed');
  assert.deepEqual(await world.files(id), ['audio.flac']);
});

test('flac: without ffmpeg the WAV is kept, and the log says why', async (t) => {
  const world = await openWorld(t, { keep: 'flac', ffmpegRuns: async () => false });
  const id = await world.record();
  await world.done(id);
  assert.deepEqual(await world.files(id), ['audio.wav']);
  assert.ok(world.logged.some((line) => line.includes('ffmpeg is missing; keeping WAV')));
});

test('flac: a WAV that is not as it was recorded is neither compressed nor removed', async (t) => {
  const world = await openWorld(t, { keep: 'flac', damage: true });
  const id = await world.record();
  await world.loggedLine('has changed since it was recorded');
  assert.deepEqual(await world.files(id), ['audio.wav']);
  assert.equal((await world.findings(id)).length, 1);
});

test('flac: what was uploaded is kept as it was uploaded', async (t) => {
  const world = await openWorld(t, { keep: 'flac' });
  const id = await world.upload('talk.wav');
  await world.done(id);
  assert.deepEqual(await world.files(id), ['audio.wav']);
});

test('none: the audio goes once there are documents, and hearing it again is refused in words', async (t) => {
  const world = await openWorld(t, { keep: 'none' });
  for (const begin of [() => world.record(), () => world.upload('talk.m4a')]) {
    const id = await begin();
    await world.done(id);
    assert.deepEqual(await world.files(id), []);
    assert.equal((await recordingById(world.storage, id))?.audio, null);
    assert.deepEqual(await world.findings(id), []);
    await assert.rejects(
      world.recordingService.command(id, reprocess('speech-to-text'), who(`hear ${id}`)),
      (error) => error instanceof NotAccepted && /audio was removed/.test(error.message),
    );
    // The words are there.
    await world.recordingService.command(id, reprocess('language-model'), who(`again ${id}`));
    await world.done(id);
    assert.equal((await recordingById(world.storage, id))?.version, 2);
  }
});

test('a removal says whether the audio is gone: what is protected meanwhile stays', async (t) => {
  const world = await openWorld(t, { keep: 'flac' });
  const id = await world.record();
  await world.done(id);
  const removed = async (decide: () => Taken | undefined) =>
    await world.recordingService.removeAudio(id, { command: 'retention', decide });
  assert.equal(await removed(() => undefined), false);
  assert.deepEqual(await world.files(id), ['audio.flac']);
  const taken: Taken = {
    owner: 'anna',
    rule: 'user',
    days: 30,
    folder: null,
    started_at: '2026-11-20T09:00:00Z',
    kind: 'solo',
    seconds: 1,
  };
  assert.equal(await removed(() => taken), true);
  assert.deepEqual(await world.files(id), []);
  assert.equal(await removed(() => taken), false, 'there is none any more');
});

test('none: a recording without documents keeps its audio', async (t) => {
  const world = await openWorld(t, { keep: 'none', hold: true });
  const id = await world.record('transcribing');
  await world.recordingService.command(
    id,
    { type: 'processing.cancelled', data: {} },
    who('cancel'),
  );
  await world.close();
  assert.deepEqual(await world.files(id), ['audio.wav']);
});

for (const keep of ['flac', 'none'] as const) {
  test(`${keep}: no audio is replaced or removed while somebody copies files`, async (t) => {
    const world = await openWorld(t, { keep });
    const ids: string[] = [];
    await world.recordingService.whileFilesStay(async () => {
      // Work enough for the audio of the first to be dealt with, if it did not wait.
      const record = async () => void ids.push(await world.record());
      await record();
      while (keep === 'flac' && ids.length < 500 && !(await world.compressed(ids[0]!))) {
        await record();
      }
      for (let more = 0; more < 5; more += 1) await record();
      // Whoever copies has the WAV of the facts that were copied before.
      for (const id of ids) {
        assert.ok((await world.files(id)).includes('audio.wav'));
        assert.equal((await recordingById(world.storage, id))?.audio?.path, 'audio.wav');
        assert.deepEqual(await world.findings(id), []);
      }
    });
    await world.done(ids[0]!);
    assert.deepEqual(await world.files(ids[0]!), keep === 'flac' ? ['audio.flac'] : []);
  });

  test(`${keep}: the audio that facts name is there when the process dies at the fact that says otherwise`, async (t) => {
    for (const stored of [false, true]) {
      const home = await tempDir(t);
      let world = await openWorld(t, {
        keep,
        home,
        dieAtFact: { type: /^audio\.(compressed|removed)$/, stored },
      });
      const id = await world.record();
      await world.loggedLine('died at the fact');
      await world.close();
      assert.deepEqual(await world.findings(id), []);
      if (!stored) assert.ok((await world.files(id)).includes('audio.wav'));
      world = await openWorld(t, { keep, home });
      await world.done(id);
      assert.deepEqual(await world.files(id), keep === 'flac' ? ['audio.flac'] : []);
      assert.deepEqual(await world.findings(id), []);
    }
  });
}

test('none: the audio goes at the next start when the process ended as soon as the documents were said to be there', async (t) => {
  const home = await tempDir(t);
  const dieAtFact = { type: /^documents\.saved$/, stored: true };
  let world = await openWorld(t, { keep: 'none', home, dieAtFact });
  const id = await world.record();
  await world.loggedLine('died at the fact');
  await world.close();
  assert.deepEqual(await world.files(id), ['audio.wav']);
  world = await openWorld(t, { keep: 'none', home });
  await world.done(id);
  assert.deepEqual(await world.files(id), []);
});

test('none: the audio stays until what is still to be learnt from it has been; a stop meanwhile leaves it to the next start', async (t) => {
  const home = await tempDir(t);
  let world = await openWorld(t, {
    keep: 'none',
    home,
    beforeRemoval: (_id, signal) => untilAborted(new Promise<never>(() => {}), signal),
  });
  const id = await world.record();
  await world.loggedLine('step removal');
  assert.deepEqual(await world.files(id), ['audio.wav']);
  await world.close();
  assert.deepEqual(await world.files(id), ['audio.wav']);
  assert.ok(!world.logged.some((line) => line.includes('could not be compressed')));
  world = await openWorld(t, { keep: 'none', home, beforeRemoval: async () => {} });
  await world.done(id);
  assert.deepEqual(await world.files(id), []);
});

test('flac: audio that another process extended meanwhile is neither replaced nor removed', async (t) => {
  const home = await tempDir(t);
  const extended = noise(1, 4);
  let world = await openWorld(t, {
    keep: 'flac',
    home,
    async whileCompressing(store, id) {
      await writeFile(join(home, 'recordings', id, 'audio-2.wav'), extended);
      const sha256 = createHash('sha256').update(extended).digest('hex');
      const data = { path: 'audio-2.wav', bytes: extended.length, sha256, duration: 4 };
      const stream = recordingStream(id);
      const [before, working] = ['idle.saved', 'transcribing.recognising'];
      const late = { ...data, before: 2, replaces: 'audio.wav' };
      const facts = [
        { type: 'audio.extended', data: late, from: before, to: working },
        { type: 'processing.cancelled', data: {}, from: working, to: before },
      ] as const;
      const offered = facts.map((fact) => ({ ...fact, ...who(`late-${id}`), subject: id }));
      await store.append(stream, offered, await store.version(stream));
    },
  });
  const id = await world.record();
  await Promise.race([world.loggedLine('audio left unchanged'), world.loggedStep('done')]);
  await world.close();
  world = await openWorld(t, { keep: 'wav', home });
  await world.done(id);
  assert.equal((await recordingById(world.storage, id))?.audio?.path, 'audio-2.wav');
  assert.deepEqual(await world.files(id), ['audio-2.wav']);
  assert.deepEqual(await world.findings(id), []);
});

test('an erasure takes what is being compressed with it', async (t) => {
  const world = await openWorld(t, { keep: 'flac' });
  const id = await world.record();
  await world.loggedStep('compress');
  await world.recordingService.erase(id, who('erase'));
  assert.equal((await recordingById(world.storage, id))?.state, 'idle.erased');
  await assert.rejects(readdir(world.folder(id)), { code: 'ENOENT' });
  await world.close();
  await assert.rejects(readdir(world.folder(id)), { code: 'ENOENT' });
});

type Options = {
  keep: KeptAs;
  home?: string;
  channels?: 1 | 2;
  dieBefore?: KeepingStep;
  /** Before or after the first fact of such a type is stored; from then on nothing is. */
  dieAtFact?: { type: RegExp; stored: boolean };
  damage?: boolean;
  hold?: boolean;
  ffmpegRuns?: () => Promise<boolean>;
  whileCompressing?: (store: EventStore, recordingId: string) => Promise<void>;
  beforeRemoval?: (recordingId: string, signal: AbortSignal) => Promise<void>;
};

/** Door, views and documents over a data directory that outlives them; captures write two seconds of noise. */
async function openWorld(t: TestContext, options: Options) {
  const dataDir = await realpath(options.home ?? (await tempDir(t)));
  const recordingsDir = join(dataDir, 'recordings');
  await mkdir(recordingsDir, { recursive: true });
  const { keep, channels = 1, dieBefore } = options;
  const captured = noise(channels);
  const heard: string[] = [];
  const events = watched();
  const log = pino({ level: 'debug' }, { write: (line: string) => events.tell(line) });
  const keys = await openFileKeys(join(dataDir, 'keys'));
  const store = await openLog({ directory: join(dataDir, 'log'), keys });
  const { dieAtFact } = options;
  if (dieAtFact) {
    const append = store.append.bind(store);
    let dead = false;
    t.mock.method(store, 'append', async (...offered: Parameters<typeof append>) => {
      const [, facts] = offered;
      const dies = !dead && facts.some(({ type }) => dieAtFact.type.test(type));
      if (!dead && !dies) return await append(...offered);
      dead = true;
      if (dies && dieAtFact.stored) await append(...offered);
      if (dies) events.tell('died at the fact');
      throw new Error('dead');
    });
  }
  const storage = levelProjectionStorage(store.db);
  const projections = startProjections({ store, storage, projections: [recordings, commands] });
  const spaceOf = (owner: string) => openSpace(dataDir, owner);
  const folder = (id: string) => join(recordingsDir, id);
  const activities = simulatedActivities(seeded(1), 0);
  const parts = recordingServiceParts(store, dataDir);
  const { files } = parts;
  const jobs = pendingJobs(levelKept(store.db, () => new Date()));
  const step = (one: KeepingStep) => {
    events.tell(`step ${one}`);
    if (one === dieBefore) throw new Error(`died before ${one}`);
  };
  const stepsOf = { workFolder: 'compress', keep: 'rename', remove: 'remove' } as const;
  for (const [method, name] of Object.entries(stepsOf) as [keyof typeof stepsOf, KeepingStep][]) {
    const work = files[method].bind(files) as (...given: unknown[]) => Promise<unknown>;
    t.mock.method(files, method, async (...given: unknown[]) => {
      if (name !== 'rename' || given[1] === 'audio.flac') step(name);
      if (name === 'compress') await options.whileCompressing?.(store, String(given[0]));
      return await work(...given);
    });
  }
  const recordingService: OpenRecordingService = openRecordingService({
    ...parts,
    log,
    keys,
    spaceOf,
    removeRows: (recordingId) => removeTexts(storage, recordingId),
    applied: (position) => projections.applied('all', position),
    keep: () => keep,
    ffmpegRuns: options.ffmpegRuns ?? parts.ffmpegRuns,
    async beforeRemoval(...removal) {
      events.tell('step removal');
      await options.beforeRemoval?.(...removal);
    },
    store: {
      ...store,
      async append(...offered) {
        if (offered[1][0]!.type === 'audio.compressed') step('fact');
        return await store.append(...offered);
      },
    },
    jobs: {
      ...jobs,
      async complete(...completed) {
        if (completed[1] === 'keep-audio') step('done');
        await jobs.complete(...completed);
      },
    },
    activities: {
      ...activities,
      async capture(job) {
        await job.acquireSlot({ name: 'capture', concurrency: 1 });
        await mkdir(folder(job.recordingId));
        await writeFile(join(folder(job.recordingId), 'audio.wav'), captured);
        const sha256 = createHash('sha256').update(captured).digest('hex');
        const data = { path: 'audio.wav', bytes: captured.length, sha256, duration: 2 };
        if (options.damage) {
          await writeFile(join(folder(job.recordingId), 'audio.wav'), captured.with(99, 1));
        }
        await job.append({ type: 'audio.captured', data });
      },
      async transcribe(job) {
        const recording = await job.recording();
        heard.push(recording.files.audio!.path);
        if (options.hold) {
          await new Promise((resolve) => job.signal.addEventListener('abort', resolve));
        }
        await activities.transcribe(job);
      },
      write: write({
        ...writingParts(spaceOf),
        promisedBases: (owner) => recordingService.promisedBases(owner, (async function* () {})()),
      }),
    },
  });
  await projections.ready();
  await recordingService.finishRemovals([]);
  let closed = false;
  let open = true;
  const close = async () => {
    if (closed) return;
    closed = true;
    await recordingService.close();
    await projections.stop();
    open = false;
    await store.close();
  };
  t.after(close);
  await recordingService.takeUp((async function* () {})());

  const until = async (id: string, state: string) => {
    const looked = new Promise<void>((resolve, reject) => {
      const look = async () => {
        if ((await recordingById(storage, id))?.state.startsWith(state)) resolve();
      };
      projections.onApplied(() => void look().catch(reject));
      look().catch(reject);
    });
    await within(`${id} is ${state}`, looked);
  };
  return {
    captured,
    heard,
    logged: events.told,
    recordingService,
    storage,
    folder,
    close,
    files: async (id: string) => (await readdir(folder(id))).toSorted(),
    /** Whether a FLAC file has been made beside the WAV and no ffmpeg is at work any more. */
    async compressed(id: string): Promise<boolean> {
      if ((await readdir(folder(id))).every((name) => name === 'audio.wav')) return false;
      return (await readFile(`/proc/self/task/${process.pid}/children`, 'utf8')) === '';
    },
    loggedLine: (part: string) => events.next(part),
    loggedStep: (step: KeepingStep) => events.next(`step ${step}`),
    died: dieBefore === undefined ? undefined : events.next(`died before ${dieBefore}`),
    async record(state = 'idle.saved') {
      const recordingId = ulid();
      const about = { kind: 'solo', language: null, speakers: null } as const;
      await recordingService.startRecording({
        recordingId,
        owner: 'anna',
        ...who(recordingId),
        ...about,
        device: 'mic',
        trigger: 'api',
      });
      await until(recordingId, state);
      return recordingId;
    },
    async upload(filename: string) {
      const path = join(dataDir, filename);
      await writeFile(path, captured);
      const about = { kind: 'solo', language: null, speakers: null } as const;
      const upload = { path, filename, owner: 'anna', ...who(filename), ...about };
      const { recordingId } = await recordingService.importAudio(upload);
      await until(recordingId, 'idle.saved');
      return recordingId;
    },
    /** There are documents, and the audio has been dealt with. */
    async done(id: string) {
      await events.next('step done');
      await projections.applied('all', await store.head());
      assert.equal((await recordingById(storage, id))?.state, 'idle.saved');
      // Waits for the end of what deals with it.
      await recordingService.whileFilesStay(async () => {});
    },
    /** What `mitschrift verify` says of it, also when this world has been closed. */
    async findings(id: string): Promise<Finding[]> {
      const log = open ? store : await openLog({ directory: join(dataDir, 'log'), keys });
      const found: Finding[] = [];
      const data = { ...dataFolder(dataDir), recordings: recordingsDir };
      await checkStream({ store: log, data }, recordingStream(id), (one) => found.push(one));
      if (!open) await log.close();
      return found.filter(({ severity }) => severity === 'damage');
    },
    /** What recognisers would be given of a file. */
    async speechOf(name: string, bytes: Buffer) {
      const path = join(dataDir, `copy-${name}`);
      await writeFile(path, bytes);
      const { signal } = new AbortController();
      await decodeToSpeech(path, join(dataDir, 'speech.wav'), { signal });
      return await readFile(join(dataDir, 'speech.wav'));
    },
  };
}

/** Lines as they are told; each is given once to whoever waits for the next that holds some words. */
function watched() {
  const told: string[] = [];
  const given = new Map<string, number>();
  const waiting = new Set<() => void>();
  return {
    told,
    tell(line: string) {
      told.push(line);
      for (const look of waiting) look();
    },
    next(part: string): Promise<void> {
      const seen = new Promise<void>((resolve) => {
        const look = () => {
          const at = told.findIndex(
            (line, index) => index >= (given.get(part) ?? 0) && line.includes(part),
          );
          if (at < 0) return;
          given.set(part, at + 1);
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      });
      return within(part, seen);
    },
  };
}

/** All samples of a file, as ffmpeg decodes them. */
async function decoded(path: string): Promise<Buffer> {
  const args = ['-loglevel', 'error', '-i', path, '-f', 's16le', '-c:a', 'pcm_s16le', 'pipe:1'];
  const options = { encoding: 'buffer', maxBuffer: 1 << 20 } as const;
  return (await promisify(execFile)('ffmpeg', args, options)).stdout;
}

/** What compresses a little: a tone with noise, so that no sample is like another. */
function noise(channels: 1 | 2, seconds = 2): Buffer {
  const frames = seconds * 16_000;
  const random = seeded(7);
  const samples = Buffer.alloc(frames * channels * 2);
  for (let at = 0; at < frames * channels; at += 1) {
    const value = Math.sin(at / 20) * 8000 + random.below(800) - 400;
    samples.writeInt16LE(Math.round(value), at * 2);
  }
  return Buffer.concat([wavHeader(channels, frames), samples]);
}
