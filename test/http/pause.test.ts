import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProblemAnswer, connect, rawRequest, wav, withAda } from '../support/http-client.ts';

type Sample = { start: number; end: number; text: string };
type Pending = {
  recording_id: string;
  since: string;
  speakers: {
    label: string;
    suggested_name: string | null;
    seconds: number;
    share: number;
    sample: Sample | null;
    samples: Sample[];
  }[];
};
type Status = { status: string; speakers_pending: Pending[] };
type Utterance = { block: string; speaker: string | null; text: string };
type Recording = {
  status: string;
  utterances: Utterance[];
  speakers: { label: string; name: string | null; shown: string }[];
  documents: { transcript: string } | null;
};

test('what was corrected while a meeting waited is in the documents of a later run, though it was cancelled', async (t) => {
  const { service, token } = await withAda(t, {
    stages: { join: undefined, punctuate: undefined },
  });
  const id = await service.settled(token, { kind: 'meeting' });
  const call = async (method: string, path: string, json: object) => {
    const { status, body } = await service.call(method, path, { token, json });
    assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(body)}`);
  };
  const corrected = async () => {
    const { body } = await service.call<Recording>('GET', `/recordings/${id}`, { token });
    const names = new Map(body.speakers.map(({ label, shown }) => [label, shown]));
    return body.utterances.map(({ speaker, text }) => `${names.get(speaker!)}: ${text}`);
  };
  await call('PATCH', `/recordings/${id}/utterances/0`, {
    text: 'Good morning. This is the secret plan.',
  });
  // Twice given up, each time with a correction of its own.
  await call('POST', `/recordings/${id}/cancel`, {});
  await call('POST', `/recordings/${id}/reprocess`, { from: 'diarize' });
  await service.reaches(id, 'awaiting-speakers');
  await call('POST', `/recordings/${id}/utterances/0/split`, { word: 2, speaker: 'Cem' });
  await call('POST', `/recordings/${id}/cancel`, {});
  await call('POST', `/recordings/${id}/reprocess`, { from: 'speech-to-text' });
  await service.reaches(id, 'awaiting-speakers');
  await call('POST', '/speakers', { recording_id: id, speakers: { SPEAKER_00: 'Ada' } });
  await service.reaches(id, 'idle.saved');
  assert.deepEqual(await corrected(), ['Ada: Good morning.', 'Cem: This is the secret plan.']);

  // Who has no name is Speaker 1 in the library too.
  await call('PATCH', `/recordings/${id}/speakers`, { speakers: { SPEAKER_00: '' } });
  const library = await service.call<{ transcripts: { speakers: string[] }[] }>(
    'GET',
    '/transcripts',
    { token },
  );
  assert.deepEqual(library.body.transcripts[0]?.speakers, ['Speaker 1', 'Cem']);
});

test('while a meeting waits for its speakers, its draft can be played, corrected, cut and exported, and nothing else waits', async (t) => {
  const { service, token } = await withAda(t, {
    stages: { join: undefined, punctuate: undefined },
  });
  const of = async <T>(path: string) => (await service.call<T>('GET', path, { token })).body;
  const socket = connect(service.url, token);
  t.after(() => socket.close());
  const { recording_id: id } = (await service.upload(token, { kind: 'meeting' }, { audio: wav(2) }))
    .body;
  const frame = await socket.until(
    ({ type, status }) => type === 'status' && status === 'AWAITING_SPEAKERS',
  );
  const [pending] = (frame as unknown as Status).speakers_pending;
  assert.equal(pending?.recording_id, id);
  assert.ok(Date.parse(pending.since) > 0);
  const [speaker, ...none] = pending.speakers;
  assert.deepEqual([speaker?.label, speaker?.share, none], ['SPEAKER_00', 1, []]);

  // A sample is played through a ticket and a range.
  const { start, end, text } = speaker!.sample!;
  assert.ok(end > start && text.length > 0);
  const { ticket } = (
    await service.call<{ ticket: string }>('POST', `/recordings/${id}/ticket`, { token })
  ).body;
  const [from, to] = [start, end].map((second) => 44 + Math.round(second * 32_000));
  const heard = await rawRequest(service.url, {
    path: `/recordings/${id}/audio?ticket=${ticket}`,
    headers: { Range: `bytes=${from}-${to! - 1}` },
  });
  assert.equal(heard.status, 206);

  // Cut at a word, the second half another's; then joined; then corrected.
  const words = async () =>
    (await of<Recording>(`/recordings/${id}`)).utterances.map((one) => [one.speaker, one.text]);
  const before = await words();
  const at = (index: number, what: string) => `/recordings/${id}/utterances/${index}${what}`;
  const post = (path: string, json: object) => service.call('POST', path, { token, json });
  const split = await post(at(0, '/split'), { word: 1, speaker: 'Cem' });
  assert.equal(split.status, 200);
  const [first, second] = await words();
  assert.deepEqual([first, second?.[0]], [['SPEAKER_00', 'Hello'], 'SPEAKER_01']);
  assert.ok(second![1]!.startsWith('there.'));
  assert.equal((await post(at(0, '/merge'), {})).status, 200);
  assert.deepEqual(await words(), before);
  for (const [path, json, status] of [
    [at(0, '/split'), { word: 99 }, 422],
    [at(9, '/split'), { word: 1 }, 404],
    [at(0, '/merge'), {}, before.length > 1 ? 200 : 404],
  ] as const) {
    assert.equal((await post(path, json)).status, status, `${path} ${JSON.stringify(json)}`);
  }
  await post(at(0, '/split'), { word: 1, speaker: 'Cem' });
  const json = { text: 'Good morning' };
  assert.equal((await service.call('PATCH', at(0, ''), { token, json })).status, 200);
  const exported = await of<string>(`/recordings/${id}/export?format=txt`);
  assert.ok(exported.includes('Good morning') && exported.includes('Cem'));
  const asked = (await of<Status>('/status')).speakers_pending[0]!.speakers;
  assert.deepEqual(
    asked.map((one) => [one.label, one.suggested_name]),
    [
      ['SPEAKER_00', null],
      ['SPEAKER_01', 'Cem'],
    ],
  );
  // By what to tell them too: nobody is shown what is another's now, or what they did not say.
  assert.deepEqual(
    asked.map((one) => [one.sample?.text, one.samples]),
    [
      ['Good morning', []],
      [before[0]![1]!.split(' ').slice(1).join(' '), []],
    ],
  );
  // How long each speaks follows what was cut.
  const [long, short] = asked;
  assert.ok(short!.seconds > 0 && long!.seconds < speaker!.seconds, JSON.stringify(asked));
  assert.ok(Math.abs(long!.share + short!.share - 1) < 0.002);

  const line = (await of<{ recordings: Recording[] }>('/recordings')).recordings[0]!;
  assert.deepEqual(
    line.speakers.map(({ shown }) => shown),
    ['Speaker 1', 'Cem'],
  );

  // Others begin and end.
  await service.settled(token);

  // Later: out of the queue, and named all the same; of two tabs one wins.
  for (let time = 0; time < 2; time += 1) {
    assert.equal((await post('/speakers', { later: true })).status, 200);
  }
  const quiet = await of<Status>('/status');
  assert.deepEqual([quiet.status, quiet.speakers_pending], ['IDLE', []]);
  assert.equal((await of<Recording>(`/recordings/${id}`)).status, 'AWAITING_SPEAKERS');
  const tabs = await Promise.all(
    ['Ada', 'Eve'].map((name) =>
      service.call<ProblemAnswer>('POST', '/speakers', {
        token,
        json: { recording_id: id, speakers: { SPEAKER_00: name } },
      }),
    ),
  );
  assert.deepEqual(tabs.map(({ status }) => status).toSorted(), [200, 409]);
  await service.reaches(id, 'idle.saved');
  const saved = await of<Recording>(`/recordings/${id}`);
  const winner = tabs[0]!.status === 200 ? 'Ada' : 'Eve';
  assert.deepEqual(
    saved.speakers.map(({ name }) => name),
    [winner, 'Cem'],
  );
  const transcript = await of<string>(
    `/transcripts/${encodeURIComponent(saved.documents!.transcript)}`,
  );
  assert.match(
    transcript,
    new RegExp(`\\*\\*${winner}\\*\\* \\[00:00:00\\] Good morning \\^t-0001`),
  );
  assert.match(transcript, /\*\*Cem\*\* \[[\d:]+\] there\./);

  // Of the documents too a turn is cut, and corrected afterwards without losing the rest.
  const parts = (await of<Recording>(`/recordings/${id}`)).utterances;
  assert.equal((await post(at(0, '/split'), { word: 1 })).status, 200);
  const cut = (await of<Recording>(`/recordings/${id}`)).utterances;
  assert.deepEqual(
    cut.map((one) => one.text),
    ['Good', 'morning', ...parts.slice(1).map((one) => one.text)],
  );
  // A further run takes corrections and cuts along.
  await post(`/recordings/${id}/reprocess`, { from: 'speech-to-text' });
  await service.reaches(id, 'awaiting-speakers');
  await post('/speakers', { recording_id: id, skip: true });
  await service.reaches(id, 'idle.saved');
  const again = (await of<Recording>(`/recordings/${id}`)).utterances;
  const said = again.map((one) => one.text).join(' ');
  assert.ok(said.startsWith('Good morning there.'), said);
});
