import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { Job, StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { eventually } from '../support/eventually.ts';
import { type ProblemAnswer, type Frame, connect, wav, withAda } from '../support/http-client.ts';
import { runningRecording } from '../support/running-recording.ts';

type Shared = ProblemAnswer & {
  state: string;
  readable: boolean;
  paused: boolean;
  turns: { index: number; text: string }[];
  title: string | null;
  ticket: string;
};

/** What is recognised while it is recorded, each when the test says it. */
function speaker() {
  const says = new EventEmitter();
  const following: StageActivity = async (job: Job) => {
    await job.acquireSlot({ name: 'follow', concurrency: 8 });
    for (let index = 0; ; index += 1) {
      const [text] = (await once(says, 'say', { signal: job.signal })) as [string];
      const [start, end] = [10 * index, 10 * index + 5];
      const stretches: [number, number][] = [[start, end]];
      job.partial({ index, start, end, text: `${text.slice(0, 5)}…`, speaker: null });
      await job.append({ type: 'speech.followed', data: { detector: 'scripted', stretches } });
      await job.append({
        type: 'utterance.recognised',
        data: { index, start, end, words: 2, language: 'en' },
        content: { segments: [{ start, end, text, words: [] }] },
      });
    }
  };
  return { following, say: (text: string) => void says.emit('say', text), says };
}

/** A recording that runs, with links to it, and who follows by one. */
async function running(t: TestContext) {
  const { following, say, says } = speaker();
  const { service, token: ada } = await withAda(t, { stages: { follow: following } });
  const token = await service.addUser('owen');
  const id = await runningRecording(service, token);
  const path = `/recordings/${id}`;
  const owen = async (method: string, at: string, json?: object) =>
    await service.call(method, at, { token, ...(json && { json }) });
  const link = async (json: object) => {
    const { body } = await owen('POST', `${path}/links`, { name: 'Hall', ...json });
    return { link: String(body['link']), token: new URL(String(body['url'])).hash.slice(1) };
  };
  const open = async (of: string) =>
    await service.call<Shared>('POST', '/shared', { json: { token: of } });
  const follow = async (of: string, from = 0) => {
    const { ticket } = (await open(of)).body;
    const one = connect(service.url, '', { query: `&ticket=${ticket}&from=${from}` });
    t.after(() => one.close());
    return one;
  };
  await eventually('followed', () => says.listenerCount('say') > 0);
  return { service, ada, token, id, path, owen, link, open, follow, say };
}

const isShared = (more: Record<string, unknown>) => (frame: Frame) =>
  frame.type === 'shared' && Object.entries(more).every(([key, value]) => frame[key] === value);
const says = (text: string) => (frame: Frame) =>
  frame.type === 'utterance' && frame['text'] === text;

test('a live link is read along: words as they come, pause and end; one that is not live says nothing of the talk', async (t) => {
  const { path, owen, link, open, follow, say } = await running(t);
  const live = await link({ live: true });
  const later = await link({});
  say('Zebras are welcome.');
  await eventually('read', async () => (await open(live.token)).body.turns.length === 1);
  const { body } = await open(live.token);
  assert.deepEqual([body.state, body.readable, body.title], ['running', true, null]);
  const waiting = (await open(later.token)).body;
  assert.deepEqual([waiting.state, waiting.readable, waiting.turns], ['running', false, []]);

  const [reader, patient] = [await follow(live.token), await follow(later.token)];
  await reader.until(says('Zebras are welcome.'));
  await patient.until(isShared({ state: 'running', readable: false }));
  say('The lift works.');
  await reader.until((frame) => says('The lift works.')(frame) && frame['final'] === true);
  await reader.until((frame) => frame.type === 'utterance' && frame['final'] === false);
  await owen('POST', `${path}/sidenotes`, { text: 'Secretly', at: 0 });
  await owen('POST', `${path}/pause`, {});
  await reader.until(isShared({ paused: true }));
  await patient.until(isShared({ paused: true }));
  await owen('POST', `${path}/resume`, {});
  await reader.until(isShared({ state: 'running', paused: false }));
  const late = await follow(live.token, 1);
  await late.until((frame) => says('The lift works.')(frame) && frame['language'] === 'en');
  assert.equal(late.frames.some(says('Zebras are welcome.')), false);
  assert.deepEqual([...new Set(reader.frames.map(({ type }) => type))].toSorted(), [
    'shared',
    'utterance',
  ]);
  assert.doesNotMatch(JSON.stringify(reader.frames), /Secretly/u);
  assert.doesNotMatch(JSON.stringify(patient.frames), /Zebra|lift|Secretly/u);

  await owen('POST', `${path}/discard`, {});
  await Promise.all(
    [reader, patient, late].map((one) => one.until(isShared({ state: 'discarded' }))),
  );
  assert.deepEqual(
    await Promise.all([reader, patient, late].map(({ closed }) => closed)),
    [1008, 1008, 1008],
  );
  const { status, body: over } = await open(live.token);
  assert.deepEqual([status, over.type], [404, '/problems/link-over']);
});

test('captions come with the words that users see, in their order and within a second', async (t) => {
  const { service, token, link, follow, say } = await running(t);
  const [user, reader] = [
    connect(service.url, token),
    await follow((await link({ live: true })).token),
  ];
  t.after(() => user.close());
  await user.until(({ type }) => type === 'position');
  await reader.until(isShared({ state: 'running' }));
  const heard = (one: typeof user) => {
    const at = new Map<string, number>();
    one.socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Frame;
      if (frame.type === 'utterance' && frame['final'] === true)
        at.set(String(frame['text']), performance.now());
    });
    return at;
  };
  const [byUser, byLink] = [heard(user), heard(reader)];
  const lines = Array.from({ length: 30 }, (_, n) => `Line number ${n}.`);
  for (const line of lines) {
    say(line);
    await Promise.all(
      [user, reader].map((one) =>
        one.until((frame) => says(line)(frame) && frame['final'] === true),
      ),
    );
  }
  assert.deepEqual([...byUser.keys()], lines);
  assert.deepEqual([...byLink.keys()], lines);
  const late = lines.map((line) => byLink.get(line)! - byUser.get(line)!).toSorted((a, b) => a - b);
  t.diagnostic(`captions: ${late[15]!.toFixed(1)} ms later, ${late.at(-1)!.toFixed(1)} at most`);
  assert.ok(late.at(-1)! < 1000);
});

test('whatever closes a link ends those who follow by it', async (t) => {
  const { service, ada, owen, path, link, follow } = await running(t);
  const admin = async (method: string, at: string, json: object) =>
    await service.call(method, at, { token: ada, json });
  const ends = async (json: object, close: (one: { link: string; token: string }) => unknown) => {
    const one = await link({ live: true, ...json });
    const reader = await follow(one.token);
    await reader.until(isShared({ state: 'running' }));
    await close(one);
    await reader.until(isShared({ state: 'over' }));
    assert.equal(await reader.closed, 1008);
  };
  await ends({}, (one) => owen('DELETE', `${path}/links/${one.link}`));
  await ends({ expires_at: new Date(Date.now() + 3000).toISOString() }, () => {});
  await ends({}, () => admin('PUT', '/config', { sharing: { links: false } }));
  await admin('PUT', '/config', { sharing: { links: true } });
  await ends({}, () => admin('PATCH', '/users/owen', { disabled: true }));
});

test('a session’s ticket opens no socket, and a link is followed by so many at most', async (t) => {
  const { service, token, id, link, open } = await running(t);
  const { body } = await service.call<{ ticket: string }>('POST', `/recordings/${id}/ticket`, {
    token,
    json: {},
  });
  const refused = await connect(service.url, '', { query: `&ticket=${body.ticket}` }).refusal;
  assert.equal(refused.status, 401);
  const one = await link({ live: true });
  const { ticket } = (await open(one.token)).body;
  const all = Array.from({ length: 32 }, () =>
    connect(service.url, '', { query: `&ticket=${ticket}` }),
  );
  t.after(() => all.forEach((each) => each.close()));
  await Promise.all(all.map((each) => each.until(isShared({}))));
  const more = await connect(service.url, '', { query: `&ticket=${ticket}` }).refusal;
  assert.deepEqual([more.status, more.body.type], [429, '/problems/too-many-connections']);
});

test('erasing ends who plays by a link, in the middle of it', async (t) => {
  const { service } = await withAda(t);
  const token = await service.addUser('owen');
  const id = await service.settled(token, {}, { audio: wav(1800) });
  const path = `/recordings/${id}`;
  const { body } = await service.call('POST', `${path}/links`, {
    token,
    json: { name: 'Hall', audio: true },
  });
  const { ticket } = (
    await service.call<Shared>('POST', '/shared', {
      json: { token: new URL(String(body['url'])).hash.slice(1) },
    })
  ).body;
  const playing = request(`${service.url}${path}/audio?ticket=${ticket}`);
  playing.on('error', () => {});
  playing.end();
  const [answer] = (await once(playing, 'response')) as [IncomingMessage];
  assert.equal(answer.statusCode, 200);
  // Little of it is read: it is in the middle of it.
  answer.on('error', () => {});
  await service.call('DELETE', path, { token });
  await eventually('ended', () => {
    answer.read();
    return answer.closed;
  });
  assert.equal(answer.complete, false);
});
