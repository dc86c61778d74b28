import { Level } from 'level';
import pino from 'pino';
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { hostFrom } from '../../src/shared/data-directory.ts';
import { startService } from '../../src/main.ts';
import { apiOf, setUp } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

test('no row and no file of the data directory holds the hash of a password', async (t) => {
  const root = await tempDir(t);
  const service = await startService({
    host: hostFrom({ ...process.env, MITSCHRIFT_DATA: root, MITSCHRIFT_PORT: '0' }),
    env: {},
    log: pino({ level: 'silent' }),
  });
  const password = 'correct horse battery';
  try {
    await service.ready;
    const { url } = service;
    const token = await setUp(url, { username: 'ada' });
    await apiOf(url, token).post('/users', { username: 'bert', password });
    await apiOf(url).post('/login', { username: 'bert', password });
  } finally {
    await service.close();
  }
  const files = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = files
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name));
  for (const path of paths) assertNoHash(path, (await readFile(path)).toString('latin1'));
  // Tables are compressed: what is in them shows only to a reader of the database.
  const databases = paths.filter((path) => basename(path) === 'CURRENT').map(dirname);
  assert.notEqual(databases.length, 0);
  for (const database of databases) {
    const db = new Level(database, { createIfMissing: false });
    for await (const [key, value] of db.iterator()) assertNoHash(key, value);
    await db.close();
  }
});

const assertNoHash = (where: string, text: string): void =>
  assert.doesNotMatch(text, /\$argon2|pbkdf2-sha256/, where);
