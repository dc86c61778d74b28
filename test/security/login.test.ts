import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../support/http-client.ts';

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
