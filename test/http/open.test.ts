import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openDesktop } from '../../src/documents/desktop.ts';
import { type ProblemAnswer, connect, rawRequest, wav, withAda } from '../support/http-client.ts';
import { tempDir } from '../support/temp-dir.ts';

type Opened = {
  opened: string[];
  launched?: boolean;
  uri?: string;
  conflicts?: { path: string; copy: string }[];
};

/** A folder for the PATH with programs that write down how they were called and end as they are told. */
async function standIns(t: TestContext, exits: Record<string, number>) {
  const folder = await tempDir(t);
  const calls = join(folder, 'calls');
  for (const [program, code] of Object.entries(exits)) {
    const path = join(folder, program);
    // One line a call: the program, its arguments, and the names in its environment.
    const script = [
      '#!/bin/sh',
      `printf '%s\\037' ${program} "$@" >> '${calls}'`,
      `printf '\\036%s\\n' "$(/usr/bin/env | /usr/bin/cut -d= -f1 | /usr/bin/sort | /usr/bin/tr '\\n' ' ')" >> '${calls}'`,
      `exit ${code}`,
    ];
    await writeFile(path, `${script.join('\n')}\n`);
    await chmod(path, 0o755);
  }
  return {
    path: folder,
    async calls(): Promise<{ command: string[]; environment: string[] }[]> {
      const text = await readFile(calls, 'utf8').catch(() => '');
      await rm(calls, { force: true });
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => {
          const [command = '', environment = ''] = line.split('\u001e');
          return {
            command: command.split('\u001f').slice(0, -1),
            environment: environment.trim().split(' '),
          };
        });
    },
  };
}

/** An administrator with a saved recording, another user, a vault, and stand-ins for programs. */
async function desktop(
  t: TestContext,
  options: { exits?: Record<string, number>; env?: Record<string, string>; vault?: string } = {},
) {
  const programs = await standIns(t, options.exits ?? { gdbus: 0, 'dbus-send': 0, 'xdg-open': 0 });
  const vault = options.vault ?? join(await tempDir(t), 'Mein Tresor & mehr');
  await mkdir(vault, { recursive: true });
  const env = { PATH: programs.path, DISPLAY: ':0', STT_API_KEY: 'secret', ...options.env };
  const { service, token } = await withAda(t, {
    env: { MITSCHRIFT_NOTES_VAULT: vault },
    overrides: { desktop: openDesktop(env, 'linux') },
  });
  const id = await service.settled(token);
  const { documents } = (
    await service.call<{ documents: Record<'index' | 'transcript' | 'summary', string> }>(
      'GET',
      `/recordings/${id}`,
      { token },
    )
  ).body;
  const space = join(service.dataDir, 'spaces', service.accounts.findUser('ada')!.userId);
  const open = <T = Opened>(json: unknown, as = token) =>
    service.call<T>('POST', '/open', { token: as, json });
  /** As a reverse proxy on this machine forwards it: for somebody elsewhere. */
  const openFromAfar = async (json: unknown, as = token) => {
    const { status, body } = await rawRequest(service.url, {
      method: 'POST',
      path: '/open',
      headers: {
        Authorization: `Bearer ${as}`,
        'Content-Type': 'application/json',
        'X-Forwarded-For': '203.0.113.5',
      },
      body: JSON.stringify(json),
    });
    return { status, body: JSON.parse(body) as Opened & ProblemAnswer };
  };
  return { service, token, id, documents, space, vault, programs, open, openFromAfar };
}

test('folder: the file manager shows the file, by D-Bus, with nothing of our environment', async (t) => {
  const { documents, space, programs, open } = await desktop(t);
  const paths = [documents.transcript, documents.index];
  const { status, body } = await open({ mode: 'folder', paths });
  assert.deepEqual([status, body], [200, { opened: paths }]);
  const [call, ...more] = await programs.calls();
  assert.deepEqual(more, []);
  const uris = paths.map((path) => `'file://${encodeURI(join(space, path))}'`);
  assert.deepEqual(call!.command, [
    'gdbus',
    'call',
    '--session',
    '--timeout',
    '5',
    '--dest',
    'org.freedesktop.FileManager1',
    '--object-path',
    '/org/freedesktop/FileManager1',
    '--method',
    'org.freedesktop.FileManager1.ShowItems',
    `[${uris.join(', ')}]`,
    "''",
  ]);
  assert.ok(!call!.environment.includes('STT_API_KEY'));
  assert.ok(call!.environment.includes('DISPLAY'));
});

test('folder: without an answer on D-Bus the folder is opened; with nothing at all it is 503', async (t) => {
  const { documents, space, programs, open } = await desktop(t, {
    exits: { gdbus: 1, 'xdg-open': 0 },
  });
  const asked = { mode: 'folder', paths: [documents.transcript] };
  assert.equal((await open(asked)).status, 200);
  const calls = (await programs.calls()).map(({ command }) => command);
  assert.deepEqual(calls[1], ['xdg-open', join(space, documents.transcript, '..')]);
  assert.deepEqual(calls.length, 2);

  await rm(join(programs.path, 'xdg-open'));
  const { status, body } = await open<ProblemAnswer>(asked);
  assert.deepEqual([status, body.type], [503, '/problems/unavailable']);
  assert.match(body.detail, /gdbus failed \(1\); dbus-send isn’t installed; xdg-open isn’t/);
});

test('notes: the index takes its siblings along into the vault, and the note is opened there', async (t) => {
  const { documents, space, vault, programs, open } = await desktop(t);
  const { status, body } = await open({ mode: 'notes', paths: [documents.index] });
  assert.equal(status, 200);
  const base = documents.index.slice(0, -'.md'.length);
  const uri = `obsidian://open?vault=Mein%20Tresor%20%26%20mehr&file=${encodeURIComponent(base)}`;
  assert.deepEqual(body, {
    opened: [documents.transcript, documents.summary, documents.index],
    launched: true,
    uri,
  });
  for (const path of Object.values(documents)) {
    assert.deepEqual(await readFile(join(vault, path)), await readFile(join(space, path)), path);
  }
  assert.deepEqual((await readdir(vault)).toSorted(), [base, documents.index].toSorted());
  assert.deepEqual(
    (await programs.calls()).map(({ command }) => command),
    [['xdg-open', uri]],
  );
});

test('notes: what is given is copied, and siblings only where nothing but the index is given', async (t) => {
  const { documents, vault, open } = await desktop(t);
  await open({ mode: 'notes', paths: [documents.summary] });
  assert.deepEqual(await readdir(join(vault, documents.summary, '..')), ['zusammenfassung.md']);
  const { body } = await open({ mode: 'notes', paths: [documents.index, documents.summary] });
  assert.deepEqual(body.opened, [documents.summary, documents.index]);
});

test('notes: ours is brought up to date; a note changed in the vault is kept, ours is beside it', async (t) => {
  const { documents, space, vault, open } = await desktop(t);
  const asked = { mode: 'notes', paths: [documents.index] };
  await open(asked);
  await writeFile(join(space, documents.index), 'A second version.\n');
  const second = await open(asked);
  assert.equal(second.body.conflicts, undefined);
  assert.equal(await readFile(join(vault, documents.index), 'utf8'), 'A second version.\n');

  await writeFile(join(vault, documents.index), 'Changed in the vault.\n');
  await writeFile(join(space, documents.index), 'A third version.\n');
  const third = await open(asked);
  const copy = third.body.conflicts?.[0]?.copy ?? '';
  assert.match(copy, / \(Mitschrift [0-9a-f]{8}\)\.md$/);
  assert.deepEqual(third.body.conflicts, [{ path: documents.index, copy }]);
  assert.equal(await readFile(join(vault, documents.index), 'utf8'), 'Changed in the vault.\n');
  assert.equal(await readFile(join(vault, copy), 'utf8'), 'A third version.\n');

  // Again: no further copy, and one that was changed is a person's as well.
  await writeFile(join(vault, copy), 'Changed, too.\n');
  assert.deepEqual((await open(asked)).body.conflicts, third.body.conflicts);
  assert.equal(await readFile(join(vault, copy), 'utf8'), 'Changed, too.\n');
  assert.equal((await readdir(vault)).length, 3);
});

test('notes: without a desktop the copies are made, and the answer says that nothing was launched', async (t) => {
  const { documents, vault, open } = await desktop(t, { env: { DISPLAY: '' } });
  const { status, body } = await open({ mode: 'notes', paths: [documents.index] });
  assert.deepEqual([status, body.opened.length, body.launched], [200, 3, false]);
  assert.ok((await readFile(join(vault, documents.index), 'utf8')).length > 0);
});

test('from elsewhere nothing is launched and no vault is named; others than administrators need their own', async (t) => {
  const { service, documents, id, vault, programs, openFromAfar } = await desktop(t);
  const folder = await openFromAfar({ mode: 'folder', paths: [documents.index] });
  assert.deepEqual(folder, { status: 200, body: { opened: [], uri: `/notes/${id}` } });

  const ben = await service.addUser('ben');
  await service.settled(ben);
  const { body } = await service.call<{ transcripts: { filename: string }[] }>(
    'GET',
    '/transcripts',
    { token: ben },
  );
  const asked = { mode: 'notes', paths: [body.transcripts[0]!.filename] };
  const refused = await openFromAfar(asked, ben);
  assert.deepEqual([refused.status, refused.body.type], [503, '/problems/unavailable']);
  assert.match(refused.body.detail, /Ask an administrator/);
  assert.deepEqual(await readdir(vault), []);

  const administrators = await openFromAfar({ mode: 'notes', paths: [documents.index] });
  assert.deepEqual([administrators.body.opened.length, administrators.body.launched], [3, false]);
  assert.equal(administrators.body.uri, undefined);
  assert.equal((await readdir(vault)).length, 2);
  assert.deepEqual(await programs.calls(), []);
});

test('what tray and hotkey recorded is opened by administrators, by the paths that `saved` gives them and its owner', async (t) => {
  const { service, token, documents: own, space, vault, open, openFromAfar } = await desktop(t);
  const ben = await service.addUser('ben');
  const client = connect(service.url, token);
  await client.until(({ type }) => type === 'position');
  const path = join(service.dataDir, 'tray.wav');
  await writeFile(path, wav());
  const { recordingId: id } = await service.recordingService.importAudio({
    path,
    filename: 'tray.wav',
    owner: 'guest',
    by: 'guest',
    command: 'guest',
    kind: 'solo',
    language: null,
    speakers: null,
    began: { said: '2026-03-03T10:00:00.000Z' },
  });
  const saved = await client.until((one) => one.type === 'saved' && one['recording_id'] === id);
  const { index, transcript, summary } = saved['paths'] as Record<string, string>;
  await service.reaches(id, 'idle.saved');
  const paths = [index!, transcript!, summary!];

  const ofGuest = { paths, owner: 'guest' };
  assert.deepEqual((await open({ mode: 'folder', ...ofGuest })).body, { opened: paths });
  assert.equal((await open({ mode: 'folder', paths })).status, 404);
  const afar = await openFromAfar({ mode: 'folder', ...ofGuest });
  assert.deepEqual([afar.status, afar.body.uri], [200, `/notes/${id}`]);
  const copied = await open({ mode: 'notes', paths: [index], owner: 'guest' });
  assert.deepEqual(copied.body.opened, [transcript, summary, index]);
  const guests = join(service.dataDir, 'spaces', 'guest');
  assert.deepEqual(
    await readFile(join(vault, index!), 'utf8'),
    await readFile(join(guests, index!), 'utf8'),
  );
  assert.equal((await open({ mode: 'folder', paths }, ben)).status, 404);
  assert.equal((await open({ mode: 'folder', ...ofGuest }, ben)).status, 404);

  // The same path in both spaces: their own, unless they say whose.
  await writeFile(join(guests, own.index), 'Of the tray.\n');
  const at = `/transcripts/${encodeURIComponent(own.index)}`;
  const read = async (query: string, as = token) =>
    (await service.call<string>('GET', `${at}${query}`, { token: as })).body;
  assert.equal(await read('?owner=guest'), 'Of the tray.\n');
  assert.equal(await read(''), await readFile(join(space, own.index), 'utf8'));
  await open({ mode: 'notes', paths: [own.index], owner: 'guest' });
  assert.equal(await readFile(join(vault, own.index), 'utf8'), 'Of the tray.\n');

  const [indexAt, summaryAt] = [index!, summary!].map(
    (path) => `/transcripts/${encodeURIComponent(path)}`,
  );
  const call = async (method: string, path: string, as = token) =>
    (await service.call(method, path, { token: as })).status;
  for (const method of ['GET', 'DELETE']) assert.equal(await call(method, summaryAt!, ben), 404);
  assert.equal(await call('POST', `${indexAt}/reprocess`, ben), 404);
  const there = await service.call<string>('GET', `${indexAt}?v=2`, { token });
  assert.equal(there.body, await readFile(join(guests, index!), 'utf8'));
  // Nothing of theirs is changed for a path alone: one of the caller's own may have had it.
  assert.equal(await call('DELETE', summaryAt!), 404);
  assert.equal(await call('POST', `${indexAt}/reprocess`), 404);
  assert.equal((await service.call('PUT', indexAt!, { token, body: '' })).status, 404);
  // Also one that is of no recording any more.
  await writeFile(join(space, index!), 'Kept.\n');
  assert.equal((await service.call<string>('GET', indexAt!, { token })).body, 'Kept.\n');
  await rm(join(space, index!));
  const edited = await service.call('PUT', `${indexAt}?owner=guest`, {
    token,
    body: `${there.body}\nSeen.\n`,
    headers: {
      'If-Match': there.headers.get('etag') ?? '',
      'Content-Type': 'text/markdown',
    },
  });
  assert.deepEqual([edited.status, edited.body['own']], [200, true]);
  await service.reaches(id, 'idle.saved');
  assert.equal(await call('DELETE', `${summaryAt}?owner=guest`), 204);
  assert.equal(await call('GET', summaryAt!), 404);
  assert.equal(await call('POST', `${indexAt}/reprocess?owner=guest`), 202);
  await service.reaches(id, 'idle.saved');
});

test('a path that leaves the space, or the vault, is refused before anything is done', async (t) => {
  const { service, documents, space, vault, programs, open } = await desktop(t);
  await writeFile(join(service.dataDir, 'outside.md'), 'outside');
  await symlink(join(service.dataDir, 'outside.md'), join(space, 'link.md'));
  for (const mode of ['folder', 'notes']) {
    for (const path of [
      '../../outside.md',
      '/etc/passwd',
      'link.md',
      'a\\b',
      'nul',
      '~/x',
      'x\0',
    ]) {
      const { status, body } = await open<ProblemAnswer>({ mode, paths: [documents.index, path] });
      assert.deepEqual([status, body.type], [403, '/problems/outside-space'], path);
    }
    assert.equal((await open({ mode, paths: ['none.md'] })).status, 404);
  }
  assert.equal((await open({ mode: 'notes', paths: [] })).status, 422);
  assert.equal((await open({ mode: 'shell', paths: ['x'] })).status, 422);

  const elsewhere = await tempDir(t);
  await symlink(elsewhere, join(vault, documents.index.slice(0, -'.md'.length)));
  const { status } = await open({ mode: 'notes', paths: [documents.index] });
  assert.equal(status, 403);
  assert.deepEqual(await readdir(elsewhere), []);
  assert.deepEqual(await programs.calls(), []);
});

test('without a vault the answer says who can set one; a vault that is gone is 503', async (t) => {
  const { service, token } = await withAda(t);
  await service.settled(token);
  const { body } = await service.call<{ transcripts: { filename: string }[] }>(
    'GET',
    '/transcripts',
    { token },
  );
  const json = { mode: 'notes', paths: [body.transcripts[0]!.filename] };
  const none = await service.call<ProblemAnswer>('POST', '/open', { token, json });
  assert.deepEqual([none.status, none.body.type], [503, '/problems/unavailable']);
  assert.match(none.body.detail, /notes\.vault/);

  const { documents, vault, open } = await desktop(t);
  await rm(vault, { recursive: true });
  const gone = await open<ProblemAnswer>({ mode: 'notes', paths: [documents.index] });
  assert.equal(gone.status, 503);
  assert.match(gone.body.detail, /doesn’t exist/);
});

test('macOS and Windows: their own programs, one argument a path', async (t) => {
  const programs = await standIns(t, { open: 0, 'explorer.exe': 1, 'rundll32.exe': 0 });
  const env = { PATH: programs.path };
  const uri = 'obsidian://open?vault=a&file=b%20c';
  await openDesktop(env, 'darwin').showFiles(["/a b/c'd.md", '/e.md']);
  await openDesktop(env, 'darwin').openUri(uri);
  await openDesktop(env, 'win32').showFiles(['C:\\Users\\a b\\c.md']);
  await openDesktop(env, 'win32').openUri(uri);
  assert.deepEqual(
    (await programs.calls()).map(({ command }) => command),
    [
      ['open', '-R', "/a b/c'd.md", '/e.md'],
      ['open', uri],
      ['explorer.exe', '/select,"C:\\Users\\a b\\c.md"'],
      ['rundll32.exe', 'url.dll,FileProtocolHandler', uri],
    ],
  );
});

test('characters that end a string for D-Bus tools are encoded', async (t) => {
  const programs = await standIns(t, { gdbus: 1, 'dbus-send': 0 });
  await openDesktop({ PATH: programs.path, DISPLAY: ':0' }, 'linux').showFiles(["/it's, a.md"]);
  const [gdbus, dbusSend] = (await programs.calls()).map(({ command }) => command);
  assert.equal(gdbus!.at(-2), "['file:///it%27s%2C%20a.md']");
  assert.equal(dbusSend!.at(-2), 'array:string:file:///it%27s%2C%20a.md');
});
