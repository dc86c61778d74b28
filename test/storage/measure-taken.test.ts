import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type DataFolder, dataFolder } from '../../src/shared/data-directory.ts';
import { measureTaken } from '../../src/storage/measure-taken.ts';
import { blobsOfOneProcess } from '../../src/storage/blobs/file-blobs.ts';
import { folderUploads } from '../../src/storage/uploads/folder-uploads.ts';
import { tempDir } from '../support/temp-dir.ts';

test('documents, recordings and announced uploads count; links, logs and what is aside do not', async (t) => {
  const data = dataFolder(await tempDir(t));
  assert.deepEqual(
    await measureTaken(placeOf(data)),
    { bytes: 0, unread: 0 },
    'nothing is there yet',
  );

  const file = async (path: string, bytes: number) => {
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, Buffer.alloc(bytes));
  };
  await file(join(data.spaces, 'ada', 'index', 'talk.md'), 100);
  await file(join(data.recordings, 'r1', 'audio.wav'), 1000);
  await file(join(data.log, '000001.ldb'), 50_000);
  await file(join(data.quarantine, 'spaces', 'ben-1', 'talk.md'), 50_000);
  await file(join(data.models[0], 'model.onnx'), 50_000);
  await symlink(data.log, join(data.spaces, 'ada', 'log'));
  await symlink(join(data.models[0], 'model.onnx'), join(data.recordings, 'r1', 'model.onnx'));
  // Announced, not told yet, and complete: of that only the reminder is there.
  await file(join(data.resumable, 'a'.repeat(32)), 10);
  await writeFile(join(data.resumable, `${'a'.repeat(32)}.json`), JSON.stringify({ size: 10_000 }));
  await file(join(data.resumable, 'b'.repeat(32)), 20);
  await writeFile(join(data.resumable, `${'b'.repeat(32)}.json`), JSON.stringify({}));
  await writeFile(join(data.resumable, `${'c'.repeat(32)}.json`), JSON.stringify({ size: 70_000 }));

  assert.deepEqual(await measureTaken(placeOf(data)), {
    bytes: 100 + 1000 + 10_000 + 20,
    unread: 0,
  });
});

test('a count ends when it is told to', async (t) => {
  const data = dataFolder(await tempDir(t));
  await mkdir(data.spaces, { recursive: true });
  await writeFile(join(data.spaces, 'talk.md'), 'x');
  await assert.rejects(measureTaken(placeOf(data), AbortSignal.abort()), { name: 'AbortError' });
});

const placeOf = (data: DataFolder) => ({
  blobs: blobsOfOneProcess(data.root),
  unfinished: folderUploads(data.resumable),
});
