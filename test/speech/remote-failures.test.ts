import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StageError } from '../../src/shared/errors.ts';
import type { WaitingFor } from '../../src/shared/retry.ts';
import { inEnglish } from '../../src/words/say.ts';
import { handClock } from '../support/clocks.ts';
import { hear, plainWords, standIn } from '../support/remote-engine.ts';
import type { Fault } from '../support/speech-servers.ts';

/** Pauses between tries pass by themselves; time limits and probes do not. */
const pausing = (): ReturnType<typeof handClock> =>
  handClock({ atOnce: (ms) => ms <= 30_000 && ms !== 5000 && ms !== 3000 });

const refusals: [string, Fault & { do: 'answer' }, RegExp][] = [
  [
    '400',
    { do: 'answer', status: 400, body: 'Invalid request' },
    /rejected the request.*Invalid request/,
  ],
  [
    '401',
    { do: 'answer', status: 401, body: '{"error":{"message":"Incorrect API key"}}' },
    /stt\.api_key.*Incorrect/,
  ],
  [
    '403 of FastAPI',
    { do: 'answer', status: 403, type: 'application/json', body: '{"detail":"Not authenticated"}' },
    /Not authenticated/,
  ],
  [
    '404 of FastAPI',
    {
      do: 'answer',
      status: 404,
      type: 'application/json',
      body: '{"detail":"Model is not installed locally"}',
    },
    /not installed locally/,
  ],
  [
    'a redirect',
    { do: 'answer', status: 302, headers: { location: 'https://new.example/x?key=1' } },
    /redirects .* to https:\/\/new\.example\/x\./,
  ],
  [
    'a login page',
    { do: 'answer', status: 200, type: 'text/html', body: '<!doctype html><p>Sign in' },
    /web page/,
  ],
  [
    'no credit',
    { do: 'answer', status: 429, body: '{"error":{"code":"insufficient_quota"}}' },
    /no credit/,
  ],
  [
    'a 500 that stays one',
    {
      do: 'answer',
      status: 500,
      type: 'application/json',
      body: '{"error":"FFmpeg conversion failed."}',
    },
    /FFmpeg/,
  ],
  [
    '10 MB of error page',
    { do: 'answer', status: 418, type: 'text/html', body: `<html>${'x'.repeat(10e6)}` },
    /http:\S+: HTTP 418$/,
  ],
];
for (const kind of ['whisper.cpp', 'openai'] as const)
  for (const [name, fault, message] of refusals)
    test(`${kind}: ${name} is not tried again, and the sentence says what it is`, async (t) => {
      const it = await standIn(t, kind);
      it.server.faults.push(fault);
      await assert.rejects(hear(it), (error: unknown) => {
        assert.ok(error instanceof StageError);
        assert.deepEqual([error.code, error.retriable], ['engine-refused', false]);
        assert.match(error.message, message);
        assert.ok(error.message.length < 600);
        return true;
      });
      assert.equal(it.server.received.length, 1);
    });

const passing: [string, Fault][] = [
  ['dies in the middle of its answer', { do: 'die', after: '{"text":"w0' }],
  ['answers half', { do: 'half' }],
  [
    'fails inside',
    {
      do: 'answer',
      status: 500,
      type: 'application/json',
      body: '{"error":"failed to process audio"}',
    },
  ],
  [
    'fails inside a 200',
    {
      do: 'answer',
      status: 200,
      type: 'application/json',
      body: '{"error":{"message":"backend"}}',
    },
  ],
];
for (const kind of ['whisper.cpp', 'openai'] as const)
  for (const [name, fault] of passing) {
    test(`${kind}: a server that ${name} once is asked again`, async (t) => {
      const it = await standIn(t, kind);
      it.server.faults.push(fault);
      assert.deepEqual(
        plainWords(await hear(it)),
        it.words.map(({ text }) => text),
      );
      assert.equal(it.server.received.length, 2);
    });

    test(`${kind}: a server that ${name} each time is an error that can be retried`, async (t) => {
      const { clock, passed } = pausing();
      const it = await standIn(t, kind, { clock, pauses: { first: 1000, max: 30_000 } });
      // More than are asked for.
      it.server.faults.push(...Array<Fault>(40).fill(fault));
      const failure = await hear(it).catch((error: unknown) => error);
      assert.ok(failure instanceof StageError && failure.retriable);
      // What cannot be read is asked for three times, what fails for ten minutes.
      if (failure.code === 'engine-answer') return assert.deepEqual(passed, [1000, 2000]);
      assert.deepEqual(passed.slice(0, 7), [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
      const waited = passed.reduce((sum, ms) => sum + ms, 0);
      assert.equal(waited, 10 * 60_000);
    });
  }

test('Retry-After is waited for, and waiting shows', async (t) => {
  for (const kind of ['whisper.cpp', 'openai'] as const) {
    const it = await standIn(t, kind);
    const headers = { 'retry-after': '0.05' };
    it.server.faults.push({ do: 'answer', status: 429, headers }, { do: 'answer', status: 503 });
    const shown: (WaitingFor | null)[] = [];
    const before = performance.now();
    await hear(it, [0, 20], { onWaiting: (waiting) => shown.push(waiting) });
    assert.ok(performance.now() - before >= 50);
    assert.match(inEnglish(shown[0]!.cause), /is busy/);
    assert.ok(Math.abs(Date.parse(shown[0]!.since) - Date.now()) < 60_000);
    assert.match(inEnglish(shown[1]!.cause), /isn’t ready yet\..*: HTTP 503/);
    assert.equal(shown[1]!.since, shown[0]!.since);
    assert.deepEqual(shown.slice(2), [null]);
  }
});

test('a server that is away is waited for, and the work goes on by itself when it returns', async (t) => {
  for (const kind of ['whisper.cpp', 'openai'] as const) {
    const it = await standIn(t, kind);
    await it.server.down();
    const shown: (WaitingFor | null)[] = [];
    const heard = await hear(it, [0, 20], {
      onWaiting(waiting) {
        shown.push(waiting);
        if (waiting) void it.server.up();
      },
    });
    assert.deepEqual(
      plainWords(heard),
      it.words.map(({ text }) => text),
    );
    assert.match(inEnglish(shown[0]!.cause), /can’t be reached\..* \(ECONNREFUSED\)/);
    assert.deepEqual(shown.slice(1), [null]);
  }
});

for (const [how, code] of [
  ['refuses', 'ECONNREFUSED'],
  ['closes', '(UND_ERR_SOCKET|ECONNRESET|EPIPE)'],
] as const)
  test(`an address that ${how} connections for half an hour is an error that can be retried`, async (t) => {
    const { clock, passed } = pausing();
    const it = await standIn(t, 'whisper.cpp', { clock, pauses: { first: 1000, max: 30_000 } });
    if (how === 'refuses') await it.server.down();
    else it.server.closing = true;
    const shown: (WaitingFor | null)[] = [];
    const work = hear(it, [0, 20], { onWaiting: (waiting) => shown.push(waiting) });
    await assert.rejects(work, { code: 'engine-away', retriable: true, message: /30 minutes/ });
    assert.equal(
      passed.reduce((sum, ms) => sum + ms, 0),
      30 * 60_000,
    );
    assert.match(inEnglish(shown[0]!.cause), new RegExp(code));
    assert.equal(shown.at(-1), null);
  });

for (const kind of ['whisper.cpp', 'openai'] as const)
  test(`${kind}: a server behind something that accepts and closes is waited for, and shown`, async (t) => {
    const it = await standIn(t, kind);
    it.server.closing = true;
    const shown: (WaitingFor | null)[] = [];
    const onWaiting = (waiting: WaitingFor | null): void => {
      shown.push(waiting);
      if (shown.length === 5) it.server.closing = false;
    };
    assert.deepEqual(
      plainWords(await hear(it, [0, 20], { onWaiting })),
      it.words.map(({ text }) => text),
    );
    assert.match(inEnglish(shown[0]!.cause), /closes connections without an answer/);
    assert.equal(shown.at(-1), null);
  });

test('cancelling ends a request at once, and a wait as well', async (t) => {
  for (const kind of ['whisper.cpp', 'openai'] as const) {
    const it = await standIn(t, kind);
    it.server.faults.push({ do: 'hang' });
    const control = new AbortController();
    const work = hear(it, [0, 20], { signal: control.signal });
    await it.server.asked(1);
    control.abort();
    await assert.rejects(work, { name: 'AbortError' });
    assert.equal(it.server.received.length, 1);

    await it.server.down();
    const waiting = new AbortController();
    const options = { signal: waiting.signal, onWaiting: () => waiting.abort() };
    await assert.rejects(hear(it, [0, 20], options), { name: 'AbortError' });
  }
});
