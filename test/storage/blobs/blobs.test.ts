import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, describe, it, after } from 'node:test';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { Blobs } from '../../../src/storage/blobs/blobs.ts';
import { blobsOfOneProcess } from '../../../src/storage/blobs/file-blobs.ts';
import { openBlobs } from '../../../src/storage/blobs/open-blobs.ts';
import { s3Server } from '../../support/s3-server.ts';
import { sharedOwnership } from '../../support/shared-ownership.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { type TwoNodes, blobsContract, fails, keysOf, textOf } from './contract.ts';

const logId = '01JDQZ5M3V8W2N6Y4R7T9B1C0D';

async function twoNodes(test: TestContext, url: string): Promise<TwoNodes> {
  const ownership = sharedOwnership();
  const open = async (): Promise<Blobs> => {
    const blobs = await openBlobs(url, { logId, ownership: ownership.node() });
    test.after(() => blobs.close());
    return blobs;
  };
  return { one: await open(), other: await open() };
}

const fileUrl = (directory: string): string => pathToFileURL(directory).href;

blobsContract('A shared directory', async (test) => {
  return await twoNodes(test, fileUrl(join(await tempDir(test), 'blobs')));
});

blobsContract('A data directory', async (test) => {
  const one = blobsOfOneProcess(await tempDir(test));
  return { one, other: one };
});

let prefixes = 0;
for (const keepsConditions of [false, true]) {
  const server = s3Server({ after }, { keepsConditions });
  const name = keepsConditions ? 'A bucket' : 'A bucket of a server that ignores conditions';
  blobsContract(name, async (test) => {
    prefixes += 1;
    return await twoNodes(test, (await server).url(`p${prefixes}`));
  });
}

describe('A shared directory', () => {
  it('is for its owner only, and has nothing half', async (test) => {
    const directory = join(await tempDir(test), 'blobs');
    const { one } = await twoNodes(test, fileUrl(directory));
    await one.put('a/b/c', Buffer.from('x'));
    for (const path of ['', 'a', 'a/b']) {
      assert.equal((await stat(join(directory, path))).mode & 0o777, 0o700, path);
    }
    assert.equal((await stat(join(directory, 'a/b/c'))).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(join(directory, '.unfinished')), []);
  });

  it('is not left by a link', async (test) => {
    const directory = join(await tempDir(test), 'blobs');
    const outside = await tempDir(test);
    const { one } = await twoNodes(test, fileUrl(directory));
    await writeFile(join(outside, 'secret'), 'secret');
    await mkdir(join(directory, 'in'));
    await symlink(outside, join(directory, 'in', 'away'));
    await symlink(join(outside, 'secret'), join(directory, 'in', 'file'));
    await fails(one.put('in/away/b', Buffer.from('x')), 'BLOBS_REFUSED');
    await fails(one.get('in/away/secret'), 'BLOBS_REFUSED');
    await fails(one.get('in/file'), 'BLOBS_REFUSED');
    await fails(one.delete('in/away/secret'), 'BLOBS_REFUSED');
    await fails(one.deleteAll('in/away/secret/'), 'BLOBS_REFUSED');
    assert.deepEqual(await readdir(outside), ['secret']);
    await one.delete('in/file');
    await one.deleteAll('in/away/');
    assert.deepEqual(await readdir(join(directory, 'in')), []);
    assert.equal(await readFile(join(outside, 'secret'), 'utf8'), 'secret');
  });

  it('may have a folder at the top elsewhere, where the operator made a link', async (test) => {
    const directory = join(await tempDir(test), 'blobs');
    const larger = await tempDir(test);
    for (const { one } of [
      await twoNodes(test, fileUrl(directory)),
      { one: blobsOfOneProcess(directory) },
    ]) {
      await symlink(larger, join(directory, 'recordings'));
      await one.put('recordings/r1/audio', Buffer.from('sound'));
      assert.equal(await readFile(join(larger, 'r1', 'audio'), 'utf8'), 'sound');
      assert.equal(await textOf(one, 'recordings/r1/audio'), 'sound');
      await one.deleteAll('recordings/r1/');
      assert.deepEqual(await readdir(larger), []);
      await rm(join(directory, 'recordings'));
    }
  });

  it('that is not mounted any more is away: nothing is written in its place', async (test) => {
    const directory = join(await tempDir(test), 'blobs');
    const { one } = await twoNodes(test, fileUrl(directory));
    await one.put('a', Buffer.from('x'));
    await rename(directory, `${directory}.elsewhere`);
    await mkdir(directory);
    await fails(one.get('a'), 'BLOBS_AWAY');
    await fails(one.head('b'), 'BLOBS_AWAY');
    await fails(one.put('c', Buffer.from('x')), 'BLOBS_AWAY');
    await fails(keysOf(one, 'a/'), 'BLOBS_AWAY');
    await fails(one.delete('a'), 'BLOBS_AWAY');
    await fails(one.deleteAll('a/b/'), 'BLOBS_AWAY');
    await fails(one.deleteAll('a/'), 'BLOBS_AWAY');
    assert.deepEqual(await readdir(directory), []);
  });
});

describe('A bucket', () => {
  it('that answers late or not at all is waited for, for a bounded time', async (test) => {
    const server = await s3Server(test, { keepsConditions: true });
    const { one } = await twoNodes(test, server.url());
    // The answer is lost, not what was stored: the second try finds what the first one put.
    server.behave('cut');
    assert.equal(await one.put('a', Buffer.from('x'), { ifAbsent: true }), true);
    assert.equal(await one.put('a', Buffer.from('x'), { ifAbsent: true }), false);
    server.asked();
    server.behave('busy');
    const error = await fails(one.head('a'), 'BLOBS_AWAY');
    assert.match(error.message, /^s3:\/\/notes\S* can’t be used at the moment: .*503/);
    assert.equal(server.asked().length, 4);
    server.behave('well');
    assert.equal(await textOf(one, 'a'), 'x');
  });

  it('is sent to for longer than it may be silent', async (test) => {
    const server = await s3Server(test, { keepsConditions: true });
    const { one } = await twoNodes(test, server.url());
    server.asked();
    server.behave('hold');
    const held = server.holds();
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const put = one.put('a', randomBytes(9 * 1024 ** 2));
    await held;
    // The body of a request goes on arriving, at 300 kB a second.
    test.mock.timers.tick(29_000);
    test.mock.timers.reset();
    server.behave('well');
    assert.equal(await put, true);
    assert.deepEqual(server.asked(), ['PUT'], 'in one try');
  });

  it('that lost the answer to the last request of a body in parts has it', async (test) => {
    const server = await s3Server(test);
    const { one } = await twoNodes(test, server.url());
    const path = join(await tempDir(test), 'file');
    const bytes = randomBytes(17 * 1024 ** 2);
    await writeFile(path, bytes);
    server.behave('cut-join');
    assert.equal(await one.put('a', { path }), true);
    const { etag } = (await one.head('a'))!;
    server.behave('cut-join');
    assert.equal(await one.put('a', { path }, { ifMatch: etag }), true);
    assert.ok((await buffer((await one.get('a'))!.body)).equals(bytes));
  });

  it('says what is wrong with it, without credentials', async (test) => {
    const server = await s3Server(test);
    const ownership = sharedOwnership().node();
    const open = (url: string) => openBlobs(url, { logId, ownership });
    const none = server.url().replace('s3://notes', 's3://none');
    assert.match(
      (await fails(open(none), 'BLOBS_REFUSED')).message,
      /^The bucket s3:\S+ doesn’t exist/,
    );
    const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = process.env;
    process.env['AWS_ACCESS_KEY_ID'] = 'wrong-id';
    process.env['AWS_SECRET_ACCESS_KEY'] = 'wrong-secret';
    try {
      const { message } = await fails(open(server.url()), 'BLOBS_REFUSED');
      assert.match(message, /credentials/);
      assert.doesNotMatch(message, /wrong/);
    } finally {
      process.env['AWS_ACCESS_KEY_ID'] = id;
      process.env['AWS_SECRET_ACCESS_KEY'] = secret;
    }
    for (const url of [
      'nothing',
      'http://x/y',
      'file:///',
      'file://host/share?x=1',
      's3://NOTES',
      's3://notes/a%20b',
      's3://key:secret@notes',
      's3://notes?endpoint=ftp://x',
      's3://notes?secret=x',
      's3://notes?endpoint=http://key:secret@host',
    ]) {
      const { message } = await fails(open(url), 'BLOBS_URL');
      assert.doesNotMatch(message, /key:secret/, url);
    }
  });
});

describe('A store of blobs', () => {
  it('is one log’s only', async (test) => {
    const server = await s3Server(test);
    const ownership = sharedOwnership().node();
    for (const url of [fileUrl(join(await tempDir(test), 'blobs')), server.url()]) {
      const { one } = await twoNodes(test, url);
      await one.put('a', Buffer.from('x'));
      const other = openBlobs(url, { logId: '01JDQZ5M3V8W2N6Y4R7T9B1C0E', ownership });
      const { message } = await fails(other, 'BLOBS_OTHER_LOG');
      assert.match(message, new RegExp(logId));
      assert.equal(await textOf(one, 'a'), 'x');
      await one.put('log.json', Buffer.from('something else'));
      await fails(openBlobs(url, { logId, ownership }), 'BLOBS_OTHER_LOG');
    }
  });
});
