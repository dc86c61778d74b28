import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WaitingFor } from '../../src/shared/retry.ts';
import { answerLimitMs } from '../../src/speech/remote/remote-engine.ts';
import { handClock } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { hear, plainWords, standIn } from '../support/remote-engine.ts';

test('the first answer may take half an hour, later ones ten times the slowest so far', async (t) => {
  const { clock, pass } = handClock({ atOnce: (ms) => ms === 1 });
  const it = await standIn(t, 'openai', { clock });
  it.server.faults.push({ do: 'hang' }, { do: 'wait' }, { do: 'hang' });
  const first = hear(it, [0, 20]);
  await it.server.asked(1);
  await pass(30 * 60_000);
  // Asked again: it takes 65 s for 20 s of audio.
  await it.server.asked(2);
  await pass(5000);
  await it.server.looked(1);
  await pass(60_000);
  it.server.release();
  await first;
  const second = hear(it, [0, 20]);
  await it.server.asked(3);
  await pass(650_000);
  assert.equal((await second).segments.length, (await first).segments.length);
});

test('after a first answer that took as long as a model takes to be loaded, an hour of audio is waited for a day: a longer timer ends at once', () => {
  const slowest = (20 * 60) / 10; // 20 minutes for 10 s of audio
  assert.equal(answerLimitMs(slowest, 3600), 24 * 3_600_000);
});

test('a fast server may take five minutes', async (t) => {
  const { clock, pass } = handClock({ atOnce: (ms) => ms === 1 });
  const it = await standIn(t, 'whisper.cpp', { clock });
  await hear(it, [0, 20]);
  it.server.faults.push({ do: 'hang' });
  const later = hear(it, [0, 20]);
  await it.server.asked(2);
  await pass(5 * 60_000);
  await later;
  assert.equal(it.server.received.length, 3);
});

test('a server that is gone while it works is shown, and asked again after three probes that found nobody', async (t) => {
  for (const kind of ['whisper.cpp', 'openai'] as const) {
    const { clock, pass } = handClock({ atOnce: (ms) => ms === 1 });
    const it = await standIn(t, kind, { clock });
    const { server } = it;
    server.faults.push({ do: 'hang' });
    const shown: (string | null)[] = [];
    const work = hear(it, [0, 20], {
      onWaiting: (waiting) => shown.push(waiting?.cause.code ?? null),
    });
    await server.asked(1);
    await pass(5000);
    await server.looked(1);
    await server.deaf();
    for (let probes = 0; probes < 3; probes += 1) await pass(60_000);
    await eventually('it is lost', () => shown.includes('speech-server-lost'));
    await server.up();
    assert.deepEqual(
      plainWords(await work),
      it.words.map(({ text }) => text),
    );
    assert.deepEqual(shown.slice(0, 3), [
      'speech-server-silent',
      'speech-server-silent',
      'speech-server-lost',
    ]);
    assert.equal(shown.at(-1), null);
  }
});

test('a server that hangs while it works, and takes connections, is asked again after the time of an answer', async (t) => {
  const { clock, pass } = handClock({ atOnce: (ms) => ms === 1 });
  const it = await standIn(t, 'openai', { clock });
  const { server } = it;
  await hear(it, [0, 20]);
  server.faults.push({ do: 'hang' });
  const shown: (string | null)[] = [];
  const work = hear(it, [0, 20], {
    onWaiting: (waiting) => shown.push(waiting?.cause.code ?? null),
  });
  await server.asked(2);
  server.mute = true;
  await pass(5 * 60_000);
  assert.deepEqual(
    plainWords(await work),
    it.words.map(({ text }) => text),
  );
  assert.deepEqual(shown, ['speech-server-stalled', null]);
});

test('a server that answers while audio is sent to it, and nothing while it works, is slow, not hung', async (t) => {
  const { clock, pass } = handClock();
  const it = await standIn(t, 'whisper.cpp', { clock });
  it.server.faults.push({ do: 'wait' });
  const shown: (string | null)[] = [];
  const work = hear(it, [0, 20], {
    onWaiting: (waiting) => shown.push(waiting?.cause.code ?? null),
  });
  await it.server.asked(1);
  await pass(5000);
  await it.server.looked(1);
  it.server.mute = true;
  for (const looks of [2, 3, 4, 5, 6, 7]) {
    await pass(60_000);
    await it.server.looked(looks);
    await pass(3000);
  }
  it.server.release();
  assert.deepEqual(
    plainWords(await work),
    it.words.map(({ text }) => text),
  );
  assert.deepEqual(shown, []);
});

test('a server with one thread is slow, not hung: it takes connections', async (t) => {
  const { clock, pass } = handClock();
  const it = await standIn(t, 'whisper.cpp', { clock });
  it.server.faults.push({ do: 'wait' });
  it.server.mute = true;
  const onWaiting = () => assert.fail('nothing is waited for');
  const work = hear(it, [0, 20], { onWaiting });
  await it.server.asked(1);
  await pass(5000);
  for (const looks of [1, 2, 3, 4, 5, 6]) {
    await it.server.looked(looks);
    await pass(3000);
    await pass(60_000);
  }
  it.server.release();
  assert.deepEqual(
    plainWords(await work),
    it.words.map(({ text }) => text),
  );
});

test('a server that is switched off while it works is noticed by three probes', async (t) => {
  const { clock, pass } = handClock();
  const it = await standIn(t, 'whisper.cpp', { clock });
  it.server.faults.push({ do: 'hang' });
  const waiting = new AbortController();
  const onWaiting = (shown: WaitingFor | null): void => {
    if (shown?.cause.code === 'speech-server-lost') waiting.abort();
  };
  const work = hear(it, [0, 20], { onWaiting, signal: waiting.signal });
  await it.server.asked(1);
  // Nobody listens any more, but the open connection says nothing: as after a power cut.
  await it.server.deaf();
  await pass(5000);
  for (let probes = 0; probes < 3; probes += 1) await pass(60_000);
  await assert.rejects(work, { name: 'AbortError' });
});

test('what is waited for is taken back when the server works again', async (t) => {
  const { clock, pass } = handClock({ atOnce: (ms) => ms === 1 });
  const it = await standIn(t, 'openai', { clock });
  it.server.faults.push({ do: 'answer', status: 503 }, { do: 'wait' });
  const shown: (WaitingFor | null)[] = [];
  const work = hear(it, [0, 20], { onWaiting: (waiting) => shown.push(waiting) });
  await it.server.asked(2);
  assert.equal(shown.length, 1);
  await pass(5000);
  await it.server.looked(1);
  await pass(60_000); // only the next one is waited for when the last one was answered
  assert.deepEqual(shown.slice(1), [null]);
  it.server.release();
  await work;
});
