import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { adoptCapture } from '../../src/capture/capture-client.ts';
import type { CaptureNow } from '../../src/capture/capture-now.ts';
import { openCapturingService } from '../support/pulse-service.ts';
import { until } from '../support/pulse-until.ts';
import { privatePulse } from '../support/pulse.ts';
import { seeded, seeds } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';

const killsPerRun = 3;
/** `both` ends a run: what two deaths leave is taken as it is. */
const victims = ['service', 'capture', 'server', 'service', 'capture', 'server', 'both'] as const;

for (const seed of seeds({ short: 5, long: 50 })) {
  test(`whatever is killed when, what was told is kept, and nothing of ours is left over (SEED=${seed})`, async (t) => {
    const random = seeded(seed * 7919);
    const root = await tempDir(t);
    const pulse = await privatePulse(t);
    const setUp = await openCapturingService(root, { env: pulse.env });
    await setUp.captures.combine({ microphone: 'mic.monitor', monitor: 'speakers.monitor' });
    await setUp.close();

    let id = '';
    let told = 0;
    let now: CaptureNow | undefined;
    let service: ChildProcess | undefined;
    const pids = new Set<number>();
    const start = () => {
      now = undefined;
      const script = join(import.meta.dirname, '../support/pulse-service-process.ts');
      service = fork(script, [root, 'mitschrift-combined', id], {
        env: pulse.env,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      service.on('message', (message: { id: string; now: CaptureNow }) => {
        ({ id, now } = message);
        told = Math.max(told, now.ledger.samples);
      });
    };
    t.after(() => service?.kill('SIGKILL'));
    const folder = () => join(root, 'recordings', id);
    const captureIsLive = async () => {
      const live = await adoptCapture(folder());
      live?.release();
      if (live) pids.add(live.pid);
      return live;
    };

    start();
    let both = false;
    for (let kill = 0; kill < killsPerRun && !both; kill += 1) {
      await until('it captures', () => now?.state === 'capturing', 30_000);
      const moment = told + random.below(16_000);
      await until('the moment has come', () => told >= moment);
      const live = (await captureIsLive())!;
      const victim = random.pick(victims);
      t.diagnostic(`${victim} killed at ${moment}`);
      if (victim === 'service' || victim === 'both') {
        const gone = once(service!, 'exit');
        service!.kill('SIGKILL');
        await gone;
      }
      if (victim === 'capture' || victim === 'both') process.kill(live.pid, 'SIGKILL');
      if (victim === 'server') {
        await pulse.kill();
        await pulse.start();
      }
      both = victim === 'both';
      if (victim === 'service' && kill < killsPerRun - 1) start();
    }
    if (service!.exitCode === null && service!.signalCode === null) {
      const gone = once(service!, 'exit');
      service!.kill('SIGKILL');
      await gone;
    }

    const last = await openCapturingService(root, { env: pulse.env });
    t.after(() => last.close());
    await last.captures.takeStock(async () => 'recording');
    await last.takeUp(id);
    await until(
      'it is captured, or over',
      () => last.captures.now(id)?.state === 'capturing' || last.state(id).startsWith('transc'),
      30_000,
    );
    await captureIsLive();
    if (last.captures.heldBy('mitschrift-combined') !== null) await last.captures.stop(id);
    await until('it goes on to transcription', () => last.state(id) === 'transcribing.recognising');
    const file = await readFile(join(folder(), 'audio.wav'));
    assert.equal(file.readUInt32LE(40), file.length - 44);
    assert.ok((file.length - 44) / 2 >= told, `told ${told}, kept ${(file.length - 44) / 2}`);
    assert.deepEqual(await readdir(folder()), ['audio.wav']);
    assert.doesNotMatch(await pulse.pactl('list', 'short', 'modules'), /mitschrift/);
    for (const pid of pids) await until('its process is gone', () => gone(pid));
  });
}

/** Zombies count as gone: who reaps them is not ours. */
async function gone(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return stat === null || /\) Z /.test(stat);
}
