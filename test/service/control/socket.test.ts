import assert from 'node:assert/strict';
import { chmod, lchown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { askService, openControl } from '../../../src/service/control/socket.ts';
import { tempDir } from '../../support/temp-dir.ts';

async function served(t: TestContext, folder: string) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'control.sock');
  const said: unknown[] = [];
  const server = await openControl(path, {
    add: async (body) => {
      said.push(body);
      return { added: true };
    },
  });
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    await closed;
  };
  t.after(() => server.listening && close());
  return { path, said, close };
}

test('a socket lies in its folder, however long the path of that is', async (t) => {
  const root = await tempDir(t);
  for (const name of ['short', 'a-long-name-'.repeat(18)]) {
    const folder = join(root, name, name.slice(0, 100));
    const { path, said, close } = await served(t, folder);
    assert.deepEqual(await readdir(folder), ['control.sock']);
    assert.deepEqual(await askService(path, 'add', { a: 1 }), { added: true });
    assert.deepEqual(said, [{ a: 1 }]);
    await close();
    assert.deepEqual(await readdir(folder), []);
    assert.equal(await askService(path, 'add', { a: 2 }), null, 'none runs');
    await writeFile(path, '');
    assert.equal(await askService(path, 'add', { a: 2 }).catch(() => null), null);
  }
});

test('who asks a service that could not start is told why, and nobody need ask', async (t) => {
  const path = join(await tempDir(t), 'control.sock');
  const server = await openControl(path, Promise.reject(new Error('the database went away')));
  t.after(() => server.close());
  // A rejection that nobody heard of would end the process now.
  await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(askService(path, 'add', {}), /the database went away/u);
});

test('nothing is said where another user may listen', async (t) => {
  const folder = join(await tempDir(t), 'data');
  const { path, said } = await served(t, folder);
  const another = 12_002;
  // The tests run as root (`test/README.md`): a socket of another user in a folder of ours, and ours in one of theirs.
  await lchown(path, another, another);
  await assert.rejects(askService(path, 'add', { password: 'x' }), /belongs to another user/u);
  await lchown(path, process.getuid!(), process.getgid!());
  await lchown(folder, another, another);
  await assert.rejects(askService(path, 'add', { password: 'x' }), /belongs to another user/u);
  assert.deepEqual(said, []);
  // What root asks is asked of the service of the user whose folder it is.
  await lchown(path, another, another);
  await chmod(folder, 0o700);
  assert.deepEqual(await askService(path, 'add', {}), { added: true });
});
