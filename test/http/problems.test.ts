import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { problemTypes } from '../../src/http/problems.ts';
import { StageError } from '../../src/shared/errors.ts';
import { type ProblemAnswer, startService } from '../support/http-client.ts';

test('the README has every problem with its status, and no other', async () => {
  const readme = await readFile(join(import.meta.dirname, '../../src/http/README.md'), 'utf8');
  const rows = [...readme.matchAll(/^\| (`[^|]*`) +\| (\d{3}) /gm)].flatMap(([, names, status]) =>
    [...names!.matchAll(/`([a-z-]+)`/g)].map(([, name]) => [name, Number(status)]),
  );
  const known = Object.entries(problemTypes).map(([name, { status }]) => [name, status]);
  assert.deepEqual(rows.map(String).toSorted(), known.map(String).toSorted());
});

test('a file that ffmpeg does not come to an end with is 503 with a code of its own, and may be sent again', async (t) => {
  let stalls = true;
  const acceptsAudio = async () => {
    if (!stalls) return { madeAt: null, seconds: null };
    throw new StageError('decoder-stalled', 'ffmpeg stopped answering.', { retriable: true });
  };
  const service = await startService(t, { overrides: { acceptsAudio } });
  const token = await service.setUp();
  const headers = { 'Idempotency-Key': 'k' };
  const {
    status,
    headers: said,
    body,
  } = await service.upload<ProblemAnswer>(token, {}, { headers });
  assert.deepEqual([status, body.type], [503, '/problems/decoder-stalled']);
  assert.match(body.detail, /ffmpeg stopped answering\. Try again/);
  assert.equal(said.get('retry-after'), '60');
  stalls = false;
  assert.equal((await service.upload(token, {}, { headers })).status, 202);
});
