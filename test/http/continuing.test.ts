import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLog } from '../../src/recordings/check-log.ts';
import { interrupt } from '../../projections/recording/interruptions.ts';
import { StageError } from '../../src/shared/errors.ts';
import { failure } from '../../src/words/failures.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/http-client.ts';
import { rate, spelled } from '../support/spelled-audio.ts';
import {
  type World,
  ask,
  correct,
  heard,
  meeting,
  notesOf,
  put,
  read,
  record,
  textOf,
  spelledWorld,
} from '../support/spelled-world.ts';

/*
 * Recording on behind an ended recording. The audio spells what is said in it, so any second, word, correction or note that
 * is lost, doubled or misplaced shows.
 */

type Origins = {
  origins: { how: string; recording_id: string; at: number | null; title: string | null }[];
};
const originsOf = async (at: World, id: string) =>
  (await ask<Origins>(at, 'GET', `/recordings/${id}`)).origins;

/** Everything that was recorded behind it is in it, and its documents say so. */
const takesUp = async ({ service, token }: World, id: string, part: string): Promise<void> => {
  await service.reaches(part, 'idle.erased');
  await service.reaches(id, 'idle.saved');
  const gone = await service.call('GET', `/recordings/${part}`, { token });
  assert.equal(gone.status, 404);
  for (const one of [id, part])
    assert.deepEqual((await checkLog(service.store, one)).differences, []);
};

test('a recording is continued: what is new comes behind, and all that was said of both stays', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  const id = await record(at, [2, 4, 6]);
  await service.reaches(id, 'idle.saved');
  await correct(at, id, 'w4', 'four');
  await ask(at, 'PATCH', `/recordings/${id}`, { title: 'Numbers' });
  await ask(at, 'POST', `/recordings/${id}/sidenotes`, { at: 1.5, text: 'early' });
  const before = await read(service, token, id);
  let order = {};
  const part = await record(at, [8, 1], { continues: id }, async (running) => {
    assert.deepEqual(await originsOf(at, running), [
      { how: 'continues', recording_id: id, at: null, title: 'Numbers' },
    ]);
    const { title } = await read(service, token, running);
    assert.equal(title, 'Numbers');
    await ask(at, 'POST', `/recordings/${running}/sidenotes`, { at: 0.5, text: 'late' });
    order = await put(at, running);
    // It can be read all the time.
    assert.equal(textOf(await read(service, token, id)), 'w2 four w6');
  });
  await takesUp(at, id, part);
  const whole = await read(service, token, id);
  assert.deepEqual(await heard(service, token, id), [2, 4, 6, 8, 1]);
  assert.equal(textOf(whole), 'w2 four w6 w8 w1');
  assert.deepEqual(notesOf(whole), [
    [1.5, 'early'],
    [3.5, 'late'],
  ]);
  assert.equal(whole.title, 'Numbers');
  assert.deepEqual({ folder: whole.folder, tags: whole.tags }, order, 'it had none of its own');
  assert.equal(whole.started_at, before.started_at);
  assert.deepEqual(whole.documents, before.documents);
  assert.deepEqual(await originsOf(at, id), [
    { how: 'continued', recording_id: part, at: 3, title: null },
  ]);
});

test('a new part whose browser was gone for long goes behind the note when that says that it was all', async (t) => {
  const at = await spelledWorld(t, {}, { graceMs: 1000 });
  const { service, token } = at;
  const id = await record(at, [2, 4]);
  await service.reaches(id, 'idle.saved');
  const sends = async (more: object) => {
    const client = connect(service.url, token);
    const say = (message: object) => client.socket.send(JSON.stringify(message));
    await client.until(({ type }) => type === 'position');
    say({ type: 'audio.start', kind: 'solo', sample_rate: rate, ...more });
    const ready = await client.until(({ type }) => type === 'audio.ready');
    return { client, say, part: ready['recording_id'] as string };
  };
  const { client, part } = await sends({ continues: id });
  client.socket.send(spelled([8]).subarray(44));
  await client.until(({ type, samples }) => type === 'audio.ack' && samples === rate);
  client.close();
  await service.reaches(part, 'idle.saved');
  assert.deepEqual(await heard(service, token, id), [2, 4]);

  const back = await sends({ recording_id: part });
  back.say({ type: 'audio.stop' });
  await back.client.until(({ type }) => type === 'audio.ended');
  back.client.close();
  await takesUp(at, id, part);
  assert.deepEqual(await heard(service, token, id), [2, 4, 8]);
});

test('a meeting is continued twice, the second time before the first has its names', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  const id = await meeting(at, [2, 1]);
  const first = await record(at, [4, 3], { continues: id });
  await service.reaches(first, 'awaiting-speakers');
  const second = await record(at, [6], { continues: first, kind: 'meeting' });
  await service.reaches(second, 'awaiting-speakers');
  const names = { SPEAKER_00: 'Ann', SPEAKER_01: 'Ben' };
  await ask(at, 'POST', '/speakers', { recording_id: second, speakers: { SPEAKER_00: 'Ann' } });
  // What it continues waits for its names, and it for that.
  await service.reaches(second, 'transcribing.continuing');
  await ask(at, 'POST', '/speakers', { recording_id: first, speakers: names });
  await takesUp(at, id, first);
  await takesUp(at, id, second);
  assert.deepEqual(await heard(service, token, id), [2, 1, 4, 3, 6]);
  const whole = await read(service, token, id);
  assert.equal(textOf(whole), 'w2 w1 w4 w3 w6');
  assert.deepEqual(whole.speakers.map(({ name }) => name).toSorted(), ['Ann', 'Ben']);
});

test('what continues a note that is gone, or of somebody else, is a recording of its own', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  const id = await record(at, [2]);
  await service.reaches(id, 'idle.saved');
  const part = await record(at, [4], { continues: id }, async () => {
    await service.call('DELETE', `/recordings/${id}`, { token });
  });
  await service.reaches(part, 'idle.saved');
  assert.deepEqual(await heard(service, token, part), [4]);
  const strange = await record(at, [6], { continues: '01JCZY0000000000000000000B' });
  await service.reaches(strange, 'idle.saved');
  assert.deepEqual(await originsOf(at, strange), []);
});

test('what is handed over while it waits to be added is the new owner’s, and in nobody else’s note', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  const bens = await service.addUser('ben');
  const id = await record(at, [2, 1], { kind: 'meeting' });
  await service.reaches(id, 'awaiting-speakers');
  const part = await record(at, [4], { continues: id });
  await service.reaches(part, 'awaiting-speakers');
  await ask(at, 'POST', '/speakers', { recording_id: part, skip: true });
  await service.reaches(part, 'transcribing.continuing');
  const handedOver = await service.call('PATCH', `/recordings/${part}`, {
    token,
    json: { owner: 'ben' },
  });
  assert.equal(handedOver.status, 200);
  await ask(at, 'POST', '/speakers', { recording_id: id, skip: true });
  await service.reaches(id, 'idle.saved');
  const isSettled = async (): Promise<boolean> =>
    (await service.recordingService.read(part)).state.startsWith('idle.');
  await eventually('it is not waited for any more', isSettled);
  assert.deepEqual(await heard(service, bens, part), [4]);
  assert.equal((await service.call('GET', `/recordings/${part}`, { token })).status, 404);
  assert.deepEqual(await heard(service, token, id), [2, 1]);
  for (const one of [id, part])
    assert.deepEqual((await checkLog(service.store, one)).differences, []);
});

test('a new part that is discarded leaves the note as it was', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  const id = await record(at, [2, 4]);
  await service.reaches(id, 'idle.saved');
  const before = await read(service, token, id);
  let part = '';
  await record(at, [6], { continues: id }, async (running) => {
    part = running;
    await service.call('DELETE', `/recordings/${running}`, { token });
  });
  await service.reaches(part, 'idle.erased');
  assert.deepEqual(await read(service, token, id), before);
});

test('while it is added nothing may be said of it that would be lost', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  const id = await record(at, [2, 4]);
  await service.reaches(id, 'idle.saved');
  const part = await record(at, [6, 8], { continues: id });
  const said: string[] = [];
  let count = 0;
  await eventually('it is taken up', async () => {
    const text = `note ${count++}`;
    const { status } = await service.call('POST', `/recordings/${part}/sidenotes`, {
      token,
      json: { at: 0.5, text },
    });
    if (status < 300) said.push(text);
    return status === 404;
  });
  await takesUp(at, id, part);
  const { sidenotes } = await read(service, token, id);
  assert.deepEqual(
    sidenotes.map(({ text }) => text),
    said,
  );
});

test('what is put in order while it is added stays, until it is gone', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  const made = async (path: string, name: string) =>
    (await ask<{ id: string }>(at, 'POST', path, { name })).id;
  const folder = await made('/folders', 'Choir');
  const later = await made('/folders', 'Council');
  const names = Array.from({ length: 20 }, (_, number) => `tag ${number}`);
  const tags: string[] = [];
  for (const name of names) tags.push(await made('/tags', name));
  const id = await record(at, [2, 4]);
  await service.reaches(id, 'idle.saved');
  const part = await record(at, [6, 8], { continues: id });
  let acknowledged: { folder: string | null; tags: string[] } = { folder: null, tags: [] };
  let count = 0;
  await eventually('it is taken up', async () => {
    count += 1;
    const json = {
      folder: count % 2 === 0 ? folder : later,
      tags: tags.filter((_, number) => (number + count) % 3 > 0),
    };
    const { status } = await service.call('PATCH', `/recordings/${part}`, { token, json });
    if (status < 300) acknowledged = json;
    return status === 404;
  });
  await takesUp(at, id, part);
  const note = await read(service, token, id);
  assert.ok(count > 2);
  assert.deepEqual(
    [note.folder, note.tags.toSorted()],
    [acknowledged.folder, acknowledged.tags.toSorted()],
  );
});

test('where the note cannot take it, it waits; where that is given up, it is a recording of its own', async (t) => {
  const at = await spelledWorld(t, {
    assemble: async () => {
      throw new StageError(failure('no-audio'), { retriable: true });
    },
  });
  const { service, token } = at;
  const id = await record(at, [2, 4]);
  await service.reaches(id, 'idle.saved');
  const before = await read(service, token, id);
  const part = await record(at, [6, 8], { continues: id });
  await service.reaches(id, 'error');
  assert.equal((await read(service, token, part)).state, 'transcribing.continuing');
  assert.equal(textOf(await read(service, token, part)), 'w6 w8');
  await ask(at, 'POST', `/recordings/${id}/clear`);
  await service.reaches(part, 'idle.saved');
  assert.equal(textOf(await read(service, token, part)), 'w6 w8');
  assert.deepEqual(await heard(service, token, part), [6, 8]);
  assert.equal(textOf(await read(service, token, id)), textOf(before));
  // Nothing holds it any more.
  await ask(at, 'PATCH', `/recordings/${part}`, { title: 'Its own' });
  for (const one of [id, part])
    assert.deepEqual((await checkLog(service.store, one)).differences, []);
});

test('what kept a browser from recording stays at its place when notes are continued, cut and joined', async (t) => {
  const at = await spelledWorld(t);
  const { service } = at;
  const interrupted = (second: number) => async (running: string) => {
    const [from, to] = ['2026-03-01T14:03:00+01:00', '2026-03-01T14:07:00+01:00'];
    await service.recordingService.decide(
      running,
      { by: 'system', command: `interrupted-${running}` },
      interrupt({ at: second, from, to, reason: 'call' }),
    );
  };
  const places = async (one: string) =>
    (
      await ask<{ interruptions: { at: number }[] }>(at, 'GET', `/recordings/${one}`)
    ).interruptions.map((told) => told.at);
  const id = await record(at, [2, 4, 6, 1], {}, interrupted(3));
  await service.reaches(id, 'idle.saved');
  assert.deepEqual(await places(id), [3]);
  const part = await record(at, [8, 3], { continues: id }, interrupted(0.5));
  await takesUp(at, id, part);
  assert.deepEqual(await places(id), [3, 4.5]);
  const { into } = await ask(at, 'POST', `/recordings/${id}/cut`, { at: 4 });
  await service.reaches(into!, 'idle.saved');
  await service.reaches(id, 'idle.saved');
  assert.deepEqual([await places(id), await places(into!)], [[3], [0.5]]);
  await ask(at, 'POST', `/recordings/${id}/join`, { with: into });
  await service.reaches(id, 'idle.saved');
  assert.deepEqual(await places(id), [3, 4.5]);
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
});
