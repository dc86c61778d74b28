import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { recordingById } from '../../projections/recordings.ts';
import { type ProblemAnswer, type TestService, wav, withAda } from '../support/http-client.ts';
import { tempDir } from '../support/temp-dir.ts';
import { unzip } from '../support/unzip.ts';

const run = promisify(execFile);

async function download(service: TestService, token: string, headers: object = {}) {
  const response = await fetch(`${service.url}/users/me/export`, {
    headers: { Authorization: `Bearer ${token}`, ...headers },
  });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

const note = (service: TestService, token: string, title: string) =>
  service.settled(token, { title });

test('all that one has is in one file: documents, audio, order and account; nothing of others, nothing erased', async (t) => {
  const { service, token: ada } = await withAda(t, { marker: (owner) => `said-by-${owner}` });
  const ben = await service.addUser('ben');
  const id = await note(service, ada, 'Plan of ada');
  const gone = await note(service, ada, 'Erased title');
  const theirs = await note(service, ben, 'Title of ben');
  const post = async (token: string, path: string, json: object) =>
    (await service.call<{ id: string }>('POST', path, { token, json })).body;
  const { id: folder } = await post(ada, '/folders', { name: 'Projects of ada' });
  await post(ada, '/tags', { name: 'Tag of ada' });
  await post(ada, '/rules', { when: { title: 'Rule of ada' }, then: { folder } });
  const sections = [{ title: 'Section of ada' }];
  await post(ada, '/templates', { name: 'Template of ada', sections });
  await post(ada, '/words', { write: 'Word of ada', heard: ['Wort of ada'] });
  await post(ben, '/words', { write: 'Word of ben' });
  await service.call('PUT', '/retention', { token: ada, json: { audio_days: 4321 } });
  await service.call('PATCH', `/folders/${folder}`, {
    token: ada,
    json: { retention: { notes_days: 1234 } },
  });
  await post(ben, '/folders', { name: 'Folder of ben' });
  await post(ben, '/templates', { name: 'Template of ben', sections });
  await service.call('PUT', `/recordings/${id}/access`, { token: ada, json: { user: 'ben' } });
  // What ben shares with her is his.
  await service.call('PUT', `/recordings/${theirs}/access`, { token: ben, json: { user: 'ada' } });
  await service.call('DELETE', `/recordings/${gone}`, { token: ada });

  const { response, bytes } = await download(service, ada);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/zip');
  assert.match(response.headers.get('content-disposition') ?? '', /filename="mitschrift\.zip"/);
  const file = join(await tempDir(t), 'all.zip');
  await writeFile(file, bytes);
  await run('python3', ['-m', 'zipfile', '-t', file]);

  const inside = await unzip(bytes);
  const names = [...inside.keys()];
  const documents = names.filter((name) => name.endsWith('.md'));
  assert.equal(documents.length, 3, names.join('\n'));
  const row = (await recordingById(service.storage, id))!;
  assert.ok(names.some((name) => /^recordings\/.+\/audio\.(flac|wav)$/u.test(name)));
  const folderOf = documents[0]!.slice(0, documents[0]!.lastIndexOf('/'));
  const recording = JSON.parse(inside.get(`${folderOf}/recording.json`)!) as {
    recording_id: string;
    title: string;
    shared_with: { name: string; role: string }[];
  };
  assert.equal(recording.recording_id, row.recordingId);
  assert.deepEqual(
    recording.shared_with.map(({ name, role }) => [name, role]),
    [['ben', 'read']],
  );
  const text = [...inside.values()].join('\n');
  const { userId } = service.accounts.findUser('ada')!;
  for (const own of ['Projects of ada', 'Tag of ada', 'Rule of ada', `said-by-${userId}`])
    assert.ok(text.includes(own), own);
  const account = JSON.parse(inside.get('account.json')!) as {
    username: string;
    sessions: object[];
  };
  assert.deepEqual([account.username, account.sessions.length], ['ada', 1]);
  const read = (name: string): unknown => JSON.parse(inside.get(name)!);
  const [template] = read('templates.json') as { name: string; sections: { title: string }[] }[];
  assert.deepEqual(
    [template?.name, template?.sections.map(({ title }) => title)],
    ['Template of ada', ['Section of ada']],
  );
  const [word] = read('words.json') as { write: string; heard: string[] }[];
  assert.deepEqual([word?.write, word?.heard], ['Word of ada', ['Wort of ada']]);
  assert.equal((read('retention.json') as { audio_days: number }).audio_days, 4321);
  const [kept] = read('folders.json') as { retention: object }[];
  assert.deepEqual(kept?.retention, { notes_days: 1234 });
  const other = service.accounts.findUser('ben')!.userId;
  for (const foreign of [
    'Title of ben',
    'Word of ben',
    'Folder of ben',
    'Template of ben',
    `said-by-${other}`,
    theirs,
    gone,
  ])
    assert.ok(!text.includes(foreign), foreign);
  for (const secret of ['Erased title', ada, 'password', '$argon2', '$scrypt'])
    assert.ok(!text.includes(secret), secret);
  assert.ok(!inside.has('MISSING.txt'));
});

test('audio that is missing or damaged is named in the file, and all else is in it', async (t) => {
  const { service, token: ada } = await withAda(t);
  const [lost, spoilt] = [await note(service, ada, 'One'), await note(service, ada, 'Two')];
  await note(service, ada, 'Three');
  const pathOf = async (id: string) => {
    const { audio } = (await recordingById(service.storage, id))!;
    return await service.services.audio.read(id, audio!, async (path) => path);
  };
  await rm(await pathOf(lost));
  await writeFile(await pathOf(spoilt), 'no audio any more');
  const { response, bytes } = await download(service, ada, { 'Accept-Language': 'de' });
  assert.equal(response.status, 200);
  const inside = await unzip(bytes);
  const missing = inside.get('MISSING.txt')!.trim().split('\n');
  assert.equal(missing.length, 2, missing.join('\n'));
  assert.match(
    missing.find((line) => line.includes(lost))!,
    /Die Audiodatei fehlt/,
  );
  assert.match(
    missing.find((line) => line.includes(spoilt))!,
    /Die Audiodatei ist beschädigt/,
  );
  assert.equal([...inside.keys()].filter((name) => name.endsWith('.md')).length, 9);
});

test('a browser gets it by a ticket, which opens nothing else', async (t) => {
  const { service, token: ada } = await withAda(t);
  const id = await note(service, ada, 'One');
  const opened = await service.call<{ ticket: string }>('POST', '/users/me/export', { token: ada });
  assert.equal(opened.status, 201);
  const by = (path: string) => fetch(`${service.url}${path}?ticket=${opened.body.ticket}`);
  const got = await by('/users/me/export');
  assert.equal(got.status, 200);
  assert.ok((await unzip(Buffer.from(await got.arrayBuffer()))).has('account.json'));
  assert.equal((await by(`/recordings/${id}/audio`)).status, 401);
  assert.equal((await by('/users/me/sessions')).status, 401);
  const { body: other } = await service.call<{ ticket: string }>(
    'POST',
    `/recordings/${id}/ticket`,
    {
      token: ada,
      json: {},
    },
  );
  const refused = await fetch(`${service.url}/users/me/export?ticket=${other.ticket}`);
  assert.equal(refused.status, 401);
  const problem = (await refused.json()) as ProblemAnswer;
  assert.equal(problem.type, '/problems/not-authenticated');
});

for (const [what, end] of [
  ['user is disabled', 'disable'],
  ['session has ended', 'log out'],
] as const)
  test(`a download ends before the next recording when its ${what}`, async (t) => {
    const { service, token: ada } = await withAda(t);
    const ben = await service.addUser('ben');
    // More than sockets hold for who does not read.
    const audio = wav(600);
    randomFillSync(audio, 44);
    for (const title of ['One', 'Two']) {
      await service.settled(ben, { title }, { audio });
    }
    const response = await fetch(`${service.url}/users/me/export`, {
      headers: { Authorization: `Bearer ${ben}` },
    });
    assert.equal(response.status, 200);
    const reader = response.body!.getReader();
    let bytes = (await reader.read()).value?.length ?? 0;
    const { status } =
      end === 'disable'
        ? await service.call('PATCH', '/users/ben', { token: ada, json: { disabled: true } })
        : await service.call('POST', '/logout', { token: ben });
    assert.ok(status < 300, String(status));
    await assert.rejects(async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        bytes += value.length;
      }
    });
    assert.ok(bytes < 1.5 * audio.length, `${bytes} of ${2 * audio.length}`);
  });
