import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { password, rawRequest, startService } from '../support/http-client.ts';

test('a name cannot be told from one that is not there by its other spellings', async (t) => {
  const env = { MITSCHRIFT_SERVER_TRUSTED_PROXIES: '127.0.0.1' };
  const service = await startService(t, { env });
  await service.setUp();
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
  const service = await startService(t, { env });
  await service.setUp();
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
