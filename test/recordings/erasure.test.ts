import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ulid } from 'ulid';
import type { RecordingFact } from '../../events/facts/recording.ts';
import { recordingById } from '../../projections/recordings.ts';
import { transcriptOf } from '../../projections/texts.ts';
import { libraryOf } from '../../projections/library.ts';
import { NotAccepted } from '../../src/recordings/refusals.ts';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { within } from '../support/eventually.ts';
import { filesBelow } from '../support/files-below.ts';
import { times } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';
import { erasureSteps, marker, openErasureWorld, who } from './erasure-world.ts';

/** A word of a recording that stays: a search that finds nothing at all shows nothing. */
const other = 'Apfelstrudel';

test('after DELETE no value of the database, no file and no line of the log has a word of it', async (t) => {
  const home = await tempDir(t);
  let world = await openErasureWorld(t, home);
  const { recordingId } = await world.record(marker);
  const { recordingId: kept } = await world.record(other);
  await world.correct(recordingId, marker);
  const before = await world.found(marker);
  assert.ok(before.length > 3, 'the search finds what is there');
  assert.deepEqual(
    before.filter((place) => place.startsWith('database')),
    [],
    'facts and rows are sealed',
  );
  await world.recordingService.erase(recordingId, who('erase'));
  assert.deepEqual(await world.found(marker), []);
  assert.ok((await world.found(other)).length > 0);
  assert.equal((await recordingById(world.storage, recordingId))?.state, 'idle.erased');

  // Not after a restart, nor when all views are made anew from the log.
  await world.close();
  world = await openErasureWorld(t, home, { rebuild: true });
  assert.deepEqual(await world.found(marker), []);
  assert.ok((await recordingById(world.storage, kept))?.documents);
  assert.equal((await recordingById(world.storage, recordingId))?.title, null);
  await assert.rejects(world.recordingService.erase(recordingId, who('again')), NotAccepted);
});

for (const step of erasureSteps) {
  test(`an erasure that ends before the step "${step}" is finished at the next start`, async (t) => {
    const home = await tempDir(t);
    let world = await openErasureWorld(t, home, { dieBefore: step });
    const { recordingId } = await world.record(marker);
    await world.record(other);
    await assert.rejects(world.recordingService.erase(recordingId, who('erase')), /died/);
    await world.close();
    world = await openErasureWorld(t, home);
    assert.deepEqual(await world.found(marker), []);
    assert.ok((await world.found(other)).length > 0);
    // What is done is not noted any more.
    assert.deepEqual(await world.jobs.list(), []);
  });
}

test('an erasure is finished at the next start when the process ended as soon as its fact was stored', async (t) => {
  const home = await tempDir(t);
  let world = await openErasureWorld(t, home);
  const { recordingId } = await world.record(marker);
  await world.record(other);
  const append = world.store.append.bind(world.store);
  t.mock.method(world.store, 'append', async (...offered: Parameters<typeof append>) => {
    const stored = await append(...offered);
    if (stored.some(({ type }) => type === 'recording.erased')) throw new Error('died');
    return stored;
  });
  await assert.rejects(world.recordingService.erase(recordingId, who('erase')), /died/);
  await world.close();
  world = await openErasureWorld(t, home);
  assert.deepEqual(await world.found(marker), []);
  assert.ok((await world.found(other)).length > 0);
});

test('a recording is erased in any state: what is going on is cancelled first', async (t) => {
  const world = await openErasureWorld(t, await tempDir(t), { hold: 'transcribe' });
  const held = await world.begin(marker);
  await world.until(held.recordingId, 'transcribing');
  await world.recordingService.erase(held.recordingId, who('erase held'));
  assert.deepEqual(await world.found(marker), []);
  const folders = await readdir(join(world.dataDir, 'recordings'));
  assert.deepEqual(folders, []);
});

test('nothing is removed while what was cancelled may still write', async (t) => {
  const events = new EventEmitter();
  const released = once(events, 'release');
  const cancelled = once(events, 'cancelled');
  let holds = true;
  // It hears of its end late, and writes once more.
  const transcribe: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'held', concurrency: 1 });
    job.signal.addEventListener('abort', () => void events.emit('cancelled'));
    await released;
    const folder = join(world.dataDir, 'recordings', job.recordingId);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'late'), marker);
    job.signal.throwIfAborted();
  };
  const world = await openErasureWorld(t, await tempDir(t), {
    transcribe: (job, usual) => (holds ? transcribe(job) : usual(job)),
  });
  const held = await world.begin(marker);
  await world.until(held.recordingId, 'transcribing');
  holds = false;
  const erasing = world.recordingService.erase(held.recordingId, who('erase'));
  await cancelled;
  // Work enough for everything to be removed, if it did not wait.
  for (let n = 0; n < 3; n += 1) await world.record(other);
  events.emit('release');
  await erasing;
  assert.deepEqual(await world.found(marker), []);
});

test('an erasure waits for nothing that waits for its turn', async (t) => {
  // As audio that has just been compressed does, when it is to be put in place.
  const world = await openErasureWorld(t, await tempDir(t), { leaveAudio: (inTurn) => inTurn() });
  const { recordingId } = await world.begin(marker);
  await world.until(recordingId, 'idle.saved');
  await within('it is erased', world.recordingService.erase(recordingId, who('erase')), 10_000);
  assert.deepEqual(await world.found(marker), []);
});

test('a recording whose fact was never stored is left alone by what was noted for it', async (t) => {
  const home = await tempDir(t);
  let world = await openErasureWorld(t, home);
  const { recordingId } = await world.record(marker);
  await world.jobs.add(recordingId, 'erase');
  await world.jobs.add(recordingId, 'delete-documents');
  await world.close();
  world = await openErasureWorld(t, home);
  assert.ok((await recordingById(world.storage, recordingId))?.documents);
  assert.ok((await world.found(marker)).length > 0);
  // A process may be about to store the fact that erases, and to end then. A deletion and its fact are one turn.
  assert.deepEqual(await world.jobs.list(), [{ recordingId, job: 'erase' }]);
  await world.recordingService.erase(recordingId, who('erase'));
  await world.jobs.add(recordingId, 'erase');
  await world.close();
  world = await openErasureWorld(t, home);
  assert.deepEqual(await world.jobs.list(), []);
});

test('documents deleted by a fact are gone after a crash too; those of another recording stay', async (t) => {
  const home = await tempDir(t);
  let world = await openErasureWorld(t, home);
  const { recordingId } = await world.record(marker);
  await world.record(other);
  await world.jobs.add(recordingId, 'delete-documents');
  // One after the other: each is deleted that any of the facts names.
  for (const document of ['transcript', 'summary'] as const) {
    const fact: RecordingFact = { type: 'documents.deleted', data: { documents: [document] } };
    await world.recordingService.command(recordingId, fact, who(document));
  }
  await world.close();
  world = await openErasureWorld(t, home);
  assert.deepEqual(
    (await world.found(marker)).filter((place) => /spaces.*(?:transkript|zusammen)/.test(place)),
    [],
  );
  assert.ok((await world.found(other)).some((place) => place.includes('spaces')));
});

test('the copy of an upload that died before its fact was stored is gone after the next start; sent again and erased, nothing is left', async (t) => {
  const home = await tempDir(t);
  let world = await openErasureWorld(t, home, { dieBeforeImport: true });
  await assert.rejects(world.begin(marker, 'upload'), /died/);
  assert.ok((await world.found(marker)).some((place) => place.includes('/recordings/')));
  await world.close();
  world = await openErasureWorld(t, home);
  // What arrived stays until a fact speaks of it: its client was told that the service has it.
  assert.deepEqual(await world.found(marker), [join(world.dataDir, `upload-${marker}`)]);
  const { recordingId } = await world.begin(marker, 'upload');
  await world.until(recordingId, 'idle.saved');
  await world.recordingService.erase(recordingId, who('erase'));
  assert.deepEqual(await world.found(marker), []);
  assert.deepEqual(await world.jobs.list(), []);
});

test('audio that an earlier release put aside goes with the recording it was sent again for', async (t) => {
  const world = await openErasureWorld(t, await tempDir(t));
  const aside = (id: string) => join(world.dataDir, 'quarantine', `${id}-1796295312262`);
  for (const [id, word] of [
    ['01M7ZZZB8A0000000000000001', marker],
    ['01M7ZZZB8A0000000000000002', other],
  ] as const) {
    await mkdir(aside(id), { recursive: true });
    await writeFile(join(aside(id), 'audio.wav'), word);
  }
  const { recordingId } = await world.record(marker);
  await world.recordingService.erase(recordingId, who('erase'));
  assert.deepEqual(await world.found(marker), []);
  assert.equal((await world.found(other)).length, 1);
});

test('what came back from a backup is erased again, past one that cannot be', async (t) => {
  const home = await tempDir(t);
  let world = await openErasureWorld(t, home);
  const first = await world.record(marker);
  const second = await world.record(other);
  for (const { recordingId } of [first, second]) await world.keys.forget(recordingId);
  await world.close();
  world = await openErasureWorld(t, home, { unreadable: first.recordingId });
  assert.equal((await recordingById(world.storage, first.recordingId))?.state, 'idle.saved');
  assert.equal((await recordingById(world.storage, second.recordingId))?.state, 'idle.erased');
  await world.close();
  world = await openErasureWorld(t, home);
  assert.equal((await recordingById(world.storage, first.recordingId))?.state, 'idle.erased');
});

test('a start asks nothing of what the rows call erased, however much that is', async (t) => {
  const home = await tempDir(t);
  const askedAfter = async (count: number): Promise<number> => {
    const world = await openErasureWorld(t, home);
    for (let one = 0; one < count; one += 1) {
      const recordingId = ulid();
      await world.recordingService.startRecording({
        recordingId,
        owner: 'anna',
        ...who(recordingId),
        kind: 'solo',
        language: null,
        speakers: null,
        device: null,
        trigger: 'browser',
      });
      const discarded = { type: 'recording.discarded', data: {} } as const;
      await world.recordingService.command(recordingId, discarded, who(`discard ${recordingId}`));
      await world.keys.forget(recordingId);
    }
    await world.close();
    const next = await openErasureWorld(t, home);
    await next.close();
    return next.versionsAsked();
  };
  assert.equal(await askedAfter(20), 0);
  assert.equal(await askedAfter(times({ short: 60, long: 300 })), 0);
});

test('an erasure does not wait for a projection that has stopped, and no row of it can be read', async (t) => {
  const home = await tempDir(t);
  let world = await openErasureWorld(t, home, { stopAt: 'recording.erased' });
  const { recordingId } = await world.record(marker);
  await world.recordingService.erase(recordingId, who('erase'));
  assert.deepEqual(await world.found(marker), []);
  assert.equal((await recordingById(world.storage, recordingId))?.title, null);
  assert.equal((await transcriptOf(world.storage, recordingId))?.blocks.length, 0);
  await world.close();
  // The next release can do it.
  world = await openErasureWorld(t, home);
  assert.equal((await recordingById(world.storage, recordingId))?.state, 'idle.erased');
  assert.deepEqual((await libraryOf(world.storage, 'anna')).rows, []);
  const keys: string[] = [];
  for await (const [key] of world.storage.range('recordings', { gte: '', lt: '~' })) keys.push(key);
  assert.deepEqual(keys, [`d/${recordingId}`, 'p/anna', `r/${recordingId}`]);
});

test('documents that are written again while others are deleted are all there afterwards', async (t) => {
  const events = new EventEmitter();
  const released = once(events, 'release');
  const reached = once(events, 'deleting');
  const world = await openErasureWorld(t, await tempDir(t), {
    async beforeDeleting() {
      events.emit('deleting');
      await released;
    },
  });
  const { recordingId } = await world.record(marker);
  const deleted = world.recordingService.deleteDocuments(recordingId, ['summary'], who('one'));
  await reached;
  const renamed = { type: 'title.changed', data: {}, content: { title: 'Anew', previous: null } };
  await world.recordingService.command(recordingId, renamed as RecordingFact, who('title'));
  // Work enough for them to be written, if that did not wait. Documents are written one recording after the other.
  for (let n = 0; n < 3; n += 1) {
    const more = await world.begin(other);
    await world.until(more.recordingId, 'transcribing.writing');
  }
  events.emit('release');
  await deleted;
  await world.until(recordingId, 'idle.saved');
  const files = (await filesBelow(join(world.dataDir, 'spaces'))).map(({ name }) => name);
  assert.equal(files.filter((name) => /Zwetschgen.*zusammenfassung\.md$/u.test(name)).length, 1);
});

test('a deletion that a crash left undone takes nothing that is being written again', async (t) => {
  const home = await tempDir(t);
  let world = await openErasureWorld(t, home);
  const { recordingId } = await world.record(marker);
  await world.jobs.add(recordingId, 'delete-documents');
  const fact: RecordingFact = { type: 'documents.deleted', data: { documents: ['summary'] } };
  await world.recordingService.command(recordingId, fact, who('delete'));
  const again: RecordingFact = { type: 'reprocessing.requested', data: { from: 'language-model' } };
  await world.recordingService.command(recordingId, again, who('again'));
  await world.close();
  world = await openErasureWorld(t, home);
  assert.equal((await world.jobs.list()).length, 1);
  await world.recordingService.takeUp(listed(recordingId));
  await world.until(recordingId, 'idle.saved');
  await world.recordingService.finishRemovals([]);
  assert.deepEqual(await world.jobs.list(), []);
  const files = (await filesBelow(join(world.dataDir, 'spaces'))).map(({ name }) => name);
  assert.equal(files.filter((name) => name.endsWith('zusammenfassung.md')).length, 1);
});

async function* listed(...recordingIds: string[]): AsyncGenerator<string> {
  yield* recordingIds;
}
