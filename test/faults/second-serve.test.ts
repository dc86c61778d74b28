import assert from 'node:assert/strict';
import { appendFile, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { dataFolder } from '../../src/shared/data-directory.ts';
import { wav } from '../support/http-client.ts';
import { mitschrift } from '../support/recorded-data.ts';
import { apiOf, setUp, startServiceProcess, uploadForm } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Starts of a second service, one after the other. */
const starts = 2;
/** Clients that upload meanwhile, each one file after the other, and how many files at most. */
const uploaders = 2;
const uploadsMax = 60;

test('a second service on a data directory in use ends, and touches nothing of the one that runs', async (t) => {
  // Another port than the first one's: it is the data directory that keeps it out.
  process.env['MITSCHRIFT_PORT'] = '0';
  const data = dataFolder(await tempDir(t));
  const service = await startServiceProcess(data.root, { MITSCHRIFT_LOG_LEVEL: 'warn' });
  t.after(() => service.end('SIGKILL'));
  const token = await setUp(service.url, { username: 'ada' });
  const api = apiOf(service.url, token);
  const upload = () =>
    api.post<{ recording_id: string }>(
      '/recordings',
      uploadForm(new Uint8Array(wav()), { kind: 'solo' }),
    );
  const { recording_id: erased } = await upload();
  const gone = await fetch(`${service.url}/recordings/${erased}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(gone.status, 204);

  // What the running one may just be writing: a key, a line of the list of erasures, an upload.
  const list = join(data.keys, 'erased.jsonl');
  const underWay = [join(data.keys, 'half.tmp'), join(data.uploads, 'half')];
  for (const path of underWay) await writeFile(path, 'half');
  const whole = await readFile(list, 'utf8');
  await appendFile(list, '{"subj');
  const mark = join(data.root, 'log.open');
  const [listBefore, markBefore] = await Promise.all([readFile(list), readFile(mark)]);
  const { mtimeMs } = await stat(mark);

  let ended = false;
  let uploaded = 0;
  const uploading = Array.from({ length: uploaders }, async () => {
    while (!ended && uploaded < uploadsMax) {
      uploaded += 1;
      await upload();
    }
  });
  try {
    for (let start = 0; start < starts; start += 1) {
      const { code, stderr } = await mitschrift(data.root, 'serve');
      assert.equal(code, 1);
      assert.match(stderr, /Another Mitschrift is using this data directory/);
      assert.doesNotMatch(stderr, /Mitschrift is running at/, 'it never listened');
    }
  } finally {
    ended = true;
  }
  await Promise.all(uploading);
  assert.ok(uploaded > 0);
  assert.deepEqual(await readFile(list), listBefore);
  assert.deepEqual(await readFile(mark), markBefore);
  assert.equal((await stat(mark)).mtimeMs, mtimeMs, 'not even written again');
  for (const path of underWay) assert.equal(await readFile(path, 'utf8'), 'half');
  await writeFile(list, whole);
  assert.equal((await readdir(data.recordings)).length, uploaded);
  assert.equal(await service.end('SIGTERM'), 0);
});
