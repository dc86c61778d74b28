import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Ownership } from '../../events/ownership.ts';
import { browserClient } from '../support/browser-client.ts';
import { eventually } from '../support/eventually.ts';
import { type TestService, startService } from '../support/http-client.ts';
import { tempDir } from '../support/temp-dir.ts';

const rate = 16_000;
const graceMs = 1500;
type Status = {
  status: string;
  recording: { recording_id: string; warnings: { code: string; message: string }[] };
};
type Fact = { type: string; by: string; data: Record<string, unknown> };

test('what browsers left at a node is gone on with at another, and finished when they stay away', async (t) => {
  const dataDir = await realpath(await tempDir(t));
  const start = (
    name: string,
    role: 'serve' | 'work',
    more: { trial?: { withOwnership: Cut } } = {},
  ) =>
    startService(t, {
      ...more,
      dataDir,
      node: { name, role },
      stages: { capture: undefined },
      browserLimits: { graceMs, restartGraceMs: 0, acknowledgeEveryMs: 20 },
    });
  const a = await start('a', 'serve');
  const ada = await a.setUp();
  const [b, worker] = [await start('b', 'serve'), await start('worker', 'work')];
  const factsOf = async (id: string) =>
    (await b.call<{ events: Fact[] }>('GET', `/recordings/${id}/events`, { token: ada })).body
      .events;
  const of = async (id: string, type: string) =>
    (await factsOf(id)).filter((fact) => fact.type === type);
  let at: TestService = a;
  const pcm = randomBytes(4 * rate);
  const browser = (more: Partial<Parameters<typeof browserClient>[0]> = {}) => {
    const how = { url: () => at.url, token: ada, pcm, rate, frameSamples: 800 };
    const client = browserClient({ ...how, ...more });
    // It would come back again and again.
    t.after(() => client.vanish());
    return client;
  };

  // Late audio of one that has ended.
  const early = browser();
  await early.sendTo(rate);
  const ended = (await early.stop()).recording_id!;
  await b.reaches(ended, 'idle.saved');
  const late = browser({ recordingId: ended });
  await late.sendTo(1.5 * rate);

  const [goesOn, staysAway] = [browser(), browser()];
  const recorder = browser({ sender: 'recorder' });
  for (const one of [goesOn, staysAway, recorder]) await one.sendTo(rate);
  const [kept, given, recorded] = [goesOn, staysAway, recorder].map((one) => one.recordingId()!);
  at = b;
  for (const one of [staysAway, recorder, late]) one.vanish();
  await a.close();

  await goesOn.sendTo(2 * rate);
  assert.equal((await goesOn.stop()).samples, 2 * rate);
  await b.reaches(kept!, 'idle.saved');
  assert.deepEqual(await audioOf(b, ada, kept!), pcm);
  assert.equal((await of(kept!, 'audio.captured')).length, 1);
  assert.equal((await of(kept!, 'transcription.completed')).length, 1);

  // No browser comes back to this one. The worker ends it, and none before that was kept from coming back.
  await b.reaches(given!, 'idle.saved');
  const [gone] = await of(given!, 'capture.interrupted');
  assert.deepEqual([gone!.data['reason'], gone!.data['duration']], ['browser-gone', 1]);
  await b.reaches(ended, 'idle.saved');
  // The log has it before the rows, by which a node finds the audio.
  const more = pcm.subarray(0, 3 * rate);
  await eventually('what came late is added', async () =>
    (await audioOf(b, ada, ended)).equals(more),
  );
  const [added] = await of(ended, 'audio.extended');
  assert.equal(added!.data['duration'], 1.5);
  await b.reaches(ended, 'idle.saved');
  await eventually('nothing is left beside it', async () => {
    const names = await readdir(join(dataDir, 'recordings', ended));
    return names.filter((name) => /^late|^audio|part/.test(name)).length === 1;
  });

  // `mitschrift record` ends it itself, however long it was away.
  const warnings = async (node: TestService) => {
    const { body } = await node.call<Status>('GET', '/status', { token: ada });
    assert.equal(body.status, 'RECORDING');
    assert.equal(body.recording.recording_id, recorded);
    return body.recording.warnings;
  };
  await eventually('it is seen that no node has it', async () => {
    const [warning, ...more] = await warnings(b);
    if (!warning) return false;
    assert.deepEqual([warning.code, more], ['browser-away', []]);
    assert.match(warning.message, /^The recorder has been offline since \d\d:\d\d/);
    return true;
  });
  const back = browser({ recordingId: recorded! });
  await back.sendTo(2 * rate);
  await eventually('it is seen that it is back', async () => (await warnings(b)).length === 0);
  assert.equal((await back.stop()).samples, 2 * rate);
  await b.reaches(recorded!, 'idle.saved');
  assert.deepEqual(await audioOf(b, ada, recorded!), pcm);
  assert.deepEqual(
    worker.logged.filter((line) => /"level":50/.test(line)),
    [],
  );

  // Deleting its user at one node ends what another takes in.
  const lost = new AbortController();
  const c = await start('c', 'serve', { trial: { withOwnership: losing(lost.signal) } });
  const ben = await b.addUser('ben');
  at = c;
  const bens = browser({ token: ben });
  await bens.sendTo(rate);
  const last = bens.recordingId()!;
  const deleted = await b.call('DELETE', '/users/ben', { token: ada });
  assert.equal(deleted.status, 204);
  const { events } = (
    await b.call<{ events: (Fact & { stream: string })[] }>('GET', '/events?limit=200', {
      token: ada,
    })
  ).body;
  const captured = events.find(
    ({ stream, type }) => stream.endsWith(last) && type === 'audio.captured',
  );
  assert.notEqual(captured?.by ?? 'system', 'system', 'it says who ended it');
  bens.vanish();

  // A node that lives and may not act any more lets go of the browser, which goes on at another.
  const cutOff = browser();
  await cutOff.sendTo(rate);
  at = b;
  lost.abort();
  await cutOff.sendTo(2 * rate);
  assert.equal((await cutOff.stop()).samples, 2 * rate);
  await b.reaches(cutOff.recordingId()!, 'idle.saved');
  assert.deepEqual(await audioOf(b, ada, cutOff.recordingId()!), pcm);
});

type Cut = (own: Ownership) => Ownership;

/** All that is held by then is lost. */
const losing =
  (signal: AbortSignal): Cut =>
  (own) => ({
    ...own,
    async claim(...asked) {
      const held = await own.claim(...asked);
      return held && { ...held, lost: AbortSignal.any([held.lost, signal]) };
    },
  });

async function audioOf(node: TestService, token: string, id: string): Promise<Buffer> {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(`${node.url}/recordings/${id}/audio`, { headers });
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer()).subarray(44);
}
