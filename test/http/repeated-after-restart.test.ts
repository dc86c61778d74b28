import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { routes } from '../../src/http/routes.ts';
import { type TestService, password, startService, wav, withAda } from '../support/http-client.ts';
import { runningRecording } from '../support/running-recording.ts';

/** What a client sends, twice, with the same key. */
type Sent = { path: string; json?: unknown; body?: () => FormData; headers?: object };
type Case = {
  /** As the OpenAPI document names the operation. */
  path: string;
  what?: string;
  /** Makes the state in which the command is possible; the engine may be held. */
  prepare(service: TestService, token: string): Promise<Sent>;
  /** What another request of the same kind sends. */
  differently?: Partial<Sent>;
  /** The state the first one leads to, to be waited for before the restart. */
  settles?: string;
};

const form = (language?: string): FormData => {
  const made = new FormData();
  if (language !== undefined) made.set('language', language);
  made.set('file', new Blob([wav()]), 'talk.wav');
  return made;
};

const saved = (service: TestService, token: string) => service.settled(token);

const waiting = (service: TestService, token: string) =>
  service.settled(token, { kind: 'meeting' });

async function held(service: TestService, token: string): Promise<string> {
  service.engines.hold('transcribe');
  return (await service.upload(token)).body.recording_id;
}

async function failed(service: TestService, token: string): Promise<string> {
  service.engines.fail('transcribe');
  const { recording_id: id } = (await service.upload(token)).body;
  await service.reaches(id, 'error');
  return id;
}

const cases: Case[] = [
  {
    path: '/users',
    prepare: async () => ({ path: '/users', json: { username: 'ben', password } }),
    differently: { json: { username: 'cleo', password } },
  },
  {
    path: '/recordings',
    prepare: async () => ({ path: '/recordings', body: () => form() }),
    differently: { body: () => form('de') },
  },
  {
    path: '/uploads',
    prepare: async () => ({
      path: '/uploads',
      headers: { 'Tus-Resumable': '1.0.0', 'Upload-Length': '1000' },
    }),
    differently: { headers: { 'Tus-Resumable': '1.0.0', 'Upload-Length': '1001' } },
  },
  {
    path: '/recordings/{id}/pause',
    prepare: async (...of) => ({ path: `/recordings/${await runningRecording(...of)}/pause` }),
  },
  {
    path: '/recordings/{id}/resume',
    async prepare(service, token) {
      const id = await runningRecording(service, token);
      await service.call('POST', `/recordings/${id}/pause`, { token });
      return { path: `/recordings/${id}/resume` };
    },
  },
  {
    path: '/recordings/{id}/discard',
    prepare: async (...of) => ({ path: `/recordings/${await runningRecording(...of)}/discard` }),
    settles: 'idle.erased',
  },
  {
    path: '/recordings/{id}/cancel',
    prepare: async (...of) => ({ path: `/recordings/${await held(...of)}/cancel` }),
  },
  {
    path: '/recordings/{id}/clear',
    prepare: async (...of) => ({ path: `/recordings/${await failed(...of)}/clear` }),
  },
  {
    path: '/recordings/{id}/retry',
    async prepare(service, token) {
      const id = await failed(service, token);
      service.engines.mend('transcribe');
      return { path: `/recordings/${id}/retry` };
    },
    settles: 'idle.saved',
  },
  {
    path: '/recordings/{id}/reprocess',
    prepare: async (...of) => ({ path: `/recordings/${await saved(...of)}/reprocess`, json: {} }),
    settles: 'idle.saved',
    differently: { json: { language: 'de' } },
  },
  {
    path: '/recordings/{id}/cut',
    prepare: async (...of) => ({ path: `/recordings/${await saved(...of)}/cut`, json: { at: 1 } }),
    settles: 'idle.saved',
    differently: { json: { at: 1.5 } },
  },
  {
    path: '/recordings/{id}/remove',
    prepare: async (...of) => ({
      path: `/recordings/${await saved(...of)}/remove`,
      json: { from: 0, to: 1 },
    }),
    settles: 'idle.saved',
    differently: { json: { from: 0.5, to: 1 } },
  },
  {
    path: '/recordings/{id}/join',
    prepare: async (...of) => ({
      path: `/recordings/${await saved(...of)}/join`,
      json: { with: await saved(...of) },
    }),
    settles: 'idle.saved',
  },
  {
    path: '/recordings/{id}/utterances/{index}/split',
    prepare: async (...of) => ({
      path: `/recordings/${await waiting(...of)}/utterances/0/split`,
      json: { word: 1 },
    }),
  },
  {
    path: '/recordings/{id}/utterances/{index}/merge',
    prepare: async (...of) => ({ path: `/recordings/${await waiting(...of)}/utterances/0/merge` }),
  },
  {
    path: '/recordings/{id}/versions/{version}/restore',
    async prepare(service, token) {
      const id = await saved(service, token);
      await service.call('PATCH', `/recordings/${id}`, { token, json: { title: 'Zwei' } });
      return { path: `/recordings/${id}/versions/1/restore` };
    },
    settles: 'idle.saved',
  },
  {
    path: '/recordings/{id}/sidenotes',
    what: 'while it is recorded',
    prepare: async (...of) => ({
      path: `/recordings/${await runningRecording(...of)}/sidenotes`,
      json: { at: 1.5, text: 'Ask Änne about the budget.' },
    }),
    differently: { json: { at: 1.5, text: 'Ask Ben about the budget.' } },
  },
  {
    path: '/recordings/{id}/sidenotes',
    what: 'of a note that is there',
    prepare: async (...of) => ({
      path: `/recordings/${await saved(...of)}/sidenotes`,
      json: { at: 2, mark: true },
    }),
    settles: 'idle.saved',
    differently: { json: { at: 2.5, mark: true } },
  },
  {
    path: '/speakers',
    what: 'with the recording’s id',
    prepare: async (...of) => ({
      path: '/speakers',
      json: { recording_id: await waiting(...of), speakers: { SPEAKER_1: 'Ada' } },
    }),
    settles: 'idle.saved',
  },
  {
    path: '/speakers',
    what: 'without the recording’s id',
    async prepare(service, token) {
      await waiting(service, token);
      return { path: '/speakers', json: { speakers: { SPEAKER_1: 'Ada' } } };
    },
    settles: 'idle.saved',
    differently: { json: { speakers: { SPEAKER_1: 'Ben' } } },
  },
  {
    path: '/speakers',
    what: 'beside a name that a correction gave',
    async prepare(service, token) {
      const id = await waiting(service, token);
      const json = { speaker: 'Cleo' };
      const said = `/recordings/${id}/utterances/0`;
      assert.equal((await service.call('PATCH', said, { token, json })).status, 200);
      return { path: '/speakers', json: { speakers: { SPEAKER_2: 'Ada' } } };
    },
    settles: 'idle.saved',
    differently: { json: { speakers: { SPEAKER_2: '' } } },
  },
  {
    path: '/speakers',
    what: 'skipped',
    async prepare(service, token) {
      await waiting(service, token);
      return { path: '/speakers', json: { skip: true } };
    },
    settles: 'idle.saved',
    differently: { json: { speakers: { SPEAKER_1: 'Ada' } } },
  },
  {
    path: '/transcripts/{filename}/reprocess',
    async prepare(service, token) {
      const id = await saved(service, token);
      const { documents } = (
        await service.call<{ documents: { index: string } }>('GET', `/recordings/${id}`, { token })
      ).body;
      return { path: `/transcripts/${encodeURIComponent(documents.index)}/reprocess`, json: {} };
    },
    settles: 'idle.saved',
    differently: { json: { speakers: 2 } },
  },
  {
    path: '/toggle',
    what: 'clearing errors',
    async prepare(service, token) {
      await failed(service, token);
      return { path: '/toggle', json: {} };
    },
    differently: { json: { action: 'start' } },
  },
];

/** POSTs of which nothing is kept that a repetition could do twice. */
const nothingKept: Readonly<Record<string, string>> = {
  '/login': 'public: gives a session',
  '/login/code': 'public: a code is good once',
  '/login/oidc': 'public: another flow is as good',
  '/login/oidc/finish': 'public: a flow is good once',
  '/recordings/{id}/continue':
    'begins at a device, of which there is none: known by its fact, as that of /toggle',
  '/setup': 'public: once for all',
  '/users/me/login-codes': 'another code is as good',
  '/users/me/confirm': 'marks the session again',
  '/users/me/identity': 'another flow is as good',
  '/users/me/identity/finish': 'a flow is good once',
  '/users/me/totp': 'another secret is as good',
  '/users/me/totp/confirm': 'a code is good once',
  '/users/me/totp/recovery-codes': 'the same',
  '/users/invitations':
    'its address has the port, which is another after a restart: repeated in invitations.test.ts',
  '/users/{name}/password-link': 'the same',
  '/invitations/look': 'public: changes nothing',
  '/invitations/accept': 'public: good once',
  '/invitations/sign-on': 'public: another flow is as good',
  '/logout': 'a dead token is 401',
  '/recordings/{id}/stop': 'nothing is captured here: repeated in browser-limits.test.ts',
  '/groups': 'the users’ stream knows the command: repeated in groups.test.ts',
  '/folders': 'the user’s stream knows the command: repeated in order.test.ts',
  '/tags': 'the same',
  '/rules': 'the same: repeated in rules.test.ts',
  '/templates': 'the same: repeated in templates.test.ts',
  '/templates/try': 'nothing of it is kept',
  '/words': 'the user’s stream knows the command: repeated in words.test.ts',
  '/words/import': 'the same',
  '/rules/try': 'changes nothing',
  '/rules/apply': 'each recording knows its command, as with /recordings/bulk',
  '/recordings/bulk': 'each recording knows its command: repeated in order.test.ts',
  '/recordings/bulk/erase': 'what is gone is counted again: repeated in many-recordings.test.ts',
  '/recordings/bulk/export': 'changes nothing',
  '/users/me/export': 'in memory; another ticket is as good',
  '/recordings/{id}/links':
    'its address has the port, which is another after a restart: repeated in links.test.ts',
  '/shared': 'public: changes nothing',
  '/retention/confirm': 'the same yes again',
  '/recordings/{id}/ticket': 'in memory; another ticket is as good',
  '/questions': 'nothing of it is kept',
  '/open': 'shows or copies again what is there',
  '/config/test': 'changes nothing',
  '/config/test/login': 'another flow is as good',
  '/config/test/login/finish': 'changes nothing; a flow is good once',
  '/audio/call': 'a question takes one answer',
  '/audio/combined': 'selects the same again',
  '/backup': 'what is in it already is not copied again',
  '/models/{id}/install': 'what is there or on its way is not fetched twice',
  '/models/{id}/cancel': 'removes what arrived, or nothing',
};

test('the table speaks of every POST there is', () => {
  const known = new Set([...cases.map(({ path }) => path), ...Object.keys(nothingKept)]);
  const posts = routes.filter(({ method }) => method === 'post').map(({ path }) => path);
  assert.deepEqual(
    posts.filter((path) => !known.has(path)),
    [],
  );
  assert.deepEqual(
    [...known].filter((path) => !posts.includes(path)),
    [],
  );
});

for (const { path, what, prepare, settles, differently } of cases) {
  test(`POST ${path}${what ? `, ${what},` : ''} repeated after a restart is answered as the first time, and done once`, async (t) => {
    const { service: before, token } = await withAda(t);
    const sent = await prepare(before, token);
    const first = await send(before, token, sent);
    assert.ok(first.status < 300, `${first.status} ${JSON.stringify(first.body)}`);
    const id = (first.body as { recording_id?: string })?.recording_id;
    before.engines.releaseAll();
    if (id && settles) await before.reaches(id, settles);
    await before.close();
    const after = await restarted(t, before);
    const wanted = await peoplesFacts(after);
    const again = await send(after, token, sent);
    assert.deepEqual(again, first);
    assert.deepEqual(await peoplesFacts(after), wanted, 'nothing more was done');
    // A key is one request's: for another one it is refused, whatever was restarted meanwhile.
    const others: Sent[] = [
      ...(differently ? [{ ...sent, ...differently }] : []),
      // Of an upload that was only begun no fact tells.
      ...(path === '/uploads' ? [] : [{ path: path === '/toggle' ? '/speakers' : '/toggle' }]),
      ...(['/users', '/uploads'].includes(path)
        ? []
        : [{ path: '/users', json: { username: 'eve', password } }]),
    ].map((other) => ('json' in other || 'body' in other ? other : { json: {}, ...other }));
    for (const other of others) {
      const used = await send(after, token, other);
      assert.deepEqual(
        [used.status, (used.body as { type: string }).type],
        [409, '/problems/key-used-differently'],
        JSON.stringify(other),
      );
    }
    assert.deepEqual(await peoplesFacts(after), wanted, 'nor was anything of another request');
  });
}

test('a key with which something was made in an order, or among users, makes nothing else after a restart', async (t) => {
  const { service: before, token } = await withAda(t);
  const post = async (service: TestService, path: string, json: unknown, key: string) => {
    const { status, body } = await service.call('POST', path, {
      token,
      json,
      headers: { 'Idempotency-Key': key },
    });
    return { status, body };
  };
  const section = { title: 'Decisions' };
  const asked: [path: string, json: object, other: object][] = [
    ['/folders', { name: 'Clients', kind: 'solo' }, { name: 'Customers', kind: 'solo' }],
    ['/tags', { name: 'Radio' }, { name: 'Radio', colour: 2 }],
    [
      '/rules',
      { when: { title: 'Jour fixe' }, then: {} },
      { when: { title: 'Plenary' }, then: {} },
    ],
    [
      '/templates',
      { name: 'Board', sections: [section] },
      { name: 'Board', sections: [section, { title: 'Actions' }] },
    ],
    ['/words', { write: 'Mitschrift' }, { write: 'Mitschriften' }],
    ['/words/import', { text: 'Ada = Aida\nBen' }, { text: 'Cleo' }],
    ['/groups', { name: 'Choir' }, { name: 'Chorus' }],
    ['/users', { username: 'ben', password }, { username: 'cleo', password }],
  ];
  const tag = (await post(before, '/tags', { name: 'Weekly' }, 'tag')).body['id'];
  for (const json of asked[2]!.slice(1) as { then: object }[]) json.then = { tags: [tag] };
  const first: Awaited<ReturnType<typeof post>>[] = [];
  for (const [path, json] of asked) first.push(await post(before, path, json, path));
  assert.deepEqual(
    first.map(({ status }) => status),
    asked.map(([path]) => (path === '/words/import' ? 200 : 201)),
  );
  const renamed = { token, json: { name: 'Former clients' } };
  await before.call('PATCH', `/folders/${String(first[0]!.body['id'])}`, renamed);
  await before.close();

  const after = await restarted(t, before);
  const wanted = await peoplesFacts(after);
  for (const [at, [path, json, other]] of asked.entries()) {
    for (const [otherPath, different] of [[path, other] as const, ...asked]) {
      if (otherPath === path && different === json) continue;
      // What a user’s order knows, and what users know, are told apart by nobody.
      if (isOfUsers(otherPath) !== isOfUsers(path)) continue;
      const sent = otherPath === '/users' ? { username: 'dora', password } : different;
      const used = await post(after, otherPath, sent, path);
      assert.deepEqual(
        [used.status, used.body['type']],
        [409, '/problems/key-used-differently'],
        `${path}, then ${otherPath}`,
      );
    }
    const again = await post(after, path, json, path);
    const { status, body } = first[at]!;
    const is = path === '/folders' ? { ...body, name: 'Former clients' } : body;
    assert.deepEqual(again, { status, body: is });
  }
  assert.deepEqual(await peoplesFacts(after), wanted, 'nothing more was done');
});

const isOfUsers = (path: string): boolean => path === '/groups' || path === '/users';

const restarted = (t: TestContext, { dataDir }: TestService) => startService(t, { dataDir });

/** What people did, as the log tells; what a restart takes up goes on beside it. */
async function peoplesFacts({ store }: TestService): Promise<string[]> {
  const facts: string[] = [];
  for await (const { type, by } of store.readAll()) if (by !== 'system') facts.push(type);
  return facts;
}

async function send(service: TestService, token: string, { path, json, body, headers }: Sent) {
  const answer = await service.call<unknown>('POST', path, {
    token,
    headers: { ...headers, 'Idempotency-Key': 'the-key' },
    ...(json === undefined ? {} : { json }),
    ...(body === undefined ? {} : { body: body() }),
  });
  return { status: answer.status, body: answer.body, location: answer.headers.get('location') };
}
