import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import type { Projection } from '../../projections/runner/projection.ts';
import { startProjections } from '../../projections/runner/runner.ts';
import { memoryProjectionStorage } from '../support/memory-projection-storage.ts';
import {
  type ProblemAnswer,
  type TestService,
  rawRequest,
  startService,
  wav,
  withAda,
} from '../support/http-client.ts';
import { onPostgres } from '../support/test-store.ts';

type Recording = {
  recording_id: string;
  status: string;
  state: string;
  stage: string | null;
  fraction: number | null;
  started_at: string;
  utterances: { index: number; block: string | null; text: string; speaker: string | null }[];
  speakers: { label: string; name: string | null }[];
  error: { stage: string; message: string } | null;
  documents: Record<string, string> | null;
};
type List = { recordings: Recording[]; next_cursor: string | null };

test('a person sees and commands their own recordings only', async (t) => {
  const { service, token: ada } = await withAda(t);
  const ben = await service.addUser('ben');
  service.engines.hold('transcribe');
  const { recording_id: id } = (await service.upload(ben)).body;

  for (const token of [ada, ben]) {
    const expected = token === ben ? 200 : 404;
    for (const path of [`/recordings/${id}`, `/recordings/${id}/events`]) {
      assert.equal((await service.call('GET', path, { token })).status, expected, path);
    }
  }
  for (const verb of ['cancel', 'retry', 'discard', 'pause', 'resume', 'reprocess']) {
    const path = `/recordings/${id}/${verb}`;
    const { status, body } = await service.call<ProblemAnswer>('POST', path, { token: ada });
    assert.deepEqual([status, body.type], [404, '/problems/not-found'], verb);
  }
  assert.deepEqual(
    (await service.call<List>('GET', '/recordings', { token: ada })).body.recordings,
    [],
  );
  assert.equal((await service.call('GET', '/recordings/nonsense', { token: ada })).status, 404);
});

test('recordings of the guest are seen and acted upon by administrators', async (t) => {
  const { service, token: ada } = await withAda(t);
  const ben = await service.addUser('ben');
  service.engines.hold('transcribe');
  const id = await importAs(service, 'guest');
  const list = await service.call<List>('GET', '/recordings?owner=guest', { token: ada });
  assert.equal(list.body.recordings[0]?.recording_id, id);
  assert.equal((await service.call('GET', `/recordings/${id}`, { token: ada })).status, 200);
  assert.equal((await service.call('GET', `/recordings/${id}`, { token: ben })).status, 404);
  assert.equal((await service.call('GET', '/recordings?owner=guest', { token: ben })).status, 403);
  const cancelled = await service.call('POST', `/recordings/${id}/cancel`, { token: ada });
  assert.equal(cancelled.status, 200);
});

test('what the state does not allow is 409 and names what it does', async (t) => {
  const { service, token } = await withAda(t);
  service.engines.hold('transcribe');
  const { recording_id: id } = (await service.upload(token)).body;
  const before = await service.call('GET', `/recordings/${id}/events`, { token });
  const { status, body } = await service.call<ProblemAnswer>('POST', `/recordings/${id}/retry`, {
    token,
  });
  assert.equal(status, 409);
  assert.equal(body.type, '/problems/not-accepted');
  assert.deepEqual([body.status, body['recording_status']], [409, 'TRANSCRIBING']);
  assert.ok((body['possible'] as string[]).includes('processing.cancelled'));
  assert.ok(!(body['possible'] as string[]).includes('retry.requested'));
  const after = await service.call('GET', `/recordings/${id}/events`, { token });
  const types = (answer: typeof after) => (answer.body['events'] as { type: string }[]).length;
  assert.ok(types(after) >= types(before));
  assert.ok(!JSON.stringify(after.body).includes('retry.requested'));
});

test('cancel keeps the audio, reprocess makes the documents of it', async (t) => {
  const { service, token } = await withAda(t);
  service.engines.hold('transcribe');
  const { recording_id: id } = (await service.upload(token)).body;
  const cancelled = await service.call('POST', `/recordings/${id}/cancel`, { token });
  assert.deepEqual(cancelled.body, { recording_id: id, status: 'IDLE' });
  const kept = await service.call<Recording>('GET', `/recordings/${id}`, { token });
  assert.equal(kept.body.state, 'idle.kept');
  service.engines.release('transcribe');
  const json = { from: 'speech-to-text' };
  const again = await service.call('POST', `/recordings/${id}/reprocess`, { token, json });
  assert.deepEqual([again.status, again.body['status']], [202, 'TRANSCRIBING']);
  await service.reaches(id, 'idle.saved');
  const wrong = await service.call<ProblemAnswer>('POST', `/recordings/${id}/reprocess`, {
    token,
    json: { from: 'the-start' },
  });
  assert.equal(wrong.status, 422);
});

test('a failed stage shows why, can be tried again, or be cleared by the toggle', async (t) => {
  const { service, token } = await withAda(t, {
    env: { MITSCHRIFT_AUDIO_DEVICE: 'No such device' },
  });
  service.engines.fail('summarise');
  const { recording_id: id } = (await service.upload(token)).body;
  await service.reaches(id, 'error');
  const failed = await service.call<Recording>('GET', `/recordings/${id}`, { token });
  assert.equal(failed.body.status, 'ERROR');
  assert.equal(failed.body.error?.stage, 'summarise');
  assert.match(failed.body.error?.message, /reported an error\. .*out of order$/);
  const status = await service.call<{ status: string; errors: { recording_id: string }[] }>(
    'GET',
    '/status',
    { token },
  );
  assert.equal(status.body.status, 'ERROR');
  assert.deepEqual(
    status.body.errors.map(({ recording_id }) => recording_id),
    [id],
  );

  const toggled = await service.call('POST', '/toggle', { token, json: {} });
  assert.deepEqual(toggled.body, { status: 'IDLE', recording_id: id, action: 'reset' });
  assert.equal((await service.call('GET', '/status', { token })).body['status'], 'IDLE');
  const unable = await service.call<ProblemAnswer>('POST', '/toggle', { token });
  // Nodes of a cluster record no devices at all.
  const [code, type, why] = onPostgres
    ? ([503, '/problems/unavailable', /mitschrift record --server/] as const)
    : ([
        409,
        '/problems/device-unavailable',
        /^The input device “No such device” is not connected\./,
      ] as const);
  assert.deepEqual([unable.status, unable.body.type], [code, type]);
  assert.match(unable.body.detail, why);

  const other = (await service.upload(token)).body.recording_id;
  await service.reaches(other, 'error');
  service.engines.mend('summarise');
  const retried = await service.call('POST', `/recordings/${other}/retry`, { token });
  assert.deepEqual([retried.status, retried.body['status']], [202, 'TRANSCRIBING']);
  await service.reaches(other, 'idle.saved');
});

test('the list has pages, newest first, and can be narrowed to a status', async (t) => {
  const { service, token } = await withAda(t);
  service.engines.hold('transcribe');
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    ids.unshift((await service.upload(token)).body.recording_id);
  }
  await service.call('POST', `/recordings/${ids[2]}/cancel`, { token });
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await service.call<List>('GET', `/recordings?limit=2${query}`, { token });
    assert.ok(page.body.recordings.length <= 2);
    seen.push(...page.body.recordings.map(({ recording_id }) => recording_id));
    cursor = page.body.next_cursor;
  } while (cursor !== null);
  assert.deepEqual(seen, ids);
  const idle = await service.call<List>('GET', '/recordings?status=IDLE', { token });
  assert.deepEqual(
    idle.body.recordings.map(({ recording_id }) => recording_id),
    [ids[2]],
  );
  for (const query of ['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'status=BUSY', 'color=red']) {
    const answer = await service.call<ProblemAnswer>('GET', `/recordings?${query}`, { token });
    assert.deepEqual([answer.status, answer.body.type], [422, '/problems/invalid'], query);
  }
});

test('what runs tells its stage and how far it is', async (t) => {
  const { service, token } = await withAda(t);
  service.engines.hold('summarise');
  const { recording_id: id } = (await service.upload(token)).body;
  await service.reaches(id, 'transcribing.finishing(punctuate.done,summarise.running)');
  const { body } = await service.call<Recording>('GET', `/recordings/${id}`, { token });
  assert.deepEqual([body.stage, body.fraction], ['summarise', 0.5]);
  assert.deepEqual(
    body.utterances.map(({ text }) => text),
    ['Hello there.', 'This is the secret plan.'],
  );
  const status = await service.call<Status>('GET', '/status', { token });
  const [working] = status.body.processing;
  assert.deepEqual(
    [working?.recording_id, working?.stage, working?.fraction],
    [id, 'summarise', 0.5],
  );
  // What names it before it has a title, and how long is unknown: its first half took no time that was measured.
  assert.deepEqual(
    [working?.kind, working?.title, working?.source, working?.seconds_left],
    ['solo', null, 'talk.wav', null],
  );
  assert.equal(working?.started_at, body.started_at);

  await service.call('PATCH', `/recordings/${id}`, { token, json: { title: 'A plan' } });
  service.engines.fail('summarise');
  service.engines.release('summarise');
  await service.reaches(id, 'error');
  const failed = await service.call<Status>('GET', '/status', { token });
  assert.deepEqual(
    failed.body.errors.map((error) => [error.recording_id, error.title, error.stage]),
    [[id, 'A plan', 'summarise']],
  );
});

type Status = {
  processing: {
    recording_id: string;
    kind: string;
    title: string | null;
    source: string | null;
    started_at: string;
    stage: string;
    fraction: number;
    seconds_left: number | null;
  }[];
  errors: { recording_id: string; title: string | null; stage: string }[];
};

test('GET /recordings/{id}?at: state, words and documents as they were, what was possible and what waited', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const id = await service.settled(ben, { kind: 'meeting' });
  const speakers = { SPEAKER_1: 'Grace' };
  await service.named(ben, id, speakers);
  type Event = { position: number; type: string; to: string };
  const { events } = (
    await service.call<{ events: Event[] }>('GET', `/recordings/${id}/events`, { token: ben })
  ).body;
  const at = (position: number, who = ben) =>
    service.call<Then>('GET', `/recordings/${id}?at=${position}`, { token: who });
  for (const { position, to } of events) {
    const { body } = await at(position);
    assert.deepEqual([body.position, body.state], [position, to]);
    for (const { stage } of body.running) assert.ok(!body.waits.includes(stage));
  }
  const first = (type: string) => events.find((event) => event.type === type)!.position;
  const begun = (await at(first('audio.imported'))).body;
  assert.deepEqual([begun.waits, begun.running, begun.utterances], [['transcribe'], [], []]);
  assert.ok(begun.possible.includes('stage.started') && !begun.possible.includes('title.chosen'));
  const waiting = (await at(first('turns.joined'))).body;
  assert.deepEqual([waiting.waits, waiting.documents], [[], null]);
  assert.ok(waiting.possible.includes('speakers.named'));
  assert.equal(waiting.speakers[0]?.name, null);
  assert.ok(waiting.utterances.length > 0);
  // Now is the last position, and the same as without one.
  const { activities, ...now } = (
    await service.call<Then>('GET', `/recordings/${id}`, { token: ben })
  ).body;
  const last = (await at(1e12)).body;
  for (const key of Object.keys(now)) assert.deepEqual(last[key], now[key], key);
  assert.deepEqual(activities, []);
  // An administrator sees what became of it, and not a word of it.
  const seen = (await at(1e12, token)).body;
  assert.deepEqual([seen.state, seen.possible], ['idle.saved', last.possible]);
  assert.deepEqual([seen.title, seen.utterances, seen.documents], [null, [], null]);
  for (const word of ['Grace', 'Hello', 'plan', 'talk'])
    assert.ok(!JSON.stringify(seen).includes(word), word);
  assert.equal((await service.call('GET', `/recordings/${id}`, { token })).status, 404);
  const cleo = await service.addUser('cleo');
  assert.equal((await at(5, cleo)).status, 404);
  assert.equal((await at(0)).status, 404, 'before its first fact there was none');
});

type Then = Record<string, unknown> &
  Recording & {
    position: number;
    possible: string[];
    waits: string[];
    running: { stage: string }[];
    title: string | null;
  };

test('a recording’s facts can be read on from any position', async (t) => {
  const { service, token } = await withAda(t);
  const id = await service.settled(token);
  type Events = {
    events: { position: number; type: string; from: string; to: string; at: string }[];
    next_after: number | null;
  };
  const all = await service.call<Events>('GET', `/recordings/${id}/events`, { token });
  assert.equal(all.body.events[0]?.type, 'audio.imported');
  assert.equal(all.body.events.at(-1)?.to, 'idle.saved');
  const collected: number[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const path: string = `/recordings/${id}/events?limit=3&after=${after}`;
    const page = await service.call<Events>('GET', path, { token });
    collected.push(...page.body.events.map(({ position }) => position));
    after = page.body.next_after;
  }
  assert.deepEqual(
    collected,
    all.body.events.map(({ position }) => position),
  );
});

test('the whole log shows what others said to nobody, and hashes of passwords not even to them', async (t) => {
  const { service, token: ada } = await withAda(t);
  const ben = await service.addUser('ben');
  const bens = await service.settled(ben);
  const adas = await service.settled(ada);
  type Events = { events: { stream: string; content?: unknown }[]; next_after: number | null };
  const { body } = await service.call<Events>('GET', '/events?limit=200', { token: ada });
  const streams = new Set(body.events.map(({ stream }) => stream));
  assert.deepEqual(
    [...streams].toSorted(),
    [`recording-${adas}`, `recording-${bens}`, 'users'].toSorted(),
  );
  for (const { stream, content } of body.events) {
    if (stream !== `recording-${adas}`) assert.equal(content, undefined, stream);
  }
  assert.ok(body.events.some(({ content }) => content !== undefined));
  assert.ok(!JSON.stringify(body).includes('argon2'));
  for (const [id, heard] of [
    [bens, false],
    [adas, true],
  ] as const) {
    const path = `/events?recording=${id}`;
    const one = await service.call<Events>('GET', path, { token: ada });
    assert.deepEqual(
      [...new Set(one.body.events.map(({ stream }) => stream))],
      [`recording-${id}`],
    );
    assert.equal(
      one.body.events.some(({ content }) => content !== undefined),
      heard,
    );
    assert.equal((await service.call('GET', path, { token: ben })).status, 403);
  }
});

test('of an erased recording the log says what happened, and nothing by which its file could be told', async (t) => {
  const { service, token: ada } = await withAda(t);
  const ben = await service.addUser('ben');
  const id = await service.settled(ben);
  type Events = { events: { stream: string; type: string; data: Record<string, unknown> }[] };
  const read = async (path: string) => {
    const { body } = await service.call<Events>('GET', path, { token: ada });
    return body.events.filter(({ stream }) => stream === `recording-${id}`);
  };
  const before = await read(`/events?recording=${id}`);
  const imported = before.find(({ type }) => type === 'audio.imported')!.data;
  const traces = ['sha256', 'bytes', 'duration', 'started_at'];
  const held = JSON.stringify(before.map(({ data }) => data));
  for (const trace of traces) assert.ok(held.includes(`"${trace}"`), trace);
  assert.ok(typeof imported['sha256'] === 'string' && held.includes(imported['sha256']));
  assert.equal((await service.call('DELETE', `/recordings/${id}`, { token: ben })).status, 204);
  for (const path of ['/events?limit=200', `/events?recording=${id}&limit=200`]) {
    const after = await read(path);
    assert.deepEqual(
      after.slice(0, before.length).map(({ type }) => type),
      before.map(({ type }) => type),
    );
    assert.equal(after.find(({ type }) => type === 'audio.imported')!.data['kind'], 'solo');
    const told = JSON.stringify(after.map(({ data }) => data));
    for (const trace of traces) assert.ok(!told.includes(`"${trace}"`), `${path}: ${trace}`);
    assert.doesNotMatch(told, /[0-9a-f]{64}|seconds|spoken|stretch/u);
  }
});

test('GET /machine is the statechart', async (t) => {
  const { service, token } = await withAda(t);
  const { body } = await service.call('GET', '/machine', { token });
  assert.deepEqual(Object.keys(body['states'] as object).toSorted(), [
    'awaiting-speakers',
    'error',
    'idle',
    'recording',
    'transcribing',
  ]);
});

test('a command is refused before anything is appended when its result could not be read', async (t) => {
  let broken = false;
  const fragile: Projection = {
    name: 'fragile',
    version: 1,
    keys: () => [],
    apply() {
      if (broken) throw new Error('out of order');
    },
  };
  const service = await startService(t);
  const runner = startProjections({
    store: service.store,
    storage: memoryProjectionStorage(),
    projections: [fragile],
  });
  t.after(() => runner.stop());
  // The route asks for the views it needs; here one of them is the fragile one.
  Object.assign(service.services.projections, {
    assertRunning: () => runner.assertRunning('fragile'),
  });
  const token = await service.setUp();
  service.engines.hold('transcribe');
  const { recording_id: id } = (await service.upload(token)).body;
  // What begins by itself is behind it: the next fact is the cancelling.
  const activity = () => service.recordingService.activity(id)[0];
  await eventually('it is at work', () => activity()?.fraction === 0.5);
  await runner.applied('fragile', await service.store.head());
  broken = true;
  const cancelled = await service.call('POST', `/recordings/${id}/cancel`, { token });
  assert.equal(cancelled.status, 200);
  await runner.applied('fragile', 1_000_000, { timeoutMs: 5000 }).catch(() => {});
  const head = await service.store.head();
  for (const answer of [
    await service.call<ProblemAnswer>('POST', `/recordings/${id}/reprocess`, { token }),
    await service.upload<ProblemAnswer>(token),
  ]) {
    assert.deepEqual([answer.status, answer.body.type], [503, '/problems/view-stopped']);
  }
  assert.equal(await service.store.head(), head);
  assert.equal((await service.call('GET', '/status', { token })).status, 200);
});

test('an unexpected error is 500 with an id that the log of the service knows, and tells nothing else', async (t) => {
  const { service, token } = await withAda(t, {
    overrides: { acceptsAudio: () => Promise.reject(new Error('at /secret/path')) },
  });
  const { status, body } = await service.upload<ProblemAnswer>(token);
  assert.equal(status, 500);
  assert.ok(!JSON.stringify(body).includes('secret'));
  const line = service.logged.find((text) => text.includes('/secret/path'));
  assert.ok(line?.includes(String(body['request_id'])));
  assert.equal(service.logged.filter((text) => text.includes('/secret/path')).length, 1);
});

test('GET /ws without an upgrade says what is missing', async (t) => {
  const { service, token } = await withAda(t);
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await rawRequest(service.url, { path: '/ws', headers });
  assert.equal(answer.status, 426);
});

async function importAs(service: TestService, owner: string): Promise<string> {
  const path = join(service.dataDir, 'uploads', 'by-the-tray');
  await mkdir(join(service.dataDir, 'uploads'), { recursive: true });
  await writeFile(path, wav());
  const accepted = await service.recordingService.importAudio({
    path,
    filename: 'tray.wav',
    owner,
    by: owner,
    command: `${owner}:1`,
    kind: 'solo',
    language: null,
    speakers: null,
  });
  await service.projections.applied('all', accepted.position);
  return accepted.recordingId;
}
