import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { seed, seeded, times } from '../support/seeded.ts';
import { apiOf } from '../support/service-process.ts';
import { preloadable } from './power-loss.ts';
import { trial } from './trial.ts';

const jumps = times({ short: 2, long: 40 });

test(
  `${jumps} jumps of the clock while recordings are made (SEED=${seed})`,
  { timeout: 600_000 },
  async (t) => {
    const random = seeded(seed);
    const { start, upload, check, dataDir, token } = await trial(t);
    const folder = dirname(dataDir);
    const file = join(folder, 'clock');
    await writeFile(file, '0');
    const env = { LD_PRELOAD: await preloadable('clock.c', folder), CLOCK_FILE: file };
    let service = await start(env);
    for (let jump = 0; jump < jumps; jump += 1) {
      // Within a day to either side: a session that is over because it is late would be right.
      await writeFile(file, String(random.below(172_800) - 86_400));
      await upload(service, random.chance(0.3) ? 'meeting' : 'solo');
      if (random.chance(0.3)) {
        await service.end('SIGKILL');
        service = await start(env);
      }
    }
    await check(service);
    let seen = 0;
    const api = apiOf(service.url, token);
    for (let after: number | null = 0; after !== null;) {
      const page: { events: { position: number }[]; next_after: number | null } = await api.get(
        `/events?limit=200&after=${after}`,
      );
      for (const { position } of page.events) assert.equal(position, (seen += 1));
      after = page.next_after;
    }
    assert.equal(await service.end('SIGTERM'), 0);
  },
);

test('200 commands at once on one recording: one is taken, 199 are told why not', async (t) => {
  const { start, upload, check, token } = await trial(t);
  const before = await start();
  const { recording_id: id } = await upload(before, 'solo');
  await check(before);
  await before.end('SIGTERM');
  // A language model that is away is waited for: the run goes on for as long as commands come.
  const service = await start({
    MITSCHRIFT_LLM_BASE_URL: 'http://127.0.0.1:9',
    MITSCHRIFT_LLM_MODEL: 'away',
  });
  const api = apiOf(service.url, token);
  const answers = await Promise.all(
    Array.from({ length: 200 }, () =>
      api.post(`/recordings/${id}/reprocess`, { from: 'language-model' }).then(
        () => '202',
        (error: Error) => /: (\d{3}) /.exec(error.message)?.[1],
      ),
    ),
  );
  const told = new Set(answers);
  assert.deepEqual([...told].toSorted(), ['202', '409']);
  assert.equal(answers.filter((answer) => answer === '202').length, 1);
  const { events } = await api.get<{ events: { type: string; version: number }[] }>(
    `/recordings/${id}/events?limit=200`,
  );
  assert.equal(events.filter(({ type }) => type === 'reprocessing.requested').length, 1);
  for (const [index, { version }] of events.entries()) assert.equal(version, index + 1);
  assert.equal(await service.end('SIGTERM'), 0);
});

test('subscribers that never read are let go, and cost neither memory nor file handles', async (t) => {
  const { start, upload, uploadMany, check, token, held } = await trial(t);
  const service = await start();
  await upload(service, 'solo');
  await check(service);
  const sockets = Array.from({ length: 20 }, () => deafSubscriber(service.url, token));
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  await uploadMany(service, times({ short: 2, long: 40 }));
  await check(service, sockets.length);
  for (const socket of sockets) socket.destroy();
  await upload(service, 'solo');
  await check(service);
  t.diagnostic(JSON.stringify(held()));
  assert.equal(await service.end('SIGTERM'), 0);
});

/** Upgrades to a WebSocket and then never takes anything from the socket. */
function deafSubscriber(url: string, token: string) {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  socket.pause();
  const headers = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  const lines = [`GET /ws?token=${token} HTTP/1.1`, `Host: ${host}`, ...headers, key, '', ''];
  socket.write(lines.join('\r\n'));
  return socket;
}
