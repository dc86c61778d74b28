import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { filesBelow } from '../support/files-below.ts';
import { rawRequest, type ProblemAnswer, withAda } from '../support/http-client.ts';
import { ask, meeting, read, spelledWorld } from '../support/spelled-world.ts';

type Library = {
  transcripts: {
    recording_id: string;
    filename: string;
    documents: Record<string, string>;
    speakers: string[];
  }[];
};

test('documents are read by their path, with slashes raw or encoded', async (t) => {
  const { service, token } = await withAda(t);
  await service.settled(token);
  const library = await service.call<Library>('GET', '/transcripts?kind=solo', { token });
  const path = library.body.transcripts[0]!.documents['transcript']!;
  const raw = await service.call<string>('GET', `/transcripts/${encodeURI(path)}`, { token });
  const encoded = await service.call<string>('GET', `/transcripts/${encodeURIComponent(path)}`, {
    token,
  });
  assert.equal(raw.status, 200);
  assert.equal(raw.body, encoded.body);
  const unchanged = await rawRequest(service.url, {
    path: `/transcripts/${encodeURIComponent(path)}`,
    headers: { Authorization: `Bearer ${token}`, 'If-None-Match': raw.headers.get('etag') ?? '' },
  });
  assert.equal(unchanged.status, 304);
  assert.deepEqual(
    (await service.call<Library>('GET', '/transcripts?kind=meeting', { token })).body.transcripts,
    [],
  );
});

test('a path that leaves the user’s space is rejected: 403, and nothing outside is read', async (t) => {
  const { service, token } = await withAda(t);
  const { userId } = service.accounts.findUser('ada')!;
  await service.call('GET', '/transcripts/none.md', { token });
  await writeFile(join(service.dataDir, 'outside.md'), 'outside');
  await symlink(
    join(service.dataDir, 'outside.md'),
    join(service.dataDir, 'spaces', userId, 'link.md'),
  );
  for (const path of [
    '..%2f..%2foutside.md',
    '%2e%2e%2f%2e%2e%2foutside.md',
    '%2fetc%2fpasswd',
    '/etc/passwd',
    'a/../../../outside.md',
    '..%5c..%5coutside.md',
    'nul%00.md',
    'link.md',
    'C:%2fwindows',
  ]) {
    for (const method of ['GET', 'POST']) {
      const suffix = method === 'POST' ? '/reprocess' : '';
      const answer = await rawRequest(service.url, {
        method,
        path: `/transcripts/${path}${suffix}`,
        headers: { Authorization: `Bearer ${token}` },
      });
      assert.equal(answer.status, 403, `${method} ${path}`);
      assert.equal((JSON.parse(answer.body) as ProblemAnswer).type, '/problems/outside-space');
      assert.ok(!answer.body.includes('outside.md'));
    }
  }
  const broken = await rawRequest(service.url, {
    path: '/transcripts/%ff%zz',
    headers: { Authorization: `Bearer ${token}` },
  });
  assert.equal(broken.status, 400);
  assert.equal(
    (await service.call('GET', '/transcripts/x%252f..%252foutside.md', { token })).status,
    404,
  );
});

test('a document of somebody else is not there', async (t) => {
  const { service, token: ada } = await withAda(t);
  const ben = await service.addUser('ben');
  await service.settled(ben);
  const library = await service.call<Library>('GET', '/transcripts', { token: ben });
  const path = `/transcripts/${encodeURIComponent(library.body.transcripts[0]!.filename)}`;
  assert.equal((await service.call('GET', path, { token: ben })).status, 200);
  assert.equal((await service.call('GET', path, { token: ada })).status, 404);
  assert.equal((await service.call('POST', `${path}/reprocess`, { token: ada })).status, 404);
});

test('documents of what was handed over while it waited are the new owner’s alone, before they move and after', async (t) => {
  const { service, token: ada } = await withAda(t);
  const ben = await service.addUser('ben');
  const id = await service.settled(ada, { kind: 'meeting' });
  const call = async (method: string, path: string, token = ada, json?: object) =>
    await service.call(method, path, { token, ...(json && { json }) });
  await service.named(ada, id);
  await call('POST', `/recordings/${id}/reprocess`, ada, { from: 'speech-to-text' });
  await service.reaches(id, 'awaiting-speakers');
  const library = await service.call<Library>('GET', '/transcripts', { token: ada });
  const { filename } = library.body.transcripts[0]!;
  const path = `/transcripts/${encodeURIComponent(filename)}`;
  const statuses = async (token: string) => [
    (await call('GET', path, token)).status,
    (await call('DELETE', path, token)).status,
    (await call('POST', '/open', token, { mode: 'folder', paths: [filename] })).status,
  ];
  const handedOver = await call('PATCH', `/recordings/${id}`, ada, { owner: 'ben' });
  assert.equal(handedOver.status, 200);
  assert.deepEqual(await statuses(ada), [404, 404, 404]);
  assert.equal((await call('POST', `/recordings/${id}/cancel`, ben)).status, 200);
  await eventually('they are in the new owner’s folder', async () => {
    return (await call('GET', path, ben)).status === 200;
  });
  assert.deepEqual(await statuses(ada), [404, 404, 404]);
  const { userId } = service.accounts.findUser('ada')!;
  const left = await filesBelow(join(service.dataDir, 'spaces', userId));
  assert.deepEqual([...left], [], 'nothing stays with the former owner');
});

test('POST /transcripts/{filename}/reprocess runs the transcript through the language model again', async (t) => {
  const { service, token } = await withAda(t);
  const id = await service.settled(token);
  const library = await service.call<Library>('GET', '/transcripts', { token });
  for (const path of Object.values(library.body.transcripts[0]!.documents)) {
    const encoded = encodeURIComponent(path);
    const { status, body } = await service.call('POST', `/transcripts/${encoded}/reprocess`, {
      token,
    });
    assert.deepEqual([status, body], [202, { recording_id: id, status: 'TRANSCRIBING' }]);
    await service.reaches(id, 'idle.saved');
  }
  const { body } = await service.call('GET', `/recordings/${id}`, { token });
  assert.equal(body['version'], 4);
});

test('without a language model configured nothing is begun from it: 409 says what to do, and from speech-to-text it runs', async (t) => {
  const { service, token } = await withAda(t, { overrides: { hasLanguageModel: () => false } });
  const id = await service.settled(token);
  const library = await service.call<Library>('GET', '/transcripts', { token });
  const { filename } = library.body.transcripts[0]!;
  const before = await service.store.head();
  for (const path of [`/recordings/${id}`, `/transcripts/${encodeURIComponent(filename)}`]) {
    for (const json of [undefined, { from: 'language-model', language: 'de' }]) {
      const init = json === undefined ? { token } : { token, json };
      const { status, body } = await service.call<ProblemAnswer>('POST', `${path}/reprocess`, init);
      assert.deepEqual([status, body.type], [409, '/problems/no-language-model']);
      assert.match(body.detail, /transcribe the recording again without one.*llm\.base_url/);
    }
  }
  assert.equal(await service.store.head(), before, 'a fact of a refused command');
  const json = { from: 'speech-to-text' };
  const again = await service.call('POST', `/recordings/${id}/reprocess`, { token, json });
  assert.equal(again.status, 202);
  await service.reaches(id, 'idle.saved');
});

test('who says no line any more is a speaker of no document, list or export; and can be named still', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  const id = await meeting(at, [2, 1, 4]);
  const listed = async () => {
    const { documents } = await read(service, token, id);
    const found = [];
    for (const path of Object.values(documents)) {
      const url = `/transcripts/${encodeURIComponent(path)}`;
      const { body } = await service.call<string>('GET', url, { token });
      found.push(/^speakers:\n((?: +- .*\n)*)/mu.exec(body)?.[1] ?? '');
    }
    const { transcripts } = await ask<Library>(at, 'GET', '/transcripts');
    const answer = await fetch(`${service.url}/recordings/${id}/export?format=json`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const exported = (await answer.json()) as { speakers: object[] };
    const filtered = await ask<Library>(at, 'GET', '/transcripts?speaker=Ben');
    found.push(JSON.stringify(transcripts[0]?.speakers), JSON.stringify(exported.speakers));
    return found.filter((one) => one.includes('Ben')).length + filtered.transcripts.length;
  };
  assert.equal(await listed(), 6);
  await ask(at, 'PATCH', `/recordings/${id}/utterances/1`, { speaker: 'SPEAKER_00' });
  await service.reaches(id, 'idle.saved');
  assert.equal(await listed(), 0);
  const { version, speakers } = await read(service, token, id);
  assert.deepEqual(speakers.map(({ name }) => name).toSorted(), ['Ann', 'Ben']);
  // As that version was, it is restored.
  for (const [restored, expected] of [
    [1, 6],
    [version, 0],
  ] as const) {
    const before = (await read(service, token, id)).version;
    await ask(at, 'POST', `/recordings/${id}/versions/${restored}/restore`);
    await eventually('its documents are written', async () => {
      const now = await read(service, token, id);
      return now.version > before && now.state === 'idle.saved';
    });
    assert.equal(await listed(), expected, `version ${restored}`);
  }
});
