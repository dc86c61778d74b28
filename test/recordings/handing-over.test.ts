import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { recordingOf, recordingStream } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import { openSpace } from '../../src/documents/space.ts';
import { write } from '../../src/recordings/stages/write.ts';
import { checkLog } from '../../src/recordings/check-log.ts';
import { type OpenRecordingService, openRecordingService } from '../../src/recordings/service.ts';
import { memoryStore } from '../support/memory-store.ts';
import { seeded } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';
import { simulatedActivities } from './simulated-activities.ts';
import { recordingServiceParts, writingParts } from '../support/recording-service.ts';
import { subscribed } from '../support/subscribed.ts';

const who = (command: string) => ({ by: 'admin', command });
const handOver = { type: 'recording.handed_over', data: { owner: 'ben' } } as const;

for (const type of ['documents.named', 'documents.rendered', 'documents.saved']) {
  for (const stored of [false, true]) {
    const when = `${stored ? 'after' : 'before'} ${type} is stored`;
    test(`documents move whole, and a person's own with them, when the process dies ${when}`, async (t) => {
      const world = await openWorld(t);
      const id = await world.record();
      const before = await world.filesOf('guest');
      const summary = before.find((path) => path.endsWith('zusammenfassung.md'))!;
      await writeFile(join(world.spaces, 'guest', summary), 'My own summary.');

      const crash = world.dieAt(type, stored);
      await world.recordingService.command(id, handOver, who('hand over'));
      await crash;
      await world.restart();
      await world.until(id, 'idle.saved');

      assert.deepEqual(await world.filesOf('guest'), []);
      const after = await world.filesOf('ben');
      assert.deepEqual(after, before, 'the names stay where they are free');
      assert.equal(await readFile(join(world.spaces, 'ben', summary), 'utf8'), 'My own summary.');
      assert.deepEqual((await checkLog(world.store, id)).differences, []);
    });
  }
}

test('a name that is taken in the other space gets a number', async (t) => {
  const world = await openWorld(t);
  const id = await world.record();
  const taken = (await world.filesOf('guest')).find((path) => !path.includes('/'))!;
  const theirs = await openSpace(world.dataDir, 'ben');
  await writeFile(join(theirs.root, taken), 'Theirs.');
  await world.recordingService.command(id, handOver, who('hand over'));
  await world.until(id, 'idle.saved');
  assert.equal(await readFile(join(theirs.root, taken), 'utf8'), 'Theirs.');
  assert.equal((await world.filesOf('ben')).length, 4);
  assert.ok((await world.filesOf('ben')).includes(taken.replace('.md', ' (2).md')));
});

test('what was taken up goes on when the list of unfinished recordings breaks off', async (t) => {
  const world = await openWorld(t);
  const id = await world.record();
  const crash = world.dieAt('documents.saved', false);
  await world.recordingService.command(id, handOver, who('hand over'));
  await crash;
  await assert.rejects(world.restart({ brokenList: true }), /cannot be read on/);
  await world.until(id, 'idle.saved');
});

test('a process that dies between files and fact does not take its own files for a person’s', async (t) => {
  const world = await openWorld(t);
  const id = await world.record();
  const crash = world.dieAt('documents.saved', false);
  const title = (text: string) =>
    ({ type: 'title.changed', data: {}, content: { title: text, previous: null } }) as const;
  await world.recordingService.command(id, title('Second'), who('second'));
  await crash;
  await world.restart();
  // Another change comes before the first is written: its files are on the disk, and ours.
  await world.recordingService.command(id, title('Third'), who('third'));
  await world.until(id, 'idle.saved');
  const saved = await world.last(id, 'documents.saved');
  assert.deepEqual((saved.data as { kept: string[] }).kept, []);
  const [index] = (await world.filesOf('guest')).filter((path) => !path.includes('/'));
  assert.match(await readFile(join(world.spaces, 'guest', index!), 'utf8'), /^# Third$/m);
});

/** A door over a log and spaces that outlive it; it can die at an append. */
async function openWorld(t: TestContext) {
  const dataDir = await realpath(await tempDir(t));
  const recordingsDir = join(dataDir, 'recordings');
  await mkdir(recordingsDir);
  const store = memoryStore();
  let death: { type: string; stored: boolean; happened(): void } | null = null;
  let recordingService = open();
  t.after(() => recordingService.close());

  const world = {
    dataDir,
    spaces: join(dataDir, 'spaces'),
    store,
    get recordingService() {
      return recordingService;
    },
    async record() {
      const path = join(dataDir, 'upload');
      await writeFile(path, 'sound');
      const { recordingId } = await recordingService.importAudio({
        path,
        filename: 'talk.wav',
        owner: 'guest',
        by: 'guest',
        command: 'upload',
        kind: 'solo',
        language: null,
        speakers: null,
      });
      await world.until(recordingId, 'idle.saved');
      return recordingId;
    },
    /** Resolves when the process has died at that append; nothing of it goes on. */
    dieAt: (type: string, stored: boolean) =>
      new Promise<void>((resolve) => (death = { type, stored, happened: resolve })),
    async restart({ brokenList = false } = {}) {
      death = null;
      recordingService = open();
      const states = new Map<string, string>();
      for await (const fact of store.readAll()) states.set(recordingOf(fact.stream)!, fact.to!);
      await recordingService.takeUp(
        (async function* () {
          for (const [id, state] of states) if (state.startsWith('transcribing')) yield id;
          if (brokenList) throw new Error('the list cannot be read on');
        })(),
      );
    },
    /** Waits until the last fact of a recording led to a state. */
    async until(id: string, state: string) {
      const stop = AbortSignal.timeout(10_000);
      for await (const fact of subscribed(store, { afterPosition: 0, signal: stop })) {
        if (recordingOf(fact.stream) !== id || fact.to !== state) continue;
        if ((await world.last(id)).position === fact.position) return;
      }
      assert.fail(`never ${state}`);
    },
    async last(id: string, type?: string) {
      const facts = [];
      for await (const fact of store.read(recordingStream(id))) {
        if (type === undefined || fact.type === type) facts.push(fact);
      }
      return facts.at(-1)!;
    },
    async filesOf(owner: string): Promise<string[]> {
      const root = join(dataDir, 'spaces', owner);
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .toSorted();
    },
  };
  return world;

  function open(): OpenRecordingService {
    let alive = true;
    const never = () => new Promise<never>(() => {});
    const mortal: EventStore = {
      ...store,
      async append(stream, facts, version) {
        if (!alive) return await never();
        if (death?.type !== facts[0]!.type) return await store.append(stream, facts, version);
        alive = false;
        if (death.stored) await store.append(stream, facts, version);
        death.happened();
        return await never();
      },
    };
    const opened: OpenRecordingService = openRecordingService({
      ...recordingServiceParts(mortal, dataDir),
      activities: {
        ...simulatedActivities(seeded(1), 0),
        write: write({
          ...writingParts((owner) => openSpace(dataDir, owner)),
          promisedBases: (owner) => opened.promisedBases(owner, (async function* () {})()),
        }),
      },
    });
    return opened;
  }
}
