import assert from 'node:assert/strict';
import { cp, mkdir, readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { adoptCapture } from '../../src/capture/process/client.ts';
import { speak } from '../support/espeak.ts';
import { modelsDir } from '../support/models.ts';
import { eventually } from '../support/eventually.ts';
import { settled } from '../support/first-document.ts';
import { privatePulse } from '../support/pulse.ts';
import { seeded, seeds } from '../support/seeded.ts';
import { apiOf, setUp, startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

const killsPerRun = 3;
/** `both` ends a run: what two deaths leave is taken as it is. */
const victims = ['service', 'capture', 'server', 'service', 'capture', 'server', 'both'] as const;
type Victim = (typeof victims)[number];

/** Microphone and loudspeakers, 16 bits each. */
const frameBytes = 4;
const said = 'good morning everyone and welcome to the weekly planning meeting';
/** A block that is not complete, the block that is being written, and a busy machine. */
const lostMsMax = 300;
/** Of the recording's length by the clock, for each time that it was opened. */
const toleranceSeconds = 0.5;

type Status = { status: string; recording: { recording_id: string; duration: number } | null };
for (const seed of seeds({ short: 1, long: 50 })) {
  test(`whatever is killed when, what was heard is kept and ends in documents, and nothing of ours is left over (SEED=${seed})`, async (t) => {
    const random = seeded(seed * 7919);
    const pulse = await privatePulse(t);
    const root = await tempDir(t);
    await mkdir(join(root, 'models'));
    await cp(join(modelsDir, 'espeak-en'), join(root, 'models/espeak-en'), { recursive: true });
    const env = { ...(pulse.env as Record<string, string>), MITSCHRIFT_UI_LANGUAGE: 'en' };
    let service = await startServiceProcess(root, env);
    t.after(() => service.end('SIGKILL'));
    const token = await setUp(service.url);
    const api = () => apiOf(service.url, token);
    await api().post('/audio/combined', {
      microphone: 'mic.monitor',
      monitor: 'speakers.monitor',
    });
    const { recording_id: id } = await api().post<{ recording_id: string }>('/toggle', {});
    const folder = join(root, 'recordings', id);
    const samples = async () => {
      const file = await stat(join(folder, 'audio.wav')).catch(() => null);
      return file === null ? 0 : Math.max(0, file.size - 44) / frameBytes;
    };
    const growsBy = async (more: number) => {
      const wanted = (await samples()) + more;
      await eventually('it records', async () => (await samples()) >= wanted, 30_000);
    };
    /** Waits so long while it watches the file; how long ago the file grew when that time is over. */
    const watchFile = async (ms: number) => {
      const end = performance.now() + ms;
      let [size, grewAt] = [await samples(), performance.now()];
      for (;;) {
        const now = await samples();
        if (now !== size) [size, grewAt] = [now, performance.now()];
        if (performance.now() >= end) return { size, sinceMs: performance.now() - grewAt };
        await sleep(2);
      }
    };

    const sentence = join(root, 'said.wav');
    await speak(said, sentence);
    await growsBy(1);
    const startedAt = performance.now();
    await pulse.play(sentence, 'mic');
    const figures: string[] = [];
    let opened = 1;
    let victim: Victim = 'service';
    for (let kill = 0; kill < killsPerRun && victim !== 'both'; kill += 1) {
      await growsBy(1600);
      victim = random.pick(victims);
      const live = (await adoptCapture(folder))!;
      live.release();
      // Long enough to have seen it grow.
      const { size, sinceMs } = await watchFile(200 + random.below(1000));
      if (victim === 'service' || victim === 'both') await service.end('SIGKILL');
      if (victim === 'capture' || victim === 'both') process.kill(live.pid, 'SIGKILL');
      if (victim === 'server') {
        await pulse.kill();
        await pulse.start();
      }
      if (victim === 'both') await eventually('its process is gone', () => gone(live.pid));
      if (victim === 'service' || victim === 'both') service = await startServiceProcess(root, env);
      if (victim === 'capture' || victim === 'server') opened += 1;
      if (victim !== 'both') {
        await growsBy(8000);
        const hears = async () => (await api().get<Status>('/status')).recording?.duration;
        await eventually(
          'the service follows it',
          async () => ((await hears()) ?? 0) > size / 16_000,
        );
      }
      const lost = victim === 'capture' || victim === 'both' ? sinceMs : 0;
      assert.ok(lost <= lostMsMax, `${lost} ms lost with the ${victim}`);
      figures.push(`${victim} killed at ${size}: ${Math.round(lost)} ms lost`);
      assert.ok((await samples()) >= size, 'what was written stays');
    }
    const askedAt = performance.now();
    if (victim !== 'both') await api().post('/toggle', {});
    const [least, most] = [askedAt, performance.now()].map((at) => (at - startedAt) / 1000);

    const detail = await settled(service.url, token, id);
    const heard = detail.utterances.map(({ text }) => text).join(' ');
    assert.match(heard, /good morning .*meeting/);
    const { gaps } = detail.ledger;
    t.diagnostic(`${figures.join('; ')}; gaps ${JSON.stringify(gaps)}`);
    // What was not heard is marked; no death of the service makes a gap.
    assert.ok(gaps.length >= opened - 1, JSON.stringify(gaps));
    if (opened === 1) assert.deepEqual(gaps, []);
    const tolerance = toleranceSeconds * opened;
    if (victim !== 'both')
      assert.ok(
        detail.duration >= least! - tolerance && detail.duration <= most! + tolerance,
        `${detail.duration} s recorded in ${least} to ${most} s`,
      );
    const file = await readFile(join(folder, 'audio.wav'));
    assert.equal(file.readUInt32LE(40), file.length - 44);
    assert.equal(detail.ledger.samples, (file.length - 44) / frameBytes);
    assert.deepEqual(await readdir(folder), ['audio.wav']);
    assert.doesNotMatch(await pulse.pactl('list', 'short', 'modules'), /mitschrift/);
    assert.equal(await service.end('SIGTERM'), 0);
    await eventually('no process is left', async () => (await processesOf(root)).length === 0);
  });
}

/** Processes with this data directory in their environment: all that a service ever started. */
async function processesOf(dataDir: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    // One that has ended meanwhile is none.
    const environ = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    if (environ.split('\0').includes(`MITSCHRIFT_DATA=${dataDir}`)) found.push(pid);
  }
  return found;
}

/** Zombies count as gone: who reaps them is not ours. */
async function gone(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return status === null || /\) Z /.test(status);
}
