import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packageVersion } from '../../src/shared/package.ts';
import {
  password,
  rawRequest,
  startService,
  type ProblemAnswer,
  withAda,
} from '../support/http-client.ts';

test('who may call is decided before anything else is looked at', async (t) => {
  const { service, token: admin } = await withAda(t);
  const user = await service.addUser('ben');

  await t.test('without a token every path is 401, also one that does not exist', async () => {
    for (const [method, path] of [
      ['GET', '/status'],
      ['GET', '/recordings'],
      ['GET', '/nothing/here'],
      ['POST', '/recordings'],
      ['POST', '/speakers'],
      ['GET', '/events'],
      ['GET', '/machine'],
      ['POST', '/audio/combined'],
      ['PUT', '/config'],
    ] as const) {
      const { status, body, headers } = await service.call<ProblemAnswer>(method, path);
      assert.equal(status, 401, path);
      assert.equal(body.type, '/problems/not-authenticated');
      assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
      assert.match(headers.get('www-authenticate') ?? '', /^Bearer/);
    }
  });

  await t.test('a token that is none is 401, whatever it looks like', async () => {
    for (const Authorization of ['Bearer x', 'Bearer ', `Basic ${admin}`, admin, 'Bearer a b']) {
      const answer = await service.call('GET', '/status', { headers: { Authorization } });
      assert.equal(answer.status, 401, Authorization);
    }
  });

  await t.test('a token in the query string counts on no HTTP path', async () => {
    assert.equal((await service.call('GET', `/status?token=${admin}`)).status, 401);
  });

  await t.test('POST /audio/combined answers 403 to a non-administrator', async () => {
    const { status, body } = await service.call<ProblemAnswer>('POST', '/audio/combined', {
      token: user,
      body: 'not even JSON',
    });
    assert.equal(status, 403);
    assert.equal(body.type, '/problems/not-admin');
  });

  await t.test('the log, the configuration and the users are for administrators', async () => {
    for (const path of ['/events', '/config', '/users', '/doctor', '/metrics', '/models']) {
      assert.equal((await service.call('GET', path, { token: user })).status, 403, path);
    }
    assert.equal((await service.call('GET', '/events', { token: admin })).status, 200);
  });

  await t.test('case and slashes do not lead round it', async () => {
    for (const path of ['/EVENTS', '/events/', '//events', '/%65vents', '/x/../events%2f']) {
      const answer = await service.call('GET', path, { token: user });
      assert.ok([403, 404].includes(answer.status), `${path}: ${answer.status}`);
    }
  });

  await t.test('an unknown path is 404 and a known one with another method 405', async () => {
    const unknown = await service.call<ProblemAnswer>('GET', '/nothing', { token: user });
    assert.deepEqual([unknown.status, unknown.body.type], [404, '/problems/not-found']);
    const wrong = await service.call<ProblemAnswer>('DELETE', '/status', { token: user });
    assert.deepEqual([wrong.status, wrong.body.type], [405, '/problems/method-not-allowed']);
    assert.match(wrong.headers.get('allow') ?? '', /GET/);
  });

  await t.test('health and the start page need nobody', async () => {
    const health = await service.call('GET', '/health');
    assert.deepEqual(health.body, { status: 'ok', version: packageVersion() });
    const document = await service.call<{ info: { version: string } }>('GET', '/openapi.json');
    assert.equal(document.body.info.version, packageVersion());
    const status = await service.call<{ version: string }>('GET', '/status', { token: user });
    assert.equal(status.body.version, packageVersion());
    const page = await service.call<string>('GET', '/');
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(page.body, /Mitschrift/);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    for (const [name, value] of Object.entries(guarding))
      assert.equal(page.headers.get(name), value, name);
    assert.doesNotMatch(policy, /unsafe/);
    assert.doesNotMatch(page.body, /<style|<script(?![^>]* src="\/)|style=|onload=/);
    const [, app] = /<script[^>]* src="(\/assets\/[^"]+)"/.exec(page.body)!;
    const script = await rawRequest(service.url, {
      path: app!,
      headers: { 'Accept-Encoding': 'gzip, br' },
    });
    assert.equal(script.headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(script.headers['content-encoding'], 'br');
    assert.equal(script.headers['vary'], 'Accept-Encoding');
    assert.match(String(script.headers['cache-control']), /immutable/);
    const plain = await rawRequest(service.url, { path: app! });
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.notEqual(plain.headers['etag'], script.headers['etag']);
    // Each page says what its part of the app is made of, so that it is asked for together with the rest.
    const note = await rawRequest(service.url, { path: '/notes/x' });
    const named = [...String(note.headers['link']).matchAll(/<([^>]+)>; rel=modulepreload/g)];
    assert.ok(named.some(([, part]) => part!.startsWith('/assets/RecordingPage-')));
    for (const [, part] of named)
      assert.equal((await rawRequest(service.url, { path: part! })).status, 200, part);
    const etag = String((await rawRequest(service.url, {})).headers['etag']);
    // Not by `fetch`, which asks for a fresh copy whenever somebody gives it this header.
    const again = await rawRequest(service.url, { headers: { 'If-None-Match': etag } });
    assert.equal(again.status, 304);
  });

  await t.test('a host name that is not ours is 421, whatever is asked', async () => {
    const { port, url } = service;
    for (const Host of [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      '[::2]',
    ]) {
      const answer = await rawRequest(url, { path: '/health', headers: { Host } });
      assert.equal(answer.status, 421, Host);
      assert.equal((JSON.parse(answer.body) as ProblemAnswer).type, '/problems/host-not-allowed');
    }
    for (const Host of [`127.0.0.1:${port}`, 'localhost', 'LOCALHOST:1', '[::1]:8765']) {
      assert.equal(
        (await rawRequest(url, { path: '/health', headers: { Host } })).status,
        200,
        Host,
      );
    }
  });

  await t.test('a person at an address that is no page gets the app, a program JSON', async () => {
    const visit = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    for (const path of ['/nowhere', '/notes', '/status', '/recordings/x/turns', '//evil/', '/a/']) {
      const shown = await rawRequest(service.url, { path, headers: visit });
      assert.deepEqual(
        [shown.status, shown.headers['content-type'], shown.headers['etag']],
        [404, 'text/html; charset=utf-8', undefined],
        path,
      );
      assert.match(shown.body, /<script[^>]* src="\/assets\//);
      const headers = { Accept: 'application/json, text/html' };
      const asked = await rawRequest(service.url, { path, headers });
      assert.equal(asked.headers['content-type'], 'application/problem+json', path);
    }
    const slash = await rawRequest(service.url, { path: '/settings/?part=people', headers: visit });
    assert.deepEqual([slash.status, slash.headers['location']], [308, '/settings?part=people']);
    const withToken = { ...visit, Authorization: `Bearer ${user}` };
    const program = await rawRequest(service.url, { path: '/nowhere', headers: withToken });
    assert.equal(program.headers['content-type'], 'application/problem+json');
  });

  await t.test(
    'a host name that is refused is named, and how it is allowed; to a person as a page',
    async () => {
      const headers = { Host: 'notes.example:80', 'Accept-Language': 'de' };
      const { body } = await rawRequest(service.url, { path: '/', headers });
      assert.match(
        body,
        /Unter diesem Hostnamen \(notes\.example\) nimmt .*ALLOWED_HOSTS=notes\.example,/,
      );
      const asPage = { Host: 'notes.example', Accept: 'text/html' };
      const page = await rawRequest(service.url, { path: '/nowhere', headers: asPage });
      assert.deepEqual(
        [page.status, page.headers['content-type']],
        [421, 'text/html; charset=utf-8'],
      );
      assert.match(
        page.body,
        /<h1>Host name not allowed.*MITSCHRIFT_SERVER_ALLOWED_HOSTS=notes\.example,/s,
      );
      const nasty = { Host: '<b>&', Accept: 'text/html' };
      const escaped = await rawRequest(service.url, { path: '/', headers: nasty });
      assert.equal(escaped.status, 421);
      assert.doesNotMatch(escaped.body, /<b>/);
    },
  );

  await t.test(
    'what another site’s page sends is refused, also where no login is needed',
    async () => {
      for (const headers of [
        { Origin: 'http://evil.example' },
        { Origin: 'null' },
        { Origin: `http://127.0.0.1:${service.port + 1}` },
        { 'Sec-Fetch-Site': 'cross-site' },
      ]) {
        const answer = await rawRequest(service.url, {
          method: 'POST',
          path: '/login',
          headers: { 'Content-Type': 'application/json', ...headers },
          body: JSON.stringify({ username: 'ada', password }),
        });
        assert.equal(answer.status, 403, JSON.stringify(headers));
      }
      const own = await rawRequest(service.url, {
        method: 'POST',
        path: '/login',
        headers: { 'Content-Type': 'application/json', Origin: service.url },
        body: JSON.stringify({ username: 'ada', password }),
      });
      assert.equal(own.status, 200);
    },
  );

  await t.test(
    'a form of another site cannot log in: only JSON that is declared so is read',
    async () => {
      const body = JSON.stringify({ username: 'ada', password });
      const headers = { 'Content-Type': 'text/plain' };
      assert.equal((await service.call('POST', '/login', { body, headers })).status, 415);
    },
  );

  await t.test('neither tokens nor passwords nor titles reach the log of the service', async () => {
    const named = encodeURIComponent('2026-01-01 10.00 Secret plan.md');
    await service.call('GET', `/transcripts/${named}`, { token: user });
    const text = service.logged.join('');
    for (const secret of [admin, user, password, 'Secret plan', 'Secret%20plan']) {
      assert.ok(!text.includes(secret), `the log holds ${secret}`);
    }
    assert.match(text, /"path":"\/transcripts\/…"/);
  });
});

test('more host names can be allowed, with or without their port', async (t) => {
  const env = { MITSCHRIFT_SERVER_ALLOWED_HOSTS: 'notes.example, other.example:8443' };
  const { url } = await startService(t, { env });
  const statusOf = async (Host: string) =>
    (await rawRequest(url, { path: '/health', headers: { Host } })).status;
  assert.equal(await statusOf('notes.example'), 200);
  assert.equal(await statusOf('Notes.Example.:81'), 200);
  assert.equal(await statusOf('other.example:8443'), 200);
  assert.equal(await statusOf('other.example'), 421);
});

/** What browsers are told beside the policy of the page. */
const guarding = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-frame-options': 'DENY',
};
