import assert from 'node:assert/strict';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { exists } from '../../../src/shared/files.ts';
import { recordingStream } from '../../../events/facts/recording.ts';
import { openByOne } from '../../../src/storage/by-one.ts';
import { memoryKept } from '../../support/memory-kept.ts';
import { collect } from '../../../src/storage/blobs/collect.ts';
import { openBlobs } from '../../../src/storage/blobs/open-blobs.ts';
import { promisedNames } from '../../../src/storage/blobs/promised-names.ts';
import { memoryProjectionStorage } from '../../support/memory-projection-storage.ts';
import { memoryStore } from '../../support/memory-store.ts';
import { sampleFact } from '../../support/sample-facts.ts';
import { sharedOwnership } from '../../support/shared-ownership.ts';
import { tempDir } from '../../support/temp-dir.ts';

const dayMs = 24 * 3_600_000;

test('what no fact names goes after a week, by one node, and nothing else ever', async (t) => {
  const directory = await tempDir(t);
  const shared = sharedOwnership();
  const [ownership, other] = [shared.node(), shared.node()];
  const blobs = await openBlobs(pathToFileURL(directory).href, { logId: 'log', ownership });
  const store = memoryStore();
  const [known, unknown, held, failed] = ['R1', 'R2', 'R3', 'R5'];
  const kept = 'audio-0123456789abcdef.wav';
  const left = 'audio-fedcba9876543210.wav';
  const imported = sampleFact('audio.imported');
  assert.ok(imported.type === 'audio.imported');
  const named = { ...imported, data: { ...imported.data, path: kept } };
  await store.append(recordingStream(known), [named], 0);
  const started = sampleFact('recording.started');
  const ended = { ...sampleFact('stage.failed'), from: 'recording.capturing', to: 'error' };
  await store.append(recordingStream(failed), [started, ended], 0);
  const now = Date.now();
  const put = async (path: string, days: number): Promise<string> => {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, 'x');
    const at = new Date(now - days * dayMs);
    await utimes(file, at, at);
    return file;
  };
  const stay = [
    await put(`recordings/${known}/${kept}`, 100),
    await put(`recordings/${known}/capture.json`, 100),
    await put(`recordings/${unknown}/young.wav`, 6),
    await put(`recordings/${held}/audio.wav`, 8),
    // It can be tried again: what it recorded is nowhere else.
    await put(`recordings/${failed}/live/1-48000-0`, 8),
    // Nothing was put there lately: it is not even looked at.
    await put('recordings/R4/audio.wav', 100),
    await put('uploads/u1/file', 6),
    await put('keys/R9', 100),
    await put('spaces/u/a.md', 100),
    await put('.unfinished/a', 6),
  ];
  const go = [
    await put(`recordings/${known}/${left}`, 8),
    // Joined or cut for its tenth fact, by a node that died before it named it.
    await put(`recordings/${known}/audio-10-fedcba9876543210.wav`, 8),
    await put(`recordings/${unknown}/audio.wav`, 8),
    await put('uploads/u2/file', 8),
    await put('resumable/parts/u3/0-10', 8),
    await put(`recordings/${known}/live/1-48000-0`, 8),
    await put('.unfinished/b', 8),
  ];
  const names = promisedNames(blobs);
  assert.equal(await names.promise('u', 'talk', known), true);
  assert.equal(await names.promise('u', 'talk', unknown), false);
  assert.equal(await names.promise('u', 'talk', known), true);
  const { signal } = new AbortController();
  let time = now;
  const last = memoryKept(() => new Date(time));
  const puts = memoryPuts([known, unknown, held, failed]);
  const listed: string[] = [];
  const deps = {
    byOne: openByOne(last, ownership),
    blobs: {
      ...blobs,
      list(prefix: string) {
        listed.push(prefix);
        return blobs.list(prefix);
      },
    },
    puts,
    store,
    storage: memoryProjectionStorage(),
    ownership,
    now: () => now,
    signal,
  };

  // Another node is at it.
  const atIt = await other.claim('collect', signal);
  assert.equal(await collect(deps), null);
  await atIt?.release();
  // Another node works on that recording.
  await other.claim(`audio:${held}`, signal);
  assert.equal(await collect(deps), go.length);
  for (const file of go) assert.equal(await exists(file), false, file);
  for (const file of stay) assert.equal(await exists(file), true, file);
  assert.ok(!listed.includes('recordings/'), 'what it costs does not grow with what is kept');
  assert.deepEqual([...puts.noted], [held, failed], 'they are looked at again');
  // All nodes together look through everything once a day.
  assert.equal(await collect(deps), null);
  time += 24 * 3_600_000;
  assert.equal(await collect(deps), 0);
  await names.release('u', 'talk', unknown);
  assert.equal(await names.promise('u', 'talk', unknown), false);
  await names.release('u', 'talk', known);
  assert.equal(await names.promise('u', 'talk', unknown), true);
});

function memoryPuts(recordingIds: string[]) {
  const noted = new Set(recordingIds);
  return {
    noted,
    note: async (recordingId: string) => void noted.add(recordingId),
    async *older() {
      yield* noted;
    },
    forget: async (recordingId: string) => void noted.delete(recordingId),
  };
}
