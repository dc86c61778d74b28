import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { password, withAda } from '../support/http-client.ts';
import { program } from '../support/program.ts';
import { tempDir } from '../support/temp-dir.ts';

test('with two-step login a script gives the code, and who may do nothing before it is set up is told where', async (t) => {
  const { service, token: ada } = await withAda(t);
  const ben = await service.addUser('ben');
  const config = await tempDir(t);
  const login = async (...more: string[]) => {
    const child = spawn(
      process.execPath,
      [program, 'login', '--server', service.url, '--user', 'ben', '--password-stdin', ...more],
      { env: { ...process.env, XDG_CONFIG_HOME: config } },
    );
    child.stdin.end(`${password}\n`);
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { out, err };
  };
  const kept = async () =>
    await readdir(join(config, 'mitschrift', 'logins')).catch((): string[] => []);
  await service.call('PUT', '/config', { token: ada, json: { auth: { totp: 'everybody' } } });
  assert.match((await login()).err, /Log in there with a browser to set it up/u);
  assert.deepEqual(await kept(), []);

  const { body: begun } = await service.call<{ secret: string }>('POST', '/users/me/totp', {
    token: ben,
    json: { current_password: password },
  });
  const totp = new TOTP({ secret: Secret.fromBase32(begun.secret) });
  const { body } = await service.call<{ recovery_codes: string[] }>(
    'POST',
    '/users/me/totp/confirm',
    { token: ben, json: { code: totp.generate() } },
  );
  assert.match((await login()).err, /--code CODE/u);
  assert.match((await login('--code', '000000')).err, /code/iu);
  assert.deepEqual(await kept(), []);
  const { out, err } = await login('--code', body.recovery_codes[0]!);
  assert.match(out, /Logged in to .* as ben\./u, err);
  assert.equal((await kept()).length, 1);
});

test('a server that answers, and ends no session, is not called out of reach', async (t) => {
  const session = JSON.stringify({ token: 't', username: 'ben' });
  const server = createServer((request, answer) => {
    if (request.url === '/logout') answer.writeHead(500);
    answer.end(session);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ...process.env, XDG_CONFIG_HOME: await tempDir(t) };
  const run = async (...args: string[]) => {
    const child = spawn(process.execPath, [program, ...args, '--server', url], { env });
    child.stdin.end(`${password}\n`);
    return await text(child.stderr);
  };
  await run('login', '--user', 'ben', '--password-stdin');
  const err = await run('logout');
  assert.match(err, /could not be ended at .*HTTP 500/su);
  assert.doesNotMatch(err, /reached/u);
});
