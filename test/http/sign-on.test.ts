import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { usersStream } from '../../events/facts/catalogue.ts';
import {
  type ProblemAnswer,
  type TestService,
  password,
  startService,
  withAda,
} from '../support/http-client.ts';
import { eventually } from '../support/eventually.ts';
import { signOnProvider } from '../support/sign-on-provider.ts';

type Begun = ProblemAnswer & { url: string; flow: string };
type Entered = ProblemAnswer & { token: string; username: string; is_admin: boolean };
type Listed = {
  users: {
    user_id: string;
    username: string;
    is_admin: boolean;
    password: boolean;
    single_sign_on: boolean;
  }[];
};

/** A service with ada as its administrator, and a provider that it knows. */
async function signOnService(t: Parameters<typeof startService>[0], oidc: object = {}) {
  const { service, token: admin } = await withAda(t);
  const provider = await signOnProvider(t);
  provider.register(`${service.url}/login`);
  const ask = <T = ProblemAnswer>(method: string, path: string, json?: object, token?: string) =>
    service.call<T>(method, path, {
      ...(token === undefined ? {} : { token }),
      ...(json && { json }),
    });
  const set = async (patch: object) =>
    assert.equal((await ask('PUT', '/config', patch, admin)).status, 200);
  await set({ oidc: { ...provider.settings, ...oidc } });
  const begin = async (again = false) => (await ask<Begun>('POST', '/login/oidc', { again })).body;
  const finish = (back: { flow: string; query: string }) =>
    ask<Entered>('POST', '/login/oidc/finish', back);
  const enter = async (again = false) => {
    const { url, flow } = await begin(again);
    return await finish({ flow, query: await provider.visit(url) });
  };
  const users = async (as = admin) =>
    (await ask<Listed>('GET', '/users', undefined, as)).body.users.filter(
      ({ user_id }) => user_id !== 'guest',
    );
  return { service, admin, provider, ask, set, begin, finish, enter, users };
}

const problemOf = ({ status, body }: { status: number; body: ProblemAnswer }) => [
  status,
  body.type,
  ...(body['reason'] === undefined ? [] : [body['reason']]),
];

test('who comes from the provider is a user from then on, and the same one under another name', async (t) => {
  const { service, provider, ask, enter, users } = await signOnService(t);
  assert.deepEqual((await ask('GET', '/login/oidc')).body, {
    title: 'Riverside',
    local_login: 'all',
  });
  provider.comes('s-1', { name: 'ben' });
  const first = await enter();
  assert.deepEqual([first.status, first.body.username, first.body.is_admin], [200, 'ben', false]);
  assert.equal((await ask('GET', '/status', undefined, first.body.token)).status, 200);
  provider.comes('s-1', { name: 'benjamin' });
  const second = await enter();
  assert.equal(second.body.username, 'ben', 'renamed there, the same here');
  provider.comes('s-2', { name: 'Ben' });
  assert.equal((await enter()).body.username, 'Ben-2', 'another of that name');
  provider.comes('s-3', { name: ' // ' });
  assert.equal((await enter()).body.username, 'user', 'called what no user can be called');
  const ben = (await users()).find(({ username }) => username === 'ben');
  assert.deepEqual([ben?.password, ben?.single_sign_on], [false, true]);

  const own = (await ask('GET', '/users/me/identity', undefined, second.body.token)).body;
  assert.deepEqual(own, { linked: true, name: 'ben', has_password: false, password_login: false });
  for (const [method, path, body] of [
    ['POST', '/users/me/confirm', { current_password: 'x' }],
    ['DELETE', '/users/me/identity', { current_password: 'x' }],
    ['PATCH', '/users/me', { current_password: 'x', password: 'another of ben' }],
  ] as const) {
    const no = await ask(method, path, body, second.body.token);
    assert.deepEqual(problemOf(no), [409, '/problems/no-password'], path);
  }
  const said = service.logged.join('\n');
  for (const secret of [provider.clientSecret, first.body.token, 's-1']) {
    assert.ok(!said.includes(secret), 'nothing of it is in the log');
  }
});

test('who is not in the group is not let in, and no user is made', async (t) => {
  const { service, admin, provider, ask, set, enter, users } = await signOnService(t, {
    user_group: 'staff',
  });
  const facts = async () => {
    let count = 0;
    for await (const _ of service.store.read(usersStream)) count += 1;
    return count;
  };
  const before = await facts();
  for (const groups of [undefined, [], ['staff:former', 'Staff']]) {
    provider.comes('s-1', { name: 'ben', groups });
    assert.deepEqual(problemOf(await enter()), [403, '/problems/not-admitted', 'group']);
  }
  assert.equal(await facts(), before, 'nothing is written');
  assert.equal((await users()).length, 1);
  provider.comes('s-1', { name: 'ben', groups: ['staff'] });
  assert.equal((await enter()).status, 200);
  provider.comes('s-1', { name: 'ben', groups: [] });
  assert.deepEqual(problemOf(await enter()), [403, '/problems/not-admitted', 'group'], 'left it');

  await set({ oidc: { user_group: null, register: false } });
  assert.equal((await enter()).status, 200, 'known already');
  provider.comes('s-2', { name: 'cleo' });
  assert.deepEqual(problemOf(await enter()), [403, '/problems/not-admitted', 'unknown']);
  provider.refuse();
  assert.deepEqual(problemOf(await enter()), [403, '/problems/not-admitted', 'denied']);
  assert.equal((await users()).length, 2);
  await service.accounts.changeUser('ben', { disabled: true }, { by: 'system' });
  provider.comes('s-1', { name: 'ben', groups: ['staff'] });
  assert.deepEqual(problemOf(await enter()), [403, '/problems/user-disabled']);
  await untilCounted(ask, admin, [
    ['login.by_provider', 'ben', 2],
    ['login.failed', 'ben', 2],
    ['login.failed', null, 4],
    ['login.succeeded', 'ada', 1],
  ]);
});

test('a callback of another browser, or one that came before, lets nobody in', async (t) => {
  const { provider, begin, finish } = await signOnService(t);
  provider.comes('s-1', { name: 'ben' });
  const mine = await begin();
  const query = await provider.visit(mine.url);
  const flowOver = [409, '/problems/flow-over'];
  const others = await begin();
  assert.deepEqual(problemOf(await finish({ flow: others.flow, query })), flowOver, 'planted');
  assert.deepEqual(
    problemOf(await finish({ flow: others.flow, query: await provider.visit(others.url) })),
    flowOver,
    'a flow that was tried is over',
  );
  assert.deepEqual(problemOf(await finish({ flow: 'none of ours', query })), flowOver);
  assert.equal((await finish({ flow: mine.flow, query })).status, 200);
  assert.deepEqual(problemOf(await finish({ flow: mine.flow, query })), flowOver, 'replayed');
  // The state of this flow with a code that was used: the provider refuses it.
  const next = await begin();
  const spent = new URLSearchParams(query);
  spent.set('state', new URL(next.url).searchParams.get('state') ?? '');
  assert.deepEqual(
    problemOf(await finish({ flow: next.flow, query: `?${spent.toString()}` })),
    flowOver,
  );
});

test('while the provider is away passwords go on, and no login hangs', async (t) => {
  const { provider, ask, set, begin, finish, service } = await signOnService(t);
  provider.comes('s-1', { name: 'ben' });
  const begun = await begin();
  const query = await provider.visit(begun.url);
  await provider.close();
  const away = await finish({ flow: begun.flow, query });
  assert.deepEqual(problemOf(away), [503, '/problems/provider-away']);
  await set({ oidc: { title: 'Another', client_id: 'another' } });
  const no = await ask('POST', '/login/oidc');
  assert.deepEqual(problemOf(no), [503, '/problems/provider-away']);
  assert.ok(no.headers.get('Retry-After'));
  const local = await service.call('POST', '/login', { json: { username: 'ada', password } });
  assert.equal(local.status, 200);
  await set({ oidc: { issuer: null } });
  const none = await ask('POST', '/login/oidc');
  assert.deepEqual(problemOf(none), [409, '/problems/no-single-sign-on']);
});

test('a user with a password links and unlinks an account there, with that password', async (t) => {
  const { service, provider, ask, set, enter } = await signOnService(t);
  const ben = await service.addUser('ben');
  const cleo = await service.addUser('cleo');
  const beginLink = (token: string, current = password) =>
    ask<Begun>('POST', '/users/me/identity', { current_password: current }, token);
  const finishLink = async (token: string, { url, flow }: Begun) =>
    ask('POST', '/users/me/identity/finish', { flow, query: await provider.visit(url) }, token);
  assert.equal((await beginLink(ben, 'not his')).status, 422);
  provider.comes('s-1', { name: 'ben.berg' });
  const begun = (await beginLink(ben)).body;
  assert.deepEqual(problemOf(await finishLink(cleo, begun)), [409, '/problems/flow-over']);
  const again = (await beginLink(ben)).body;
  const login = await ask('POST', '/login/oidc/finish', {
    flow: again.flow,
    query: await provider.visit(again.url),
  });
  assert.deepEqual(problemOf(login), [409, '/problems/flow-over'], 'a link is no login');
  assert.equal((await finishLink(ben, (await beginLink(ben)).body)).status, 204);
  const own = async () => (await ask('GET', '/users/me/identity', undefined, ben)).body;
  const linked = { linked: true, name: 'ben.berg', has_password: true, password_login: true };
  assert.deepEqual(await own(), linked);
  assert.equal((await enter()).body.username, 'ben');
  const taken = await finishLink(cleo, (await beginLink(cleo)).body);
  assert.deepEqual(problemOf(taken), [403, '/problems/not-admitted', 'linked']);

  const unlink = (current: string) =>
    ask('DELETE', '/users/me/identity', { current_password: current }, ben);
  assert.equal((await unlink('not his')).status, 422);
  await set({ auth: { local_login: 'administrators' } });
  assert.deepEqual(await own(), { ...linked, password_login: false });
  // Each was the right password, so that none counts as a wrong guess.
  for (let tries = 0; tries < 6; tries += 1)
    assert.deepEqual(problemOf(await unlink(password)), [403, '/problems/use-single-sign-on']);
  await set({ auth: { local_login: 'all' } });
  assert.equal((await unlink(password)).status, 204);
  assert.equal((await own())['linked'], false);
  assert.equal((await enter()).body.username, 'ben.berg', 'a user of their own now');
});

test('a name is followed only where the settings say so, and never to an administrator', async (t) => {
  const { service, provider, enter } = await signOnService(t, { match_username: true });
  await service.addUser('ben');
  provider.comes('s-1', { name: 'BEN' });
  assert.equal((await enter()).body.username, 'ben');
  provider.comes('s-2', { name: 'ben' });
  assert.equal((await enter()).body.username, 'ben-2', 'who is linked is not taken over');
  provider.comes('s-3', { name: 'ada' });
  const admin = await enter();
  assert.deepEqual([admin.body.username, admin.body.is_admin], ['ada-2', false]);
});

test('of who has the name of a disabled user and is refused nothing is written', async (t) => {
  const { service, provider, enter } = await signOnService(t, { match_username: true });
  await service.addUser('ben');
  await service.accounts.changeUser('ben', { disabled: true }, { by: 'system' });
  const before = await service.store.head();
  provider.comes('s-1', { name: 'ben' });
  assert.deepEqual(problemOf(await enter()), [403, '/problems/user-disabled']);
  assert.equal(await service.store.head(), before);
  await service.accounts.changeUser('ben', { disabled: false }, { by: 'system' });
  assert.equal((await enter()).body.username, 'ben');
});

test('rights and groups follow the claims at each login, and the last administrator stays', async (t) => {
  const { admin, provider, ask, enter, users } = await signOnService(t, {
    admin_group: 'cn=admins,dc=riverside',
  });
  const group = async (name: string, claim: string | null) =>
    (await ask<{ id: string }>('POST', '/groups', { name, claim }, admin)).body.id;
  const staff = await group('Library team', 'staff');
  const own = await group('Readers', null);
  const members = async (id: string) =>
    (
      await ask<{ groups: { id: string; members: string[] }[] }>('GET', '/groups', undefined, admin)
    ).body.groups.find((one) => one.id === id)?.members;
  provider.comes('s-1', { name: 'ben', groups: ['staff', 'cn=admins,dc=riverside'] });
  const first = await enter();
  assert.equal(first.body.is_admin, true);
  await ask('PUT', `/groups/${own}/members/ben`, {}, admin);
  assert.deepEqual([await members(staff), await members(own)], [['ben'], ['ben']]);
  provider.comes('s-1', { name: 'ben', groups: [] });
  const second = await enter();
  assert.equal(second.body.is_admin, false);
  assert.deepEqual([await members(staff), await members(own)], [[], ['ben']], 'others stay');
  const over = await ask('GET', '/status', undefined, first.body.token);
  assert.equal(over.status, 401, 'what an administrator had open has ended');

  provider.comes('s-1', { name: 'ben', groups: ['cn=admins,dc=riverside'] });
  const boss = (await enter(true)).body.token;
  assert.equal((await ask('PATCH', '/users/ada', { is_admin: false }, boss)).status, 200);
  const ben = (await users(boss)).find(({ username }) => username === 'ben');
  assert.deepEqual(
    [ben?.password, ben?.is_admin],
    [false, true],
    'counts, though without password',
  );
  const last = await ask('PATCH', '/users/ben', { is_admin: false }, boss);
  assert.equal(last.body.type, '/problems/last-administrator');
  provider.comes('s-1', { name: 'ben', groups: [] });
  assert.equal((await enter()).body.is_admin, true, 'the last one stays');
});

test('passwords are switched off for all, or for all but administrators; the host gets in', async (t) => {
  const { service, provider, ask, set, enter } = await signOnService(t);
  await service.addUser('ben');
  const login = async (username: string, given = password) => {
    const { status, body } = await service.call<ProblemAnswer>('POST', '/login', {
      json: { username, password: given },
    });
    return status === 200 ? 'in' : body.type.replace('/problems/', '');
  };
  await set({ auth: { local_login: 'administrators' } });
  assert.deepEqual(
    [await login('ada'), await login('ben'), await login('ben', 'wrong'), await login('nemo')],
    ['in', 'use-single-sign-on', 'wrong-credentials', 'wrong-credentials'],
  );
  await set({ auth: { local_login: 'none' } });
  assert.deepEqual(
    [await login('ada'), await login('nemo')],
    ['use-single-sign-on', 'use-single-sign-on'],
  );
  provider.comes('s-2', { name: 'dora' });
  await enter();
  const { accounts } = service;
  const host = { by: 'system' };
  await accounts.changeUser('dora', { isAdmin: true }, host);
  const last = { code: 'LAST_ADMINISTRATOR' };
  await assert.rejects(accounts.changeUser('dora', { isAdmin: false }, host), last);
  await assert.rejects(accounts.deleteUser('dora', host), last);
  await hostResets(service, 'ada', 'chosen on the host');
  assert.equal(await login('ada', 'chosen on the host'), 'in', 'nobody is locked out');
  await accounts.changeUser('dora', { isAdmin: false }, host);
  provider.comes('s-1', { name: 'cleo' });
  assert.equal((await enter()).status, 200);
  assert.deepEqual((await ask('GET', '/login/oidc')).body['local_login'], 'none');
});

test('an administrator who changes the password that the host set still gets in with it', async (t) => {
  const { service, ask, set } = await signOnService(t);
  await set({ auth: { local_login: 'none' } });
  await hostResets(service, 'ada', 'chosen on the host');
  const login = (given: string) =>
    ask<Entered>('POST', '/login', { username: 'ada', password: given });
  const { token } = (await login('chosen on the host')).body;
  const change = { current_password: 'chosen on the host', password: 'one of her own' };
  assert.equal((await ask('PATCH', '/users/me', change, token)).status, 204);
  assert.equal((await login('one of her own')).status, 200);
});

test('a program logs in by a code that its user made after proving it, once, and no longer than the provider’s', async (t) => {
  const { service, admin, provider, ask, enter } = await signOnService(t);
  provider.comes('s-1', { name: 'ben' });
  type Code = ProblemAnswer & { code: string };
  const make = (token: string) => ask<Code>('POST', '/users/me/login-codes', {}, token);
  const login = (code: string) => ask<Entered>('POST', '/login/code', { code });
  const found = await make((await enter()).body.token);
  assert.deepEqual(problemOf(found), [403, '/problems/confirmation-required']);
  const own = (await enter(true)).body.token;
  const { code } = (await make(own)).body;
  const program = await login(` ${code.toLowerCase().replaceAll('-', '')} `);
  assert.deepEqual([program.status, program.body.username], [200, 'ben']);
  const [newest] = await service.accounts.sessions();
  const hours = (newest!.expiresAt.getTime() - newest!.createdAt.getTime()) / 3_600_000;
  assert.deepEqual([newest!.signedOn, hours], [true, 12]);
  assert.deepEqual(problemOf(await login(code)), [401, '/problems/wrong-code'], 'used');
  const more = await make(program.body.token);
  assert.deepEqual(problemOf(more), [403, '/problems/confirmation-required'], 'begets no other');
  const late = (await make(own)).body.code;
  await service.accounts.changeUser('ben', { disabled: true }, { by: 'system' });
  assert.deepEqual(problemOf(await login(late)), [401, '/problems/wrong-code'], 'disabled since');
  assert.ok(!service.logged.join('\n').includes(code), 'not in the log');
  await untilCounted(ask, admin, [
    ['login.by_provider', 'ben', 2],
    ['login.failed', 'ben', 1],
    ['login.failed', null, 1],
    ['login.succeeded', 'ada', 1],
    ['login.succeeded', 'ben', 1],
  ]);
});

/** Until what is counted of logins is this: type, user and how often. Nobody waits for a count. */
async function untilCounted(
  ask: Awaited<ReturnType<typeof signOnService>>['ask'],
  admin: string,
  expected: [string, string | null, number][],
): Promise<void> {
  type Counted = { happened: { type: string; user: string | null; count: number }[] };
  const counted = async () =>
    (await ask<Counted>('GET', '/happened?kind=logins', undefined, admin)).body.happened
      .map(({ type, user, count }) => [type, user, count])
      .toSorted();
  await eventually(`logins counted: ${JSON.stringify(expected)}`, async () =>
    isDeepStrictEqual(await counted(), expected.toSorted()),
  );
}

test('Health names groups whose claim nobody has had at a login', async (t) => {
  const { admin, provider, ask, enter } = await signOnService(t);
  type Checks = { checks: { id: string; code: string; detail: string }[] };
  const groups = async () => {
    const { body } = await ask<Checks>('GET', '/doctor', undefined, admin);
    return body.checks.find(({ id }) => id === 'groups');
  };
  await ask('POST', '/groups', { name: 'Library team', claim: '/staff' }, admin);
  assert.equal((await groups())?.code, 'groups-empty', 'nobody has logged in yet');
  provider.comes('s-1', { name: 'ben', groups: ['staff'] });
  await enter();
  const unseen = await groups();
  assert.equal(unseen?.code, 'groups-claim-unseen');
  assert.match(unseen?.detail ?? '', /Library team \(\/staff\)/u);
  provider.comes('s-1', { name: 'ben', groups: ['/staff'] });
  await enter();
  assert.equal((await groups())?.code, 'groups-ok');
});

type Tried = ProblemAnswer & {
  admitted: boolean;
  read: { name: string | null; groups: string[] };
  user: { username: string; how: string; is_admin: boolean; groups: string[] } | null;
};

test('a trial login says what would be read and who it would be, and changes nothing', async (t) => {
  const { service, admin, provider, ask, set, users } = await signOnService(t);
  await service.addUser('cleo');
  const staff = { name: 'Library team', claim: 'staff' };
  await ask('POST', '/groups', staff, admin);
  // Before it is stored: only what is given here says who would come in.
  const oidc = { ...provider.settings, user_group: 'staff', admin_group: 'admins' };
  await set({ oidc: { issuer: null } });
  const facts = async () => {
    let count = 0;
    for await (const _ of service.store.read(usersStream)) count += 1;
    return count;
  };
  const before = await facts();
  const begin = async (more: object = {}) =>
    (await ask<Begun>('POST', '/config/test/login', { oidc: { ...oidc, ...more } }, admin)).body;
  const tryIt = async (more: object = {}) => {
    const { url, flow } = await begin(more);
    const query = await provider.visit(url);
    const brought = { flow, query, oidc: { ...oidc, ...more } };
    return await ask<Tried>('POST', '/config/test/login/finish', brought, admin);
  };
  provider.comes('s-1', { name: 'ben', groups: ['staff', 'admins'] });
  const { body: good } = await tryIt();
  assert.deepEqual(
    [good.admitted, good.read, good.user],
    [
      true,
      {
        name: 'ben',
        name_claim: 'preferred_username',
        groups: ['staff', 'admins'],
        groups_claim: 'groups',
      },
      { username: 'ben', how: 'new', is_admin: true, groups: ['Library team'] },
    ],
  );
  provider.comes('s-1', { name: 'ben', groups: [] });
  const { body: outside } = await tryIt();
  assert.deepEqual(
    [outside.admitted, outside['code'], outside.user],
    [false, 'not-admitted-group', null],
  );
  provider.comes('s-2', { name: 'cleo', groups: ['staff'] });
  assert.equal((await tryIt()).body.user?.username, 'cleo-2');
  const { body: same } = await tryIt({ match_username: true });
  assert.deepEqual([same.user?.username, same.user?.how], ['cleo', 'matched']);
  const noName = (await tryIt({ username_claim: 'nickname' })).body;
  assert.deepEqual([noName.read.name, noName.user?.username], [null, 'user']);
  const { body: secret } = await tryIt({ client_secret: 'another' });
  assert.deepEqual(
    [secret.type, secret.detail?.includes('invalid_client')],
    ['/problems/provider-away', true],
  );
  assert.equal(await facts(), before, 'nothing is written');
  assert.equal((await users()).length, 2);

  // Its flow is no login, a login's no trial, and another administrator's none of mine.
  const { url, flow } = await begin();
  const query = await provider.visit(url);
  assert.match(query, /[?&]state=trial-/u);
  await set({ oidc });
  assert.deepEqual(problemOf(await ask('POST', '/login/oidc/finish', { flow, query })), [
    409,
    '/problems/flow-over',
  ]);
  const stranger = await ask('POST', '/config/test/login', {}, await service.addUser('dana'));
  assert.equal(stranger.status, 403);
  // The secret goes to no other server than the one it was given for.
  const moved = await ask('PUT', '/config', { oidc: { issuer: 'https://sso.example.org' } }, admin);
  assert.deepEqual([moved.status, moved.body.errors?.[0]?.path], [422, 'oidc.client_secret']);
});

type GivenLink = ProblemAnswer & { url: string };
const tokenIn = (url: string) => /#\w+=(?<token>[\w-]+)$/u.exec(url)?.groups?.['token'] ?? '';

test('who is invited comes by the provider instead of choosing a password, once', async (t) => {
  const { admin, provider, ask, set, finish, enter, users } = await signOnService(t, {
    register: false,
    user_group: 'staff',
  });
  const invite = async (isAdmin = false) =>
    tokenIn(
      (await ask<GivenLink>('POST', '/users/invitations', { is_admin: isAdmin }, admin)).body.url,
    );
  const begin = (token: string) => ask<Begun>('POST', '/invitations/sign-on', { token });
  const come = async (token: string) => {
    const { url, flow } = (await begin(token)).body;
    return await finish({ flow, query: await provider.visit(url) });
  };
  const token = await invite(true);
  provider.comes('s-1', { name: 'ben', groups: [] });
  assert.deepEqual(problemOf(await come(token)), [403, '/problems/not-admitted', 'group']);
  provider.comes('s-1', { name: 'ben', groups: ['staff'] });
  assert.deepEqual(problemOf(await enter()), [403, '/problems/not-admitted', 'unknown']);
  // A second login that is under way uses an invitation no second time.
  const other = (await begin(token)).body;
  const first = await come(token);
  assert.deepEqual([first.status, first.body.username, first.body.is_admin], [200, 'ben', true]);
  provider.comes('s-2', { name: 'cleo', groups: ['staff'] });
  const late = await finish({ flow: other.flow, query: await provider.visit(other.url) });
  assert.deepEqual(problemOf(late), [404, '/problems/link-over']);
  assert.deepEqual(problemOf(await begin(token)), [404, '/problems/link-over']);
  const ben = (await users()).find(({ username }) => username === 'ben');
  assert.deepEqual([ben?.password, ben?.single_sign_on], [false, true]);
  assert.equal((await enter()).status, 403, 'cleo was not invited');

  const second = await invite();
  provider.comes('s-1', { name: 'ben', groups: ['staff'] });
  assert.deepEqual(problemOf(await come(second)), [403, '/problems/not-admitted', 'linked']);
  await set({ oidc: { admin_group: 'admins' } });
  provider.comes('s-2', { name: 'Ben', groups: ['staff'] });
  const cleo = await come(second);
  assert.deepEqual([cleo.body.username, cleo.body.is_admin], ['Ben-2', false]);
});

test('without passwords a link for one opens nothing, but one that the host made for an administrator', async (t) => {
  const { service, admin, ask, set } = await signOnService(t);
  await service.addUser('ben');
  const { accounts } = service;
  const link = (name: string) => ask<GivenLink>('POST', `/users/${name}/password-link`, {}, admin);
  const accept = (token: string, more: object = {}) =>
    ask<Entered>('POST', '/invitations/accept', { token, password: 'chosen by a link', ...more });
  const look = (token: string) => ask('POST', '/invitations/look', { token });
  const login = async (username: string) =>
    (await ask('POST', '/login', { username, password: 'chosen by a link' })).status;
  const refused = [403, '/problems/use-single-sign-on'];
  const before = tokenIn((await link('ben')).body.url);
  const invitation = tokenIn(
    (await ask<GivenLink>('POST', '/users/invitations', { is_admin: true }, admin)).body.url,
  );
  assert.equal((await look(invitation)).body['password'], true);
  await set({ auth: { local_login: 'administrators' } });
  assert.deepEqual(problemOf(await accept(before)), refused);
  assert.equal((await link('ada')).status, 201);

  await set({ auth: { local_login: 'none' } });
  for (const answered of [await look(before), await accept(before), await link('ada')])
    assert.deepEqual(problemOf(answered), refused);
  assert.equal((await look(invitation)).body['password'], false);
  assert.deepEqual(problemOf(await accept(invitation, { username: 'cleo' })), refused);
  const host = { by: 'system' };
  await assert.rejects(accounts.linkForPassword('ben', 1, host), { code: 'USE_SINGLE_SIGN_ON' });
  const { token } = await accounts.linkForPassword('ada', 1, host);
  assert.equal((await accept(token)).status, 201);
  assert.equal(await login('ada'), 200, 'and the password that was chosen goes on');
  const invited = await accounts.invite({ note: '', isAdmin: true, days: 1 }, host);
  assert.equal((await accept(invited.token, { username: 'dana' })).status, 201);
  assert.equal(await login('dana'), 200);

  // Nothing was used up of what was refused.
  const json = { username: 'ada', password: 'chosen by a link' };
  const { body } = await ask<Entered>('POST', '/login', json);
  await ask('PUT', '/config', { auth: { local_login: 'all' } }, body.token);
  assert.equal((await accept(before)).status, 201);
});

async function hostResets({ accounts }: TestService, username: string, to: string) {
  await accounts.changeUser(username, { password: to }, { by: 'system' });
}

test('a second step is the provider’s to ask for, not ours', async (t) => {
  const { provider, ask, set, enter, admin } = await signOnService(t);
  await ask('POST', '/users/me/confirm', { current_password: password }, admin);
  provider.comes('s-1', { name: 'ben' });
  await set({ auth: { totp: 'everybody' } });
  const { token } = (await enter()).body;
  assert.equal((await ask('GET', '/status', undefined, token)).status, 200);
  const own = await ask('GET', '/status', undefined, admin);
  assert.equal(own.body.type, '/problems/two-step-required', 'of who came by password');
});

test('a login at the provider counts as the password where one proved it there just now', async (t) => {
  const { provider, ask, enter } = await signOnService(t, { admin_group: 'admins' });
  provider.comes('s-1', { name: 'ben', groups: ['admins'] });
  const invite = async (token: string) =>
    await ask('POST', '/users/invitations', { note: 'cleo' }, token);
  // Who finds the browser open gets a session from the provider's, too, without proving anything.
  const found = await invite((await enter()).body.token);
  assert.deepEqual(problemOf(found), [403, '/problems/confirmation-required']);
  assert.equal((await invite((await enter(true)).body.token)).status, 201);
});

test('before there is a user, only the provider’s administrators come in, and the first is one', async (t) => {
  const provider = await signOnProvider(t);
  const { issuer, client_id, client_secret } = provider.settings;
  const service = await startService(t, {
    env: {
      MITSCHRIFT_OIDC_ISSUER: issuer,
      MITSCHRIFT_OIDC_CLIENT_ID: client_id,
      MITSCHRIFT_OIDC_CLIENT_SECRET: client_secret,
      MITSCHRIFT_OIDC_ADMIN_GROUP: 'admins',
      MITSCHRIFT_OIDC_REGISTER: 'false',
    },
  });
  provider.register(`${service.url}/login`);
  const enter = async () => {
    const { url, flow } = (await service.call<Begun>('POST', '/login/oidc')).body;
    const json = { flow, query: await provider.visit(url) };
    return await service.call<Entered>('POST', '/login/oidc/finish', { json });
  };
  const isOpen = async () =>
    (await service.call<{ setup_required: boolean }>('GET', '/setup/state')).body.setup_required;
  provider.comes('s-1', { name: 'ben', groups: [] });
  assert.deepEqual(problemOf(await enter()), [403, '/problems/not-admitted', 'setup']);
  assert.equal(await isOpen(), true);
  provider.comes('s-2', { name: 'cleo', groups: ['admins'] });
  const first = await enter();
  assert.deepEqual([first.body.username, first.body.is_admin], ['cleo', true]);
  assert.equal(await isOpen(), false);
  assert.equal((await enter()).body.username, 'cleo');
});

test('a trial says what is missing, and the address to register', async (t) => {
  const { provider, ask, admin, service } = await signOnService(t);
  type Trial = ProblemAnswer & {
    ok: boolean;
    code: string;
    parts: { ok: boolean; code: string }[];
  };
  const tried = async (oidc: object) =>
    (await ask<Trial>('POST', '/config/test', { oidc }, admin)).body;
  const good = await tried({});
  assert.deepEqual(
    [good.ok, good.code, good['redirect_uri']],
    [true, 'provider-ready', `${service.url}/login`],
  );
  assert.deepEqual(
    good.parts.map(({ code }) => code),
    ['provider-reachable', 'provider-code-ok', 'provider-s256-ok', 'provider-scopes-ok'],
  );
  assert.equal((await tried({ scopes: 'openid groups' })).code, 'provider-scopes-missing');
  assert.equal((await tried({ issuer: `${provider.issuer}/` })).ok, true, 'a slash too many');
  const other = await tried({ issuer: provider.issuer.replace('localhost', '127.0.0.1') });
  assert.deepEqual([other.ok, other.code], [false, 'provider-other-issuer']);
  assert.equal((await tried({ issuer: `${provider.issuer}/realms` })).code, 'provider-not-oidc');
  assert.equal((await tried({ client_id: null })).code, 'provider-no-client');
  for (const issuer of ['http://login.example.org', 'https://169.254.169.254']) {
    const no = await ask('PUT', '/config', { oidc: { issuer } }, admin);
    assert.equal(no.status, 422, issuer);
  }
  await provider.close();
  assert.equal((await tried({})).code, 'provider-unreachable');
});
