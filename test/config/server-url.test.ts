import assert from 'node:assert/strict';
import dns from 'node:dns';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { guardedLookup, isForbiddenAddress, serverUrl } from '../../src/servers/server.ts';
import { openLanguageModel } from '../../src/language/openai-model.ts';
import { askServer } from '../../src/servers/ask-server.ts';
import { speechServer } from '../../src/speech/remote/probe-server.ts';

test('servers are http or https, without credentials, and not link-local in any spelling', () => {
  const good = [
    'http://localhost:8000/v1',
    'https://api.example/openai/v1',
    'http://192.168.1.5:11434',
    'http://[::1]:8000',
    'http://[fd00::1]/',
    'http://169.253.1.1/',
  ];
  const bad = [
    '',
    'localhost:8000',
    'ftp://host/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://user@host/',
    'http://user:pw@host/',
    'http://:pw@host/',
    'http://169.254.169.254/latest/meta-data',
    'http://0xA9FEA9FE/',
    'http://2852039166/',
    'http://169.254.43518/',
    'http://[::ffff:169.254.169.254]/',
    'http://[64:ff9b::169.254.169.254]/',
    'http://[fe80::1]/',
    'http://[febf::1]/',
    'http://[fd00:ec2::254]/',
    'http://[fd20:ce::254]/',
    'http://[FD00:0EC2:0:0:0:0:0:254]/',
    'http://[64:ff9b:1::a9fe:a9fe]/',
    'http://[2002:a9fe:a9fe::]/',
    'http://[2002:6464:64c8::1]/',
    'http://[::169.254.169.254]/',
    'http://[::ffff:100.100.100.200]/',
    'http://100.100.100.200/',
    'http://192.0.0.192/',
    'http://168.63.129.16/',
  ];
  for (const url of good) assert.ok(serverUrl.safeParse(url).success, url);
  for (const url of bad) assert.ok(!serverUrl.safeParse(url).success, url);
});

test('a name that leads to a forbidden address is refused when it is looked up', async () => {
  const found = await lookup('localhost', { all: true });
  assert.ok(found.every(({ address }) => !isForbiddenAddress(address)));
  const asked = (name: string, all: boolean) =>
    new Promise<unknown>((resolve, reject) => {
      guardedLookup(name, { all }, (error, address) => (error ? reject(error) : resolve(address)));
    });
  assert.equal(((await asked('localhost', true)) as unknown[]).length, found.length);
  assert.equal(typeof (await asked('localhost', false)), 'string');
  // The resolver answers a literal address with itself: a name of such an address, without a name server.
  for (const [name, all] of [
    ['169.254.169.254', true],
    ['169.254.169.254', false],
    ['fe80::1', true],
  ] as const) {
    await assert.rejects(asked(name, all), { code: 'server-refused', retriable: false });
  }
  await assert.rejects(asked('name.invalid', true), { code: 'ENOTFOUND' });
});

test('neither client of a configured server connects to a name of a metadata address', async (t) => {
  const everyName: typeof dns.lookup = ((_name: string, options: object, callback: Function) =>
    'all' in options && options.all
      ? callback(null, [{ address: '169.254.169.254', family: 4 }])
      : callback(null, '169.254.169.254', 4)) as never;
  const mocked = t.mock.method(dns, 'lookup', everyName);
  syncBuiltinESMExports();
  t.after(() => {
    mocked.mock.restore();
    syncBuiltinESMExports();
  });
  const { model, server } = clients(t, 'http://metadata.example');
  const signal = AbortSignal.timeout(5000);
  const refused = { code: 'server-refused', message: /metadata\.example leads to a link-local/ };
  await assert.rejects(model.models(signal), refused);
  await assert.rejects(
    askServer(server, 'http://metadata.example/v1/models', { signal }),
    (error: Error) => (error.cause as { code: string }).code === refused.code,
  );
});

test('neither client follows a redirect to another server', async (t) => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.host ?? '');
    const { port } = server.address() as AddressInfo;
    response.writeHead(307, { location: `http://127.0.0.1:${port}/elsewhere` }).end();
  });
  await once(server.listen(0), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const { model, server: asked } = clients(t, url);
  const signal = AbortSignal.timeout(5000);
  const question = { system: '', user: 'Who?', answerTokensMax: 10 };
  await assert.rejects(
    model.complete(question, signal),
    /redirects to another address.* http:\/\/127\.0\.0\.1/,
  );
  assert.equal((await askServer(asked, `${url}/v1/models`, { signal })).status, 307);
  assert.ok(seen.length > 1 && seen.every((host) => host.startsWith('localhost')));
});

function clients(t: TestContext, baseUrl: string) {
  const model = openLanguageModel({
    baseUrl,
    model: 'm',
    apiKey: 'sk',
    contextTokens: null,
    timeoutSeconds: 5,
  });
  const server = speechServer(baseUrl, 'sk');
  t.after(() => Promise.all([model.close(), server.connections.destroy()]));
  return { model, server };
}
