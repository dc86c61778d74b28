import assert from 'node:assert/strict';
import { cp, mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { askService } from '../../src/service/control/socket.ts';
import { dataFolder } from '../../src/shared/data-directory.ts';
import { withLogAlone } from '../../src/integrity/open-mark.ts';
import { verifyData } from '../../src/integrity/verify.ts';
import { modelsDir } from '../support/models.ts';
import { align, wavSamples } from '../support/pulse-alignment.ts';
import { openCapturingService } from '../support/pulse-service.ts';
import { sentences, speech } from '../support/pulse-speech.ts';
import { eventually } from '../support/eventually.ts';
import { privatePulse } from '../support/pulse.ts';
import { plainFact } from '../support/sample-facts.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { headerLast } from '../support/header-last.ts';
import { tempDir } from '../support/temp-dir.ts';
import { smallDisk } from './small-disk.ts';

/** Of 16-bit mono at 16 kHz: what was taken later than this before the disk was full may be missing. */
const lossBytesMax = 16_000 * 2;

test('a disk that is full while a device is recorded: what was said is kept, and goes on when there is room', async (t) => {
  const disk = await smallDisk(t);
  const data = dataFolder(join(disk.folder, 'data'));
  const pulse = await privatePulse(t);
  const said = await speech(await tempDir(t), 'mic', sentences.mic);
  const model = join(data.models[0], 'espeak-en');
  await mkdir(data.models[0], { recursive: true });
  await cp(join(modelsDir, 'espeak-en'), model, { recursive: true });
  // Recordings leave room, and end long before; here the disk itself has to end one.
  const service = await openCapturingService(data.root, { env: pulse.env, freeBytesMin: 0 });
  t.after(() => service.close());
  const id = await service.start('Desk Mic');
  await eventually('it captures', () => service.captures.now(id)?.state === 'capturing');
  await pulse.play(said.path, 'mic');
  const path = join(service.folder(id), 'audio.wav');
  const { size: before } = await stat(path);

  // The log is on it too: neither audio nor facts can be written from here on, but what a page has room for.
  await disk.fill(0);
  const many = Array.from({ length: 500 }, (_, n) => plainFact(`${n}`));
  await assert.rejects(service.store.append('filler', many, 0), { code: 'OUTCOME_UNKNOWN' });
  assert.equal(service.store.health().state, 'recovering', 'it says that it cannot write');
  await eventually('the capture has ended', () => service.captures.now(id)?.state !== 'capturing');
  const during = await stat(path);
  assert.ok(during.size >= before - lossBytesMax, `${before} → ${during.size} bytes`);

  await disk.free();
  const interrupted = await service.last(id, 'capture.interrupted');
  assert.equal(interrupted.data.reason, 'disk-failed');
  assert.equal(service.store.health().state, 'ok');
  const bytes = await readFile(path);
  const { sha256, bytes: length, ledger } = interrupted.data;
  assert.deepEqual([headerLast(bytes), bytes.length], [sha256, length]);
  const recorded = await wavSamples(path);
  assert.equal(recorded.length, ledger?.samples);
  const { offset, windows } = align(said.samples, recorded);
  assert.ok(offset >= 0 && recorded.length >= offset + said.samples.length - 0.3 * 16_000);
  assert.ok(windows.every(({ correlation }) => correlation > 0.97));
  assert.equal(service.state(id), 'transcribing.recognising');
  await service.close();

  // The stages after it end in the whole service.
  const whole = await startServiceProcess(data.root, {
    MITSCHRIFT_UI_LANGUAGE: 'en',
    MITSCHRIFT_LOG_LEVEL: 'warn',
  });
  t.after(() => whole.end('SIGKILL'));
  const statusNow = () => askService<{ status: string }>(data.triggerSocket, 'status');
  await eventually('it has settled', async () => (await statusNow())?.status === 'IDLE', 60_000);
  assert.equal(await whole.end('SIGTERM'), 0);
  await withLogAlone(data, async (opened) => {
    const types = [];
    for await (const { type } of opened.store.read(`recording-${id}`)) types.push(type);
    assert.equal(types.at(-1), 'documents.saved');
    assert.equal((await verifyData({ ...opened, data })).sound, true);
  });
});
