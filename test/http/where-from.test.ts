import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { checkLog } from '../../src/recordings/check-log.ts';
import { type ProblemAnswer, type TestService, wav, withAda } from '../support/http-client.ts';
import { make } from '../support/espeak.ts';
import { tempDir } from '../support/temp-dir.ts';

type Recording = {
  title: string;
  source: string | null;
  started_at: string;
  documents: Record<'index' | 'transcript' | 'summary', string>;
};

test('the name of an uploaded file is in the documents, the lists, the search and the recording', async (t) => {
  const { service, token } = await withAda(t);
  const filename = 'Gespräch mit Jürgen [3].wav';
  const id = await saved(service, token, {}, { filename });
  const { body } = await service.call<Recording>('GET', `/recordings/${id}`, { token });
  assert.equal(body.source, filename);
  for (const document of Object.values(body.documents)) {
    const { body: markdown } = await read(service, token, document);
    assert.match(markdown, /^source: "Gespräch mit Jürgen \[3\]\.wav"$/m, document);
  }
  const { body: index } = await read(service, token, body.documents.index);
  assert.match(index, /^Source: Gespräch mit Jürgen \\\[3\\\]\.wav$/m);
  const library = await service.call<{ transcripts: Recording[] }>('GET', '/transcripts', {
    token,
  });
  assert.equal(library.body.transcripts[0]?.source, filename);
  const found = await service.call<{ hits: Recording[] }>('GET', '/search?q=jurgen', { token });
  assert.equal(found.body.hits[0]?.source, filename);
});

test('an imported recording is dated by a person, else by its container, else by the file, else now', async (t) => {
  const { service, token } = await withAda(t);
  const plain = { audio: wav(), filename: 'a.wav' };
  const said = '2024-05-06T07:08:09+02:00';
  const modified = '2022-01-02T03:04:05Z';
  const made = { audio: await dated(t, '2023-02-03T09:10:11Z'), filename: 'a.m4a' };
  const unset = { audio: await dated(t, '1904-01-01T00:00:00Z'), filename: 'a.m4a' };
  for (const [fields, file, expected] of [
    [{ started_at: said, modified_at: modified }, made, '2024-05-06T05:08:09.000Z'],
    [{ modified_at: modified }, made, '2023-02-03T09:10:11.000Z'],
    [{ modified_at: modified }, unset, '2022-01-02T03:04:05.000Z'],
    [{ modified_at: modified }, plain, '2022-01-02T03:04:05.000Z'],
  ] as const) {
    const id = await saved(service, token, fields, file);
    const { body } = await service.call<Recording>('GET', `/recordings/${id}`, { token });
    assert.equal(body.started_at, expected);
    assert.equal(body.documents.index.slice(0, 10), expected.slice(0, 10));
  }
  const before = Date.now();
  // A clock that was set wrong says nothing.
  for (const fields of [{}, { modified_at: '2999-01-01T00:00:00Z' }]) {
    const id = await saved(service, token, fields, plain);
    const { body } = await service.call<Recording>('GET', `/recordings/${id}`, { token });
    const began = Date.parse(body.started_at);
    assert.ok(began >= before - 1000 && began <= Date.now(), body.started_at);
  }
  for (const started_at of [
    'yesterday',
    '2024-05-06',
    '1850-01-01T00:00:00Z',
    '2999-01-01T00:00:00Z',
  ]) {
    const refused = await service.upload<ProblemAnswer>(token, { started_at });
    assert.deepEqual([refused.status, refused.body.errors?.[0]?.path], [422, 'started_at']);
  }
});

test('a resumable upload is dated by its metadata', async (t) => {
  const { service, token } = await withAda(t);
  const audio = wav();
  const fields = {
    filename: 'a.wav',
    started_at: '2024-05-06T07:08:09+02:00',
    modified_at: '2999-01-01T00:00:00Z',
  };
  const metadata = Object.entries(fields).map(
    ([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`,
  );
  const begun = await fetch(`${service.url}/uploads`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Tus-Resumable': '1.0.0',
      'Upload-Length': String(audio.length),
      'Upload-Metadata': metadata.join(','),
    },
  });
  const sent = await fetch(service.url + begun.headers.get('location')!, {
    method: 'PATCH',
    headers: {
      'Tus-Resumable': '1.0.0',
      'Upload-Offset': '0',
      'Content-Type': 'application/offset+octet-stream',
    },
    body: audio,
  });
  const { recording_id: id } = (await sent.json()) as { recording_id: string };
  const { body } = await service.call<Recording>('GET', `/recordings/${id}`, { token });
  assert.equal(body.started_at, '2024-05-06T05:08:09.000Z');
});

test('a start that a person corrects is the date of documents and lists; file names stay', async (t) => {
  const { service, token } = await withAda(t);
  const id = await saved(service, token, { started_at: '2024-05-06T07:08:09Z' });
  const other = await saved(service, token, { started_at: '2024-05-07T00:00:00Z' });
  const path = `/recordings/${id}`;
  const { body: before } = await service.call<Recording>('GET', path, { token });
  const json = { started_at: '2025-01-02T03:04:05+01:00' };
  const changed = await service.call<Recording>('PATCH', path, { token, json });
  assert.equal(changed.status, 200);
  assert.equal(changed.body.started_at, '2025-01-02T02:04:05.000Z');
  assert.deepEqual(changed.body.documents, before.documents);
  const { body: index } = await read(service, token, before.documents.index);
  const [, date] = /^date: (.*)$/m.exec(index)!;
  assert.equal(new Date(date!).toISOString(), '2025-01-02T02:04:05.000Z');
  type List = { recordings: { recording_id: string }[] };
  const list = await service.call<List>('GET', '/recordings', { token });
  assert.deepEqual(
    list.body.recordings.map(({ recording_id }) => recording_id),
    [id, other],
  );
  const head = await service.store.head();
  await service.call('PATCH', path, { token, json: { started_at: '2025-01-02T02:04:05Z' } });
  assert.equal(await service.store.head(), head, 'the same moment is no change');
  assert.deepEqual((await checkLog(service.store)).differences, []);
});

test('overrides of direction are in no title', async (t) => {
  const { service, token } = await withAda(t);
  const title = 'Plan \u202Efdp.exe\u2066';
  const id = await saved(service, token, { title });
  for (const json of [undefined, { title: `New ${title}` }]) {
    if (json) await service.call('PATCH', `/recordings/${id}`, { token, json });
    const { body } = await service.call<Recording>('GET', `/recordings/${id}`, { token });
    const texts = [JSON.stringify(body)];
    for (const document of Object.values(body.documents)) {
      texts.push((await read(service, token, document)).body);
    }
    for (const text of texts) assert.doesNotMatch(text, /[\u202A-\u202E\u2066-\u2069]/u);
  }
  const empty = await service.call('PATCH', `/recordings/${id}`, {
    token,
    json: { title: '\u202E ' },
  });
  assert.equal(empty.status, 422);
});

test('the same file again, of the same user only, is taken and named', async (t) => {
  const { service, token } = await withAda(t);
  const send = async (by: string, seconds: number, key?: string) => {
    const headers: Record<string, string> = key === undefined ? {} : { 'Idempotency-Key': key };
    const audio = wav(seconds);
    type Answer = { recording_id: string; same_audio_as: string | null };
    const { status, body } = await service.upload<Answer>(by, {}, { audio, headers });
    assert.equal(status, 202);
    await service.reaches(body.recording_id, 'idle.saved');
    return body;
  };
  const first = await send(token, 0.1, 'first');
  assert.equal(first.same_audio_as, null);
  assert.equal((await send(token, 0.2)).same_audio_as, null);
  const second = await send(token, 0.1);
  assert.notEqual(second.recording_id, first.recording_id);
  assert.equal(second.same_audio_as, first.recording_id);
  assert.deepEqual(await send(token, 0.1, 'first'), first, 'a repetition is answered as before');

  const bobs = await service.addUser('bob');
  const theirs = await send(bobs, 0.1);
  assert.equal(theirs.same_audio_as, null, 'what others have is not named');
  assert.equal((await send(bobs, 0.1)).same_audio_as, theirs.recording_id);

  await service.call('DELETE', `/recordings/${first.recording_id}`, { token });
  assert.equal((await send(token, 0.1)).same_audio_as, second.recording_id);
  assert.deepEqual((await checkLog(service.store)).differences, []);
});

async function saved(
  service: TestService,
  token: string,
  fields: Record<string, string>,
  file: Parameters<TestService['upload']>[2] = {},
): Promise<string> {
  const { status, body } = await service.upload(token, fields, file);
  assert.equal(status, 202);
  await service.reaches(body.recording_id, 'idle.saved');
  return body.recording_id;
}

const read = (service: TestService, token: string, document: string) =>
  service.call<string>('GET', `/transcripts/${encodeURIComponent(document)}`, { token });

/** A second of tone as phones keep it, with the time of its making. */
async function dated(t: TestContext, time: string): Promise<Uint8Array> {
  const path = join(await tempDir(t), 'a.m4a');
  const tone = ['-f', 'lavfi', '-i', 'sine=duration=1'];
  await make('ffmpeg', '-loglevel', 'error', ...tone, '-metadata', `creation_time=${time}`, path);
  return await readFile(path);
}
