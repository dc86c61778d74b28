import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { settingsFrom } from '../../src/config/environment.ts';
import type { KeyStore } from '../../events/key-store.ts';
import type { EventStore } from '../../events/store.ts';
import { type Accounts, openAccounts } from '../../src/accounts/accounts.ts';
import { fileSetupCodes } from '../../src/accounts/setup-code.ts';
import { sessionRows } from '../../src/accounts/sessions.ts';
import type { Kept } from '../../src/storage/kept.ts';
import { accountsParts } from '../support/accounts-parts.ts';
import { memoryKept } from '../support/memory-kept.ts';
import { memoryKeys, memoryStore } from '../support/memory-store.ts';
import { tempDir } from '../support/temp-dir.ts';

export const here = { address: '127.0.0.1', local: true };
export const afar = { address: '192.0.2.9', local: false };
export const anna = { username: 'Anna', password: 'correct horse' };

type Changeable<T> = { -readonly [K in keyof T]: T[K] };
type Given = { store?: EventStore; keys?: KeyStore; watched?: Watched; dataDir?: string };

/** Accounts over a log in memory, with a clock that moves only by `pass` (seconds). */
export async function accountsOn(t: TestContext, given: Given = {}) {
  let now = Date.UTC(2026, 10, 21);
  const clock = () => new Date(now);
  const keys = given.keys ?? memoryKeys();
  const store = given.store ?? memoryStore({ clock, keys });
  const watched = given.watched ?? watchedKept(memoryKept(clock));
  const { kept, watch } = watched;
  const rows = kept.of(sessionRows);
  const dataDir = given.dataDir ?? join(await tempDir(t), 'data');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const logged: string[] = [];
  const write = (...parts: unknown[]) => void logged.push(JSON.stringify(parts));
  const settings: Changeable<ReturnType<Parameters<typeof openAccounts>[0]['settings']>> = {
    ...settingsFrom({}),
    'auth.totp': 'optional',
    'auth.password_hash': 'argon2id',
    'auth.session_hours': 336,
  };
  const accounts: Accounts = await openAccounts({
    ...(await accountsParts(store)),
    keys,
    kept,
    settings: () => settings,
    clock,
    setupCodes: fileSetupCodes(join(dataDir, 'setup-code')),
    log: { info: write, warn: write },
  });
  const pass = (seconds: number) => (now += seconds * 1000);
  return { accounts, store, keys, watched, watch, rows, dataDir, settings, logged, pass };
}

/** As `accountsOn`, with Anna as its administrator. */
export async function accountsOfAnna(t: TestContext, given: Given = {}) {
  const parts = await accountsOn(t, given);
  await parts.accounts.setup(anna, here);
  for (const { key } of await parts.rows.list('')) await parts.rows.delete([key]);
  return parts;
}

type Watched = ReturnType<typeof watchedKept>;

/** Sessions are counted when they are written, and something may happen before, or after one is read. */
function watchedKept(inner: Kept) {
  const watch = { writes: 0, beforeWrite: async () => {}, afterRead: async () => {} };
  const kept: Kept = {
    sweep: () => inner.sweep(),
    of(kind) {
      const rows = inner.of(kind);
      if (kind.name !== sessionRows.name) return rows;
      return {
        ...rows,
        async get(key) {
          const row = await rows.get(key);
          await watch.afterRead();
          return row;
        },
        async delete(keys) {
          await watch.beforeWrite();
          await rows.delete(keys);
        },
        async change(keys, decide) {
          watch.writes += 1;
          await watch.beforeWrite();
          return await rows.change(keys, decide);
        },
      };
    },
  };
  return { kept, watch };
}
