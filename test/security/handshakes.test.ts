import assert from 'node:assert/strict';
import { test } from 'node:test';
import { within } from '../support/eventually.ts';
import { connect, rawRequest, withAda } from '../support/http-client.ts';

const handshake: Record<string, string> = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

test('a WebSocket is opened for its user only, by a whole handshake from a page of ours', async (t) => {
  const { service, token: admin } = await withAda(t);
  const ben = await service.addUser('ben');
  const over = await service.login('ben');
  await service.call('POST', '/logout', { token: over });
  const id = await service.settled(ben);
  const { ticket } = (
    await service.call<{ ticket: string }>('POST', `/recordings/${id}/ticket`, { token: ben })
  ).body;

  const withoutHeader = (name: string) => ({ [name]: undefined });
  const refused: [
    what: string,
    status: number,
    path: string,
    headers?: Record<string, string | undefined>,
    method?: string,
  ][] = [
    ['no token', 401, '/ws'],
    ['a token that is none', 401, '/ws?token=nonsense'],
    ['a session that is over', 401, `/ws?token=${over}`],
    ['a ticket for audio', 401, `/ws?token=${ticket}`],
    ['a ticket where one belongs', 401, `/ws?ticket=${ticket}`],
    ['the token as a password', 401, '/ws', { Authorization: `Basic ${btoa(`ben:${ben}`)}` }],
    ['the token in a cookie', 401, '/ws', { Cookie: `token=${ben}` }],
    ['a protocol that is none', 401, '/ws', { 'Sec-WebSocket-Protocol': `other, ${ben}` }],
    ['no token behind the protocol', 401, '/ws', { 'Sec-WebSocket-Protocol': 'mitschrift' }],
    ['a page of another site', 403, `/ws?token=${ben}`, { Origin: 'http://evil.example' }],
    ['a page of nowhere', 403, `/ws?token=${ben}`, { Origin: 'null' }],
    ['a page of another port', 403, `/ws?token=${ben}`, { Origin: 'http://127.0.0.1:1' }],
    ['another host', 421, `/ws?token=${ben}`, { Host: 'evil.example' }],
    ['all events, by a user', 403, `/ws?token=${ben}&scope=all`],
    ['a scope that is none', 422, `/ws?token=${admin}&scope=ben`],
    ['a place that is none', 422, `/ws?token=${ben}&after=-1`],
    ['another path', 404, `/recordings?token=${ben}`],
    ['another path, without a token', 401, '/recordings'],
    ['no key', 400, `/ws?token=${ben}`, withoutHeader('Sec-WebSocket-Key')],
    ['a key that is too short', 400, `/ws?token=${ben}`, { 'Sec-WebSocket-Key': 'YQ==' }],
    ['no version', 400, `/ws?token=${ben}`, withoutHeader('Sec-WebSocket-Version')],
    ['a version of the future', 400, `/ws?token=${ben}`, { 'Sec-WebSocket-Version': '99' }],
    ['HTTP 2', 400, `/ws?token=${ben}`, { Upgrade: 'h2c' }],
    ['POST', 405, `/ws?token=${ben}`, {}, 'POST'],
  ];
  for (const [what, status, path, headers = {}, method = 'GET'] of refused) {
    const sent = Object.fromEntries(
      Object.entries({ ...handshake, ...headers }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      ),
    );
    const answer = await within(
      what,
      rawRequest(service.url, { method, path, headers: sent }),
      10_000,
    );
    assert.equal(answer.status, status, `${what}: ${answer.body}`);
    assert.equal(answer.headers['sec-websocket-accept'], undefined, what);
  }
  t.diagnostic(`${refused.length} handshakes`);
  assert.equal((await service.call('GET', `/ws?token=${ben}`)).status, 401, 'without an upgrade');

  // The whole handshake is answered, with what is ben's; the administrator's sees no word of it.
  const mine = connect(service.url, ben, { after: 0 });
  const all = connect(service.url, admin, { after: 0, query: '&scope=all' });
  for (const client of [mine, all]) await client.until(({ type }) => type === 'position');
  assert.ok(mine.frames.some(({ type }) => type === 'utterance'));
  assert.ok(all.frames.some(({ recording_id }) => recording_id === id));
  assert.ok(!JSON.stringify(all.frames).includes('secret plan'));
  // Nor does an administrator without it hear of ben at all.
  const own = connect(service.url, admin, { after: 0 });
  await own.until(({ type }) => type === 'position');
  assert.ok(!JSON.stringify(own.frames).includes(id));
  for (const line of [ben, admin]) assert.ok(!service.logged.join('').includes(line));
});
