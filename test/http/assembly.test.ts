import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLog } from '../../src/recordings/check-log.ts';
import type { ProblemAnswer } from '../support/http-client.ts';
import { spelled } from '../support/spelled-audio.ts';
import {
  type World,
  ask,
  correct,
  heard,
  meeting,
  notesOf,
  put,
  read,
  textOf,
  spelledWorld,
} from '../support/spelled-world.ts';

/*
 * Cutting, joining and removing by the doors that people use. The audio spells what is said in it: each second is a number,
 * which is heard there as a word. So any second, word, correction or note that is lost, doubled or misplaced shows.
 */

test('a recording is cut: each part has its seconds, words, corrections, names and side notes', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  const id = await meeting(at, [2, 4, 6, 1, 3, 5, 8, 10]);
  await correct(at, id, 'w4', 'four');
  await correct(at, id, 'w5', 'five');
  await ask(at, 'POST', `/recordings/${id}/sidenotes`, { at: 1.5, text: 'early' });
  await ask(at, 'POST', `/recordings/${id}/sidenotes`, { at: 6.5, text: 'late' });
  const order = await put(at, id);
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
  for (const { folder, tags } of [first, second]) assert.deepEqual({ folder, tags }, order);
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

test('who says nothing in a part of a recording that was cut is no speaker of it', async (t) => {
  const at = await spelledWorld(t);
  const id = await meeting(at, [1, 2, 4]);
  const { into } = await ask(at, 'POST', `/recordings/${id}/cut`, { at: 1 });
  for (const one of [id, into!]) await at.service.reaches(one, 'idle.saved');
  const of = async (name: string) => {
    const found = await ask<{ transcripts: { recording_id: string }[] }>(
      at,
      'GET',
      `/transcripts?speaker=${name}`,
    );
    return found.transcripts.map((one) => one.recording_id);
  };
  assert.deepEqual([await of('Ben'), await of('Ann')], [[id], [into]]);
});

test('a line that rests on a side note rests on the same one after a cut and a join', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  const id = await meeting(at, [2, 4, 6, 1, 3, 5, 8, 10]);
  /** Of each line that a person added, the words of the side note that it rests on. */
  const resting = async (one: string) => {
    type Line = { text: string; cites: { note?: number }[] };
    const { summary, sidenotes } = (await read(service, token, one)) as unknown as {
      summary: { lines: Line[] };
      sidenotes: { note: number; text: string }[];
    };
    const lines = summary.lines.filter(({ text }) => text.startsWith('line of '));
    return lines.map(({ text, cites }) => [
      text,
      ...cites.map(({ note }) => sidenotes.find((own) => own.note === note)?.text),
    ]);
  };
  for (const [second, text] of [
    [1.5, 'early'],
    [6.5, 'late'],
  ] as const) {
    await ask(at, 'POST', `/recordings/${id}/sidenotes`, { at: second, text });
  }
  const { sidenotes } = (await read(service, token, id)) as unknown as {
    sidenotes: { note: number; text: string }[];
  };
  const edits = sidenotes.map(({ note, text }) => ({
    add: { text: `line of ${text}`, kind: 'point', note },
  }));
  await ask(at, 'PATCH', `/recordings/${id}/summary`, { edits });
  await service.reaches(id, 'idle.saved');
  const [early, late] = [
    ['line of early', 'early'],
    ['line of late', 'late'],
  ];
  assert.deepEqual(await resting(id), [early, late]);
  const { into } = await ask(at, 'POST', `/recordings/${id}/cut`, { at: 5 });
  await service.reaches(into!, 'idle.saved');
  await service.reaches(id, 'idle.saved');
  assert.deepEqual(await resting(id), [early]);
  assert.deepEqual(await resting(into!), [late]);
  await ask(at, 'POST', `/recordings/${id}/join`, { with: into });
  await service.reaches(id, 'idle.saved');
  assert.deepEqual(await resting(id), [early, late]);
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
});

test('a passage is removed: silence in its place, and no word of it anywhere', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  const id = await meeting(at, [2, 4, 6, 1, 3, 5, 8, 10]);
  await correct(at, id, 'w10', 'ten');
  await ask(at, 'POST', `/recordings/${id}/sidenotes`, { at: 6.5, text: 'late' });
  await sendOwn(at, (await read(service, token, id)).documents.transcript);
  await service.reaches(id, 'idle.saved');
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

test('what was corrected in a passage that was removed is no suggestion of a word', async (t) => {
  const at = await spelledWorld(t);
  const ids = [await meeting(at, [1, 2, 4, 6]), await meeting(at, [1, 2, 4, 6])];
  for (const id of ids) await correct(at, id, 'w6', 'six');
  const suggested = async () =>
    (await ask<{ suggestions: object[] }>(at, 'GET', '/words/suggestions')).suggestions.length;
  assert.equal(await suggested(), 1);
  await at.service.reaches(ids[0]!, 'idle.saved');
  await ask(at, 'POST', `/recordings/${ids[0]}/remove`, { from: 3, to: 4 });
  await at.service.reaches(ids[0]!, 'idle.saved');
  assert.equal(await suggested(), 0);
});

/** Sends a document back as a person's own version, with a paragraph more. */
async function sendOwn({ service, token }: World, name: string): Promise<void> {
  const path = `/transcripts/${encodeURIComponent(name)}`;
  const { body, headers } = await service.call<string>('GET', path, { token });
  const sent = await service.call<{ own: boolean }>('PUT', path, {
    token,
    body: `${body}\nMine.\n`,
    headers: { 'If-Match': headers.get('etag') ?? '', 'Content-Type': 'text/markdown' },
  });
  assert.deepEqual([sent.status, sent.body.own], [200, true]);
}

test('a passage is removed for good: the rest is another recording of the same names, and nothing is left', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  const id = await meeting(at, [2, 4, 6, 1, 3, 5, 8, 10]);
  await correct(at, id, 'w10', 'ten');
  await ask(at, 'PATCH', `/recordings/${id}`, { title: 'Numbers' });
  await ask(at, 'POST', `/recordings/${id}/sidenotes`, { at: 6.5, text: 'late' });
  const order = await put(at, id);
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
  assert.deepEqual({ folder: left.folder, tags: left.tags }, order);
  assert.equal(left.title, 'Numbers');
  for (const one of [id, into])
    assert.deepEqual((await checkLog(service.store, one)).differences, []);
});

test('two recordings are joined in the order of their times; the other one stays', async (t) => {
  const at = await spelledWorld(t);
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

test('of a call that was joined with a meeting of one microphone each word stays its speaker’s, who is told anew', async (t) => {
  let [transcribed, diarized] = [0, 0];
  const at = await spelledWorld(t, {
    async transcribe(job) {
      await job.acquireSlot({ name: 'transcribe', concurrency: 1 });
      // Both sides of the call are heard all the time, each by itself.
      const sides =
        (transcribed += 1) === 1
          ? [
              [2, 4, 6],
              [1, 3, 5],
            ]
          : [[8, 7]];
      const isCall = sides.length === 2;
      const duration = isCall ? 12 : 4;
      const stretches = sides.map((): [number, number] => [0, duration]);
      const channels = isCall ? { channels: [0, 1] as (0 | 1)[] } : {};
      await job.append({
        type: 'speech.detected',
        data: { detector: 'scripted', duration, stretches, warnings: [], ...channels },
      });
      for (const [index, numbers] of sides.entries()) {
        const segments = numbers.map((number, turn) => {
          const start = 2 * (isCall ? 2 * turn + index : turn);
          const word = { text: `w${number}.`, start: start + 0.1, end: start + 0.9 };
          return { ...word, words: [word] };
        });
        await job.append({
          type: 'utterance.recognised',
          data: { index, start: 0, end: duration, words: numbers.length, language: 'en' },
          content: { segments },
        });
      }
      const data = { engine: 'scripted', model: null, language: 'en', utterances: 2, words: 6 };
      await job.append({ type: 'transcription.completed', data });
    },
    async diarize(job) {
      await job.acquireSlot({ name: 'diarize', concurrency: 1 });
      // The call, the room, and both.
      const count = [6, 2, 8][diarized]!;
      const isCall = (diarized += 1) === 1;
      const turns = Array.from({ length: count }, (_, turn): [number, number, string] => [
        2 * turn,
        2 * turn + 2,
        `SPEAKER_0${turn % 2}`,
      ]);
      const channels = isCall ? { channels: { SPEAKER_00: 0, SPEAKER_01: 1 } as const } : {};
      const data = { engine: 'scripted', model: null, turns, ...channels };
      await job.append({ type: 'diarization.completed', data });
    },
    join: undefined,
  });
  const { service, token } = at;
  const call = await meeting(
    at,
    Array.from({ length: 12 }, () => 2),
  );
  const room = await meeting(at, [8, 8, 7, 7]);
  const saidIn = async (id: string) =>
    (await read(service, token, id)).utterances.map(({ speaker, text, start, end }) => {
      assert.ok(start <= end, `${text} is from ${start} to ${end}`);
      return `${speaker} ${text}`;
    });
  const [said, behind] = [await saidIn(call), await saidIn(room)];
  assert.equal(said.length + behind.length, 8);
  await ask(at, 'POST', `/recordings/${call}/join`, { with: room });
  await service.reaches(call, 'idle.saved');
  const joined = await saidIn(call);
  assert.deepEqual(joined, [...said, ...behind]);
  await ask(at, 'POST', `/recordings/${call}/reprocess`, { from: 'diarize' });
  await service.reaches(call, 'awaiting-speakers');
  await ask(at, 'POST', '/speakers', { recording_id: call, speakers: {} });
  await service.reaches(call, 'idle.saved');
  assert.deepEqual(await saidIn(call), joined);
});

test('two recordings with a thousand side notes each are joined, all of them as they were written', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  const ids = [await meeting(at, [2, 4, 1]), await meeting(at, [3, 6, 8])];
  for (const id of ids) {
    const notes = Array.from({ length: 999 }, (_, note) => ({ note: note + 1, at: note / 400 }));
    const facts = notes.map((data) => ({
      type: 'sidenote.written' as const,
      data,
      content: { text: `note ${data.note} of ${id}` },
    }));
    const by = (await service.call<{ owner: string }>('GET', `/recordings/${id}`, { token })).body;
    await service.recordingService.decide(
      id,
      { by: by.owner, command: `notes-${id}` },
      () => facts,
    );
    // The answer comes when the documents have it.
    await ask(at, 'POST', `/recordings/${id}/sidenotes`, { at: 2.9, text: `last of ${id}` });
    await service.reaches(id, 'idle.saved');
  }
  const [first, second] = await Promise.all(ids.map((id) => read(service, token, id)));
  await ask(at, 'POST', `/recordings/${ids[0]}/join`, { with: ids[1] });
  await service.reaches(ids[0]!, 'idle.saved');
  const joined = await read(service, token, ids[0]!);
  assert.deepEqual(notesOf(joined), [
    ...notesOf(first!),
    ...second!.sidenotes.map(({ at: second_, text }) => [
      Math.round((second_ + 3) * 1000) / 1000,
      text,
    ]),
  ]);
  assert.deepEqual(
    joined.sidenotes.slice(0, 1000).map(({ note }) => note),
    first!.sidenotes.map(({ note }) => note),
  );
  assert.equal(new Set(joined.sidenotes.map(({ note }) => note)).size, 2000);
  // They can be changed and removed as before.
  await ask(at, 'PATCH', `/recordings/${ids[0]}/sidenotes/1`, { text: 'changed' });
  const { note } = joined.sidenotes.at(-1)!;
  await service.call('DELETE', `/recordings/${ids[0]}/sidenotes/${note}`, { token });
  await service.reaches(ids[0]!, 'idle.saved');
  const changed = await read(service, token, ids[0]!);
  assert.equal(changed.sidenotes.length, 1999);
  assert.ok(changed.sidenotes.some(({ text }) => text === 'changed'));
  assert.deepEqual((await checkLog(service.store, ids[0])).differences, []);
});

test('what cannot be is refused with a sentence', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  const id = await meeting(at, [2, 4, 1]);
  const solo = await service.settled(token, {}, { audio: spelled([2]) });
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

test('without room on the disk nothing is put together, and the reason is said; with room it is', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  const [id, other] = [await meeting(at, [2, 4, 1]), await meeting(at, [6, 3])];
  const free = async (megabytes: number | null) =>
    await ask(at, 'PUT', '/config', { limits: { free_mb: megabytes } });
  await free(100_000_000);
  for (const [path, json] of [
    ['join', { with: other }],
    ['cut', { at: 1 }],
    ['remove', { from: 1, to: 2 }],
  ] as const) {
    const { status, body } = await service.call<ProblemAnswer>(
      'POST',
      `/recordings/${id}/${path}`,
      { token, json },
    );
    assert.deepEqual([status, body.type], [503, '/problems/disk-full'], body.detail);
  }
  assert.equal(textOf(await read(service, token, id)), 'w2 w4 w1');
  await free(null);
  await ask(at, 'POST', `/recordings/${id}/join`, { with: other });
  await service.reaches(id, 'idle.saved');
  assert.equal(textOf(await read(service, token, id)), 'w2 w4 w1 w6 w3');
});
