import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { checkLog } from '../../src/recordings/check-log.ts';
import { type ProblemAnswer, type TestService, startService } from '../support/http-client.ts';
import { numbersIn, spelled, spellingStages } from '../support/spelled-audio.ts';

/*
 * Cutting, joining and removing by the doors that people use. The audio spells what is said in it: each second is a number,
 * which is heard there as a word. So any second, word, correction or note that is lost, doubled or misplaced shows.
 */

type Note = {
  title: string;
  state: string;
  started_at: string;
  duration: number;
  utterances: { block: string; start: number; end: number; speaker: string | null; text: string }[];
  sidenotes: { note: number; at: number; text: string }[];
  speakers: { label: string; name: string | null }[];
  summary: { lines: { text: string; block: string | null }[] };
  documents: Record<'index' | 'transcript' | 'summary', string>;
};
type Made = { recording_id: string; into: string | null };

export const world = async (t: TestContext) => {
  const service: TestService = await startService(t, {
    stages: {
      ...spellingStages(() => service.dataDir),
      write: undefined,
      summarise: undefined,
      entitle: undefined,
    },
  });
  const token = await service.setUp();
  return { service, token };
};

const read = async (service: TestService, token: string, id: string): Promise<Note> =>
  (await service.call<Note>('GET', `/recordings/${id}`, { token })).body;

const heard = async (service: TestService, token: string, id: string): Promise<number[]> => {
  const response = await fetch(`${service.url}/recordings/${id}/audio`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  assert.equal(response.status, 200);
  return numbersIn(new Uint8Array(await response.arrayBuffer()));
};

const textOf = ({ utterances }: Note): string => utterances.map(({ text }) => text).join(' ');
const notesOf = ({ sidenotes }: Note) => sidenotes.map(({ at, text }) => [at, text]);

/** A meeting of Ann (even numbers) and Ben (odd ones), with a correction and side notes. */
async function meeting(
  { service, token }: { service: TestService; token: string },
  numbers: number[],
): Promise<string> {
  const { recording_id: id } = (
    await service.upload(token, { kind: 'meeting' }, { audio: spelled(numbers) })
  ).body;
  await service.reaches(id, 'awaiting-speakers');
  const speakers = { SPEAKER_00: 'Ann', SPEAKER_01: 'Ben' };
  await service.call('POST', '/speakers', { token, json: { recording_id: id, speakers } });
  await service.reaches(id, 'idle.saved');
  return id;
}

const ask = async <T = Made>(
  { service, token }: { service: TestService; token: string },
  method: string,
  path: string,
  json?: object,
): Promise<T> => {
  const { status, body } = await service.call<T>(method, path, { token, json });
  assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(body)}`);
  return body;
};

const correct = async (
  at: Awaited<ReturnType<typeof world>>,
  id: string,
  word: string,
  by: string,
) => {
  const { utterances } = await read(at.service, at.token, id);
  const index = utterances.findIndex(({ text }) => text.split(' ').includes(word));
  const text = utterances[index]!.text.replace(word, by);
  await ask(at, 'PATCH', `/recordings/${id}/utterances/${index}`, { text });
};

test('a recording is cut: each part has its seconds, words, corrections, names and side notes', async (t) => {
  const at = await world(t);
  const { service, token } = at;
  const id = await meeting(at, [2, 4, 6, 1, 3, 5, 8, 10]);
  await correct(at, id, 'w4', 'four');
  await correct(at, id, 'w5', 'five');
  await ask(at, 'POST', `/recordings/${id}/sidenotes`, { at: 1.5, text: 'early' });
  await ask(at, 'POST', `/recordings/${id}/sidenotes`, { at: 6.5, text: 'late' });
  const before = await read(service, token, id);
  const { into } = await ask(at, 'POST', `/recordings/${id}/cut`, { at: 5 });
  assert.ok(into);
  await service.reaches(into, 'idle.saved');
  await service.reaches(id, 'idle.saved');
  const [first, second] = [await read(service, token, id), await read(service, token, into)];
  assert.deepEqual(await heard(service, token, id), [2, 4, 6, 1, 3]);
  assert.deepEqual(await heard(service, token, into), [5, 8, 10]);
  assert.equal(textOf(first), 'w2 four w6 w1 w3');
  assert.equal(textOf(second), 'five w8 w10');
  assert.deepEqual(
    [first, second].map(({ duration }) => duration),
    [5, 3],
  );
  assert.deepEqual(notesOf(first), [[1.5, 'early']]);
  assert.deepEqual(notesOf(second), [[1.5, 'late']]);
  assert.deepEqual(
    second.utterances.map(({ start, speaker }) => [start, speaker]),
    [
      [0, 'SPEAKER_01'],
      [1.1, 'SPEAKER_00'],
    ],
  );
  for (const note of [first, second])
    assert.deepEqual(note.speakers.map(({ label, name }) => [label, name]).toSorted(), [
      ['SPEAKER_00', 'Ann'],
      ['SPEAKER_01', 'Ben'],
    ]);
  assert.equal(Date.parse(second.started_at) - Date.parse(before.started_at), 5000);
  assert.equal(second.title, `${first.title} (2)`);
  // Recognised again it says the same: what people corrected is carried over.
  for (const [one, said] of [
    [id, textOf(first)],
    [into, textOf(second)],
  ] as const) {
    await ask(at, 'POST', `/recordings/${one}/reprocess`, { from: 'speech-to-text' });
    await service.reaches(one, 'awaiting-speakers');
    const speakers = { SPEAKER_00: 'Ann', SPEAKER_01: 'Ben' };
    await ask(at, 'POST', '/speakers', { recording_id: one, speakers });
    await service.reaches(one, 'idle.saved');
    assert.equal(textOf(await read(service, token, one)), said);
    assert.deepEqual((await checkLog(service.store, one)).differences, []);
  }
});

test('a passage is removed: silence in its place, and no word of it anywhere', async (t) => {
  const at = await world(t);
  const { service, token } = at;
  const id = await meeting(at, [2, 4, 6, 1, 3, 5, 8, 10]);
  await correct(at, id, 'w10', 'ten');
  await ask(at, 'POST', `/recordings/${id}/sidenotes`, { at: 6.5, text: 'late' });
  await ask(at, 'POST', `/recordings/${id}/remove`, { from: 2, to: 5 });
  await service.reaches(id, 'idle.saved');
  const left = await read(service, token, id);
  assert.deepEqual(await heard(service, token, id), [2, 4, 0, 0, 0, 5, 8, 10]);
  assert.equal(textOf(left), 'w2 w4 w5 w8 ten');
  assert.deepEqual(notesOf(left), [[6.5, 'late']]);
  const gone = /w6|w1\b|w3/;
  for (const path of [
    `/recordings/${id}`,
    `/recordings/${id}/export?format=txt`,
    '/search?q=w3',
    `/transcripts/${encodeURIComponent(left.documents.transcript)}`,
    `/transcripts/${encodeURIComponent(left.documents.summary)}`,
    `/transcripts/${encodeURIComponent(left.documents.index)}`,
    '/transcripts',
  ]) {
    const { status, body } = await service.call('GET', path, { token });
    assert.equal(status, 200, path);
    assert.doesNotMatch(JSON.stringify(body).replaceAll('"w3"', ''), gone, path);
  }
  const earlier = await service.call('GET', `/recordings/${id}/versions/1`, { token });
  assert.equal(earlier.status, 404);
  const back = await service.call('POST', `/recordings/${id}/versions/1/restore`, { token });
  assert.equal(back.status, 409);
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
});

test('a passage is removed for good: the rest is another recording of the same names, and nothing is left', async (t) => {
  const at = await world(t);
  const { service, token } = at;
  const id = await meeting(at, [2, 4, 6, 1, 3, 5, 8, 10]);
  await correct(at, id, 'w10', 'ten');
  await ask(at, 'PATCH', `/recordings/${id}`, { title: 'Numbers' });
  await ask(at, 'POST', `/recordings/${id}/sidenotes`, { at: 6.5, text: 'late' });
  const before = await read(service, token, id);
  const { into } = await ask(at, 'POST', `/recordings/${id}/remove`, {
    from: 2,
    to: 5,
    for_good: true,
  });
  assert.ok(into);
  await service.reaches(into, 'idle.saved');
  await service.reaches(id, 'idle.erased');
  const left = await read(service, token, into);
  assert.deepEqual(await heard(service, token, into), [2, 4, 0, 0, 0, 5, 8, 10]);
  assert.equal(textOf(left), 'w2 w4 w5 w8 ten');
  assert.deepEqual(notesOf(left), [[6.5, 'late']]);
  assert.deepEqual(left.documents, before.documents);
  assert.equal(left.title, 'Numbers');
  for (const one of [id, into])
    assert.deepEqual((await checkLog(service.store, one)).differences, []);
});

test('two recordings are joined in the order of their times; the other one stays', async (t) => {
  const at = await world(t);
  const { service, token } = at;
  const late = await meeting(at, [2, 4, 1]);
  const early = await meeting(at, [3, 6, 8]);
  await correct(at, late, 'w4', 'four');
  await correct(at, early, 'w6', 'six');
  await ask(at, 'PATCH', `/recordings/${early}`, { started_at: '2026-01-02T03:04:00Z' });
  await ask(at, 'POST', `/recordings/${late}/sidenotes`, { at: 1, text: 'of the late one' });
  await ask(at, 'POST', `/recordings/${early}/sidenotes`, { at: 2, text: 'of the early one' });
  await ask(at, 'POST', `/recordings/${late}/join`, { with: early });
  await service.reaches(late, 'idle.saved');
  const joined = await read(service, token, late);
  assert.deepEqual(await heard(service, token, late), [3, 6, 8, 2, 4, 1]);
  assert.equal(textOf(joined), 'w3 six w8 w2 four w1');
  assert.deepEqual(notesOf(joined), [
    [2, 'of the early one'],
    [4, 'of the late one'],
  ]);
  assert.deepEqual(joined.speakers.map(({ name }) => name).toSorted(), ['Ann', 'Ben']);
  assert.equal(joined.started_at, '2026-01-02T03:04:00.000Z');
  assert.equal(new Set(joined.utterances.map(({ block }) => block)).size, joined.utterances.length);
  assert.equal(textOf(await read(service, token, early)), 'w3 six w8');
  assert.deepEqual(await heard(service, token, early), [3, 6, 8]);
  assert.deepEqual((await checkLog(service.store, late)).differences, []);
});

test('what cannot be is refused with a sentence', async (t) => {
  const at = await world(t);
  const { service, token } = at;
  const id = await meeting(at, [2, 4, 1]);
  const solo = (await service.upload(token, {}, { audio: spelled([2]) })).body.recording_id;
  await service.reaches(solo, 'idle.saved');
  const refusals = [
    ['cut', { at: 3 }, 422],
    ['cut', { at: 0 }, 422],
    ['remove', { from: 2, to: 1 }, 422],
    ['remove', { from: 9, to: 10 }, 422],
    ['join', { with: id }, 422],
    ['join', { with: solo }, 422],
    ['join', { with: 'nobody' }, 404],
  ] as const;
  for (const [verb, json, expected] of refusals) {
    const { status, body } = await service.call<ProblemAnswer>(
      'POST',
      `/recordings/${id}/${verb}`,
      { token, json },
    );
    assert.equal(status, expected, `${verb} ${JSON.stringify(json)}: ${JSON.stringify(body)}`);
  }
});
