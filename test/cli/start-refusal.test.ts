import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { program } from '../support/program.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

test('what keeps the service from its folder or its port is one sentence with what to do, no stack', async (t) => {
  const data = await tempDir(t);
  const locked = await tempDir(t);
  await chmod(locked, 0o500);
  const below = join(locked, 'it’s data');
  const file = join(data, 'a file');
  await writeFile(file, '');
  const blocked = join(data, 'blocked');
  const taken = createServer().listen(0, '127.0.0.1');
  t.after(() => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const cases: [env: Record<string, string>, said: RegExp][] = [
    [
      { MITSCHRIFT_DATA: below },
      /^Mitschrift can’t write to .*it’s data: permission denied\. Make .* \(sudo install -d -m 700 -o \S+ '.*it’s data'\), or set MITSCHRIFT_DATA to another one\.$/,
    ],
    [
      { MITSCHRIFT_DATA: locked },
      /^Mitschrift can’t write to .*: permission denied\. .*\(sudo chown -R \S+ .*\)/,
    ],
    [
      { MITSCHRIFT_DATA: file },
      /^Mitschrift can’t write to .*a file: the path leads to a file\. Make/,
    ],
    [{ MITSCHRIFT_DATA: join(file, 'x') }, /: a part of the path is a file\. Make/],
    [
      { MITSCHRIFT_DATA: blocked, MITSCHRIFT_PORT: '80' },
      /^Only root may use port 80\. Set MITSCHRIFT_PORT to 1024 or higher/,
    ],
    [
      { MITSCHRIFT_DATA: blocked, MITSCHRIFT_PORT: String(port) },
      /^Another program uses 127\.0\.0\.1:\d+\. Set MITSCHRIFT_PORT/,
    ],
    [
      { MITSCHRIFT_DATA: blocked, MITSCHRIFT_HOST: '192.0.2.7' },
      /^192\.0\.2\.7 is not an address of this computer\. Set MITSCHRIFT_HOST/,
    ],
    [
      { MITSCHRIFT_DATA: blocked, MITSCHRIFT_HOST: 'nowhere.invalid' },
      /^nowhere\.invalid is not an address of this computer\. Set MITSCHRIFT_HOST/,
    ],
  ];
  for (const [env, said] of cases) {
    const { code, out, err } = await serve(env);
    assert.equal(code, 1, JSON.stringify(env));
    assert.match(err.trim(), said);
    assert.equal(err.trim().split('\n').length, 1, err);
    assert.doesNotMatch(out, /\n {4}at /, 'no stack');
  }
});

test('a start that fails while a request waits for it says its own reason, once, and answers the request', async (t) => {
  // A database that takes connections and says nothing, until it is gone.
  const connected: Socket[] = [];
  const database = createServer((socket) => void connected.push(socket)).listen(0, '127.0.0.1');
  t.after(() => database.close());
  await once(database, 'listening');
  const { port } = database.address() as AddressInfo;
  const data = await tempDir(t);
  const cluster = {
    MITSCHRIFT_DATABASE_URL: `postgres://127.0.0.1:${port}/notes`,
    MITSCHRIFT_BLOBS_URL: pathToFileURL(data).href,
    MITSCHRIFT_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const service = await startServiceProcess(data, cluster, [], { ready: false });
  t.after(() => service.end('SIGKILL'));
  // 100 says that the request has come to where it waits for the start.
  const waiting = request(`${service.url}/recordings`, { headers: { expect: '100-continue' } });
  const answered = once(waiting, 'response');
  waiting.flushHeaders();
  await once(waiting, 'continue');
  waiting.end();
  database.close();
  for (const socket of connected) socket.destroy();

  const [answer] = (await answered) as [IncomingMessage];
  assert.equal(answer.statusCode, 503);
  answer.resume();
  assert.equal(await service.ended, 1);
  const reasons = [...service.said, ...service.logged].filter((line) => /respond|error/.test(line));
  assert.equal(reasons.length, 1, reasons.join('\n'));
  assert.match(reasons[0]!, /^The database \S+ doesn’t respond \(/);
});

/** As a user without root's rights, also where the tests have them. */
function serve(env: Record<string, string>): Promise<{ code: number; out: string; err: string }> {
  const plain = [process.execPath, program, 'serve'];
  const [command, ...args] = (
    process.getuid?.() === 0
      ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all', ...plain]
      : plain
  ) as [string, ...string[]];
  const options = {
    env: { ...process.env, MITSCHRIFT_PORT: '0', ...env },
    timeout: 60_000,
  };
  return new Promise((resolve) => {
    const child = execFile(command, args, options, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}
