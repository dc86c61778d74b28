import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type ProblemAnswer, rawRequest, withAda } from '../support/http-client.ts';
import { type Named, type Walked, walkOperations } from '../support/walk-operations.ts';

/** What needs no login. A new route is not among them until it is written here. */
const publicOperations = [
  // Whoever has a link has no account yet.
  'acceptInvitation',
  // The web app: one page at every address, which asks for what it shows.
  'accountPage',
  // Nobody is known before the provider has said who comes.
  'beginInvitedSignOn',
  'beginSignOn',
  'docs',
  'finishSignOn',
  'guideAdministration',
  'guideChanges',
  'guideDeploy',
  'guideIntegrity',
  'guideLanguage',
  'guideOperating',
  'guideReadme',
  'guideRecording',
  'guideSettings',
  'guideSpeech',
  'health',
  'linkPage',
  'login',
  'loginByCode',
  'loginPage',
  'lookAtInvitation',
  'notePage',
  'openapi',
  'organisePage',
  'page',
  'readShared',
  'setUp',
  'settingsPage',
  'setupPage',
  'setupState',
  'signOnOffer',
  'speakersPage',
  'statechartPage',
];
const marker = 'zqannaxv';
const all = walkOperations();
const missing: Named = {
  id: '01M7YB8DQZG1E7K5Q61TP77TYM',
  filename: '2026-01-01 10.00 None.md',
  upload: '0123456789abcdef0123456789abcdef',
  name: 'nemo',
};

test('without a login nothing is answered but what is written here', async (t) => {
  const { service, anna, named, left } = await inhabited(t);
  const open = all.filter(({ isPublic }) => isPublic).map(({ operation }) => operation);
  assert.deepEqual(open.toSorted(), publicOperations);
  const before = await left();
  const over = await service.login('ben');
  await service.call('POST', '/logout', { token: over });
  const credentials: [string, Record<string, string>, string][] = [
    ['nothing', {}, ''],
    ['a session that is over', { Authorization: `Bearer ${over}` }, ''],
    ['the token as a password', { Authorization: `Basic ${btoa(`anna:${anna}`)}` }, ''],
    ['the token in a cookie', { Cookie: `session=${anna}; token=${anna}` }, ''],
    ['the token in the query', {}, `?token=${anna}`],
    ['a ticket that was never given', {}, '?ticket=0123456789abcdef0123456789abcdef'],
  ];
  let asked = 0;
  for (const one of all.filter(({ isPublic }) => !isPublic)) {
    for (const [what, headers, query] of credentials) {
      // The address of an upload is the right to it: an unknown one is asked for.
      const ofUpload = one.path(missing).includes(missing.upload);
      const path = one.path(ofUpload ? missing : named) + query;
      for (const method of one.method === 'GET' ? ['GET', 'HEAD'] : [one.method]) {
        const init = one.init(named);
        const given = { ...init.headers, ...headers };
        // What has no body is no JSON either.
        const { status } =
          method === 'HEAD'
            ? await rawRequest(service.url, { method, path, headers: given })
            : await service.call(method, path, { ...init, headers: given });
        assert.equal(status, ofUpload ? 404 : 401, `${method} ${path} with ${what}`);
        asked += 1;
      }
    }
  }
  t.diagnostic(`${asked} requests`);
  assert.deepEqual(await left(), before);
});

test('what is another’s is not there, for users and for administrators, and stays as it is', async (t) => {
  const { service, admin, anna, ben, named, left } = await inhabited(t);
  const before = await left();
  const pointing = all.filter((one) => one.pointsAtSomething && !one.forAdmins && !one.isPublic);
  assert.ok(pointing.length > 25);
  for (const [who, token] of [
    ['a user', ben],
    ['an administrator', admin],
  ] as const) {
    for (const one of pointing) {
      const where = `${one.method} ${one.path(named)} by ${who}`;
      const theirs = await ask(one, token, named);
      assert.equal(theirs.status, 404, `${where}: ${theirs.text}`);
      assert.deepEqual(
        theirs,
        await ask(one, token, missing),
        `${where}: as one that is not there`,
      );
    }
  }
  // What names nothing tells nothing of another either. Logging out comes last.
  const others = all.filter((one) => !one.pointsAtSomething && !one.forAdmins && !one.isPublic);
  for (const one of others.toSorted(
    (a, b) => Number(a.operation === 'logout') - Number(b.operation === 'logout'),
  )) {
    const { status, text } = await ask(one, ben, named);
    assert.ok(status < 500 || status === 503, `${one.operation}: ${status} ${text}`);
    // An id that was sent may come back, as one that is not there does.
    const { body } = one.init(named);
    const isSent = typeof body === 'string' && body.includes(named.id);
    const told = isSent ? text.replaceAll(named.id, missing.id) : text;
    if (isSent) assert.equal(told, (await ask(one, ben, missing)).text, one.operation);
    for (const secret of [marker, named.id, named.upload]) {
      assert.ok(!told.includes(secret), `${one.operation} tells ben of ${secret}`);
    }
  }
  assert.deepEqual(await left(), before);

  // The same requests are good ones: their owner is not refused for their form, nor as a stranger.
  const order = ['GET', 'PATCH', 'PUT', 'POST', 'DELETE'];
  // What erases the recording comes last.
  const rank = (one: Walked) =>
    order.indexOf(one.method) + (one.operation === 'eraseRecording' ? 1 : 0);
  const refused = new Map<string, string>();
  for (const one of pointing.toSorted((a, b) => rank(a) - rank(b))) {
    const { status, text } = await ask(one, anna, named);
    if ([400, 401, 403, 404, 405, 415].includes(status)) refused.set(one.operation, text);
  }
  assert.deepEqual([...refused], []);

  async function ask(one: Walked, token: string, whom: Named) {
    const { status, body } = await service.call<unknown>(one.method, one.path(whom), {
      token,
      ...one.init(whom),
    });
    return { status, text: JSON.stringify(body) };
  }
});

test('what is for administrators is refused to others, whatever they send', async (t) => {
  const { service, ben, named, left } = await inhabited(t);
  const before = await left();
  const forAdmins = all.filter((one) => one.forAdmins);
  assert.ok(forAdmins.length > 10);
  for (const one of forAdmins) {
    const good = one.init(named);
    const bad = good.body === undefined ? good : { ...good, body: 'not even JSON' };
    for (const init of [good, bad]) {
      const path = one.path(named);
      const { status, body } = await service.call<ProblemAnswer>(one.method, path, {
        token: ben,
        ...init,
      });
      assert.deepEqual([status, body.type], [403, '/problems/not-admin'], `${one.method} ${path}`);
    }
  }
  assert.deepEqual(await left(), before);
});

/** A service with an administrator, and with anna and ben, of whom anna has a recording and an unfinished upload. */
async function inhabited(t: TestContext) {
  const desktop = { showFiles: async () => {}, openUri: async () => {} };
  const { service, token: admin } = await withAda(t, {
    marker: () => marker,
    overrides: { desktop },
  });
  const anna = await service.addUser('anna');
  const ben = await service.addUser('ben');
  const id = await service.settled(anna, { title: `Plan ${marker}` });
  await service.call('POST', `/recordings/${id}/sidenotes`, {
    token: anna,
    json: { text: `Ask about it ${marker}`, at: 0 },
  });
  const { documents } = (
    await service.call<{ documents: { index: string } }>('GET', `/recordings/${id}`, {
      token: anna,
    })
  ).body;
  const begun = await service.call('POST', '/uploads', {
    token: anna,
    headers: { 'Tus-Resumable': '1.0.0', 'Upload-Defer-Length': '1' },
  });
  const upload = begun.headers.get('location')!.split('/').at(-1)!;
  const to = `u-${service.accounts.findUser('ben')!.userId}`;
  const { link } = (
    await service.call<{ link: string }>('POST', `/recordings/${id}/links`, {
      token: anna,
      json: { name: 'for a stranger' },
    })
  ).body;
  const { id: word } = (
    await service.call<{ id: string }>('POST', '/words', {
      token: anna,
      json: { write: `Word ${marker}`, heard: ['wort'] },
    })
  ).body;
  const named: Named = { id, filename: documents.index, upload, name: 'anna', to, link, word };
  const { userId } = service.accounts.findUser('anna')!;
  const space = join(service.dataDir, 'spaces', userId);

  /** Everything of anna's, to see that nothing has changed. */
  async function left(): Promise<unknown> {
    const read = async (path: string) =>
      (await service.call<unknown>('GET', path, { token: anna })).body;
    const entries = await readdir(space, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted();
    return {
      recording: await read(`/recordings/${id}`),
      facts: await read(`/recordings/${id}/events?limit=200`),
      recordings: await read('/recordings'),
      users: service.accounts.findUser('anna'),
      files: await Promise.all(files.map(async (path) => [path, await readFile(path, 'utf8')])),
      uploads: (await readdir(join(service.dataDir, 'resumable'))).filter((name) =>
        name.includes(upload),
      ),
    };
  }
  return { service, admin, anna, ben, named, left };
}
