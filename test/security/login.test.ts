import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, onThisMachine } from '../support/eventually.ts';
import { password, rawRequest, startService, withAda } from '../support/http-client.ts';

test('a name cannot be told from one that is not there by its other spellings', async (t) => {
  const env = { MITSCHRIFT_SERVER_TRUSTED_PROXIES: '127.0.0.1' };
  const { service } = await withAda(t, { env });
  await service.addUser('Zoë');
  const guesses = async (spellings: readonly string[], address: string) => {
    const answers = await Promise.all(
      spellings.map((username) =>
        service.call('POST', '/login', {
          json: { username, password: 'not the password' },
          headers: { 'X-Forwarded-For': address },
        }),
      ),
    );
    return answers.map(({ status }) => status).toSorted();
  };
  const known = await guesses(['Zoë', 'zoë', 'ZOË', 'zOë', 'Zoe\u0308'], '203.0.113.1');
  const unknown = await guesses(['Chloë', 'chloë', 'CHLOË', 'cHLOë', 'Chloe\u0308'], '203.0.113.2');
  assert.deepEqual(known, [401, 401, 401, 429, 429]);
  assert.deepEqual(unknown, known);
});

test('guessing from everywhere slows logins down, and stops none from where the user logged in before', async (t) => {
  const env = { MITSCHRIFT_SERVER_TRUSTED_PROXIES: '127.0.0.1' };
  const { service } = await withAda(t, { env });
  await service.accounts.createUser(
    { username: 'ben', password, isAdmin: false },
    { by: 'system' },
  );
  // Each on a connection of its own: a kept one may be closed at the moment when it is used again.
  const login = (username: string, given: string, address: string) =>
    rawRequest(service.url, {
      method: 'POST',
      path: '/login',
      headers: {
        Connection: 'close',
        'Content-Type': 'application/json',
        'X-Forwarded-For': address,
      },
      body: JSON.stringify({ username, password: given }),
    });
  let strangers = 0;
  const stranger = () => `2001:db8:${(strangers += 1).toString(16)}::1`;
  const homes = Array.from({ length: 8 }, (_, home) => `198.51.100.${home + 1}`);
  for (const home of homes) assert.equal((await login('ben', password, home)).status, 200);

  await t.test('a flood of wrong passwords from new addresses', async () => {
    let flooding = true;
    let guesses = 0;
    const answers = new Map<number, number>();
    const flood = Array.from({ length: 24 }, async () => {
      while (flooding) {
        // At a user and at names that none has, each time from another network.
        const name = guesses < 10 ? 'ben' : `name${guesses}`;
        guesses += 1;
        const { status } = await login(name, 'not the password', stranger());
        answers.set(status, (answers.get(status) ?? 0) + 1);
      }
    });
    await eventually('the flood is refused', () => (answers.get(503) ?? 0) > 24);
    const right = await Promise.all(homes.map((home) => login('ben', password, home)));
    flooding = false;
    assert.deepEqual(
      right.map(({ status }) => status),
      homes.map(() => 200),
    );
    await Promise.all(flood);
    t.diagnostic(`answers to the flood: ${JSON.stringify([...answers])}`);
    assert.deepEqual(
      [...answers.keys()].filter((status) => ![401, 429, 503].includes(status)),
      [],
    );
  });

  await t.test('a right password from a new place gets through while a flood runs', async (t) => {
    await service.accounts.createUser(
      { username: 'dora', password, isAdmin: false },
      { by: 'system' },
    );
    let flooding = true;
    let refused = 0;
    // Each guess from a new /56, out of seven /48 in all.
    const flood = Array.from({ length: 20 }, async (_, client) => {
      for (let guess = 0; flooding; guess += 1) {
        const site = (client * 4096 + guess) * 256;
        const address = `2001:db9:${client % 7}:${(site % 65_536).toString(16)}::1`;
        const { status } = await login('dora', 'not the password', address);
        if (status === 429) refused += 1;
      }
    });
    await eventually('the flood is held', () => refused > 40);
    const times: number[] = [];
    for (const place of ['192.0.2.1', '2001:dba::1']) {
      const began = performance.now();
      let status = 0;
      // Whoever is told that too many log in at once tries again.
      for (let tries = 0; tries < 5 && status !== 200; tries += 1) {
        ({ status } = await login('dora', password, place));
        assert.ok([200, 503].includes(status), `${status}: never sent away for others`);
      }
      assert.equal(status, 200, place);
      times.push((performance.now() - began) / 1000);
    }
    flooding = false;
    await Promise.all(flood);
    t.diagnostic(`through after ${times.map((time) => time.toFixed(1)).join(', ')} s`);
    // Ten seconds at the brake, and one wait for the hashing queue.
    assert.ok(Math.max(...times) * 1000 < onThisMachine(30_000), `${times.join(', ')} s`);
  });

  await t.test(
    'an account that was guessed at is slow for new addresses, and opens to them',
    async () => {
      await service.accounts.createUser(
        { username: 'cleo', password, isAdmin: false },
        { by: 'system' },
      );
      const home = '203.0.113.7';
      assert.equal((await login('cleo', password, home)).status, 200);
      for (let guess = 0; guess < 10; guess += 1) {
        assert.equal((await login('cleo', 'not the password', stranger())).status, 401);
      }
      const order: string[] = [];
      const [elsewhere, atHome] = await Promise.all([
        login('cleo', password, stranger()).finally(() => order.push('elsewhere')),
        login('cleo', password, home).finally(() => order.push('at home')),
      ]);
      assert.deepEqual([elsewhere.status, atHome.status], [200, 200]);
      assert.deepEqual(order, ['at home', 'elsewhere']);
    },
  );
});

test('bodies of strangers that are refused are attempts of their address', async (t) => {
  const service = await startService(t, {
    env: { MITSCHRIFT_SERVER_TRUSTED_PROXIES: '127.0.0.1' },
  });
  const send = (path: string, json: object, address: string) =>
    service.call('POST', path, { json, headers: { 'X-Forwarded-For': address } });
  const strange = Object.fromEntries(
    Array.from({ length: 10 }, (_, at) => [`${at}${'; a'.repeat(30)}`, 1]),
  );
  for (const [path, address] of [
    ['/setup', '203.0.113.1'],
    ['/login', '203.0.113.2'],
  ] as const) {
    const statuses: number[] = [];
    for (let tries = 0; tries < 12; tries += 1)
      statuses.push((await send(path, strange, address)).status);
    assert.deepEqual(statuses.slice(0, 3), [422, 422, 422]);
    assert.ok(statuses.slice(3).includes(429), statuses.join());
    assert.ok(statuses.filter((status) => status === 422).length <= 10);
    assert.equal((await send(path, strange, '203.0.113.3')).status, 422);
  }
});

test('before there is an administrator, who has no code learns nothing of the folders of the host', async (t) => {
  const service = await startService(t, {
    env: { MITSCHRIFT_SERVER_TRUSTED_PROXIES: '127.0.0.1' },
  });
  const setUp = (vault: string, setup_code: string | undefined, address: string) =>
    service.call<{ type: string }>('POST', '/setup', {
      json: { username: 'ada', password, setup_code, config: { 'notes.vault': vault } },
      headers: { 'X-Forwarded-For': address },
    });
  for (const [at, folder] of ['/etc/passwd', '/nowhere', '/root'].entries()) {
    const { status, body } = await setUp(folder, undefined, `203.0.113.${at + 1}`);
    assert.deepEqual([status, body.type], [403, '/problems/setup-code-required'], folder);
  }
  const faulty = await setUp('/nowhere', await service.setupCode(), '203.0.113.9');
  assert.equal(faulty.status, 422);
  const { body } = await service.call<{ setup_required: boolean }>('GET', '/setup/state', {});
  assert.equal(body.setup_required, true, 'with a faulty configuration nothing is set up');
});

test('where an account logged in before is known after a restart', async (t) => {
  const env = { MITSCHRIFT_SERVER_TRUSTED_PROXIES: '127.0.0.1' };
  const { service: first } = await withAda(t, { env });
  await first.addUser('ben');
  const loginAt = (url: string, given: string, address: string) =>
    rawRequest(url, {
      method: 'POST',
      path: '/login',
      headers: {
        Connection: 'close',
        'Content-Type': 'application/json',
        'X-Forwarded-For': address,
      },
      body: JSON.stringify({ username: 'ben', password: given }),
    });
  const home = '203.0.113.7';
  assert.equal((await loginAt(first.url, password, home)).status, 200);
  await first.close();
  const { url } = await startService(t, { env, dataDir: first.dataDir });
  for (let guess = 0; guess < 10; guess += 1) {
    const stranger = `2001:db8:${guess.toString(16)}::1`;
    assert.equal((await loginAt(url, 'not the password', stranger)).status, 401);
  }
  const order: string[] = [];
  const [elsewhere, atHome] = await Promise.all([
    loginAt(url, password, '2001:db8:f0::1').finally(() => order.push('elsewhere')),
    loginAt(url, password, home).finally(() => order.push('at home')),
  ]);
  assert.deepEqual([elsewhere.status, atHome.status], [200, 200]);
  assert.deepEqual(order, ['at home', 'elsewhere']);
});
