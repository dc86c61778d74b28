import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { KeyStore } from '../../events/key-store.ts';
import type { EventStore } from '../../events/store.ts';
import { type Accounts, openAccounts } from '../../src/accounts/accounts.ts';
import { fileSetupCodes } from '../../src/accounts/setup-code.ts';
import type { SessionRow, SessionRows } from '../../src/storage/session-rows.ts';
import { memoryKeys, memoryStore } from '../support/memory-store.ts';
import { tempDir } from '../support/temp-dir.ts';

export const here = { address: '127.0.0.1', local: true };
export const afar = { address: '192.0.2.9', local: false };
export const anna = { username: 'Anna', password: 'correct horse' };

type Given = { store?: EventStore; keys?: KeyStore; rows?: SessionsInMemory; dataDir?: string };

/** Accounts over a log in memory, with a clock that moves only by `pass` (seconds). */
export async function accountsOn(t: TestContext, given: Given = {}) {
  let now = Date.UTC(2026, 10, 21);
  const clock = () => new Date(now);
  const keys = given.keys ?? memoryKeys();
  const store = given.store ?? memoryStore({ clock, keys });
  const rows = given.rows ?? sessionsInMemory();
  const dataDir = given.dataDir ?? join(await tempDir(t), 'data');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const logged: string[] = [];
  const write = (...parts: unknown[]) => void logged.push(JSON.stringify(parts));
  const settings: { 'auth.password_hash': 'argon2id' | 'pbkdf2'; 'auth.session_hours': number } = {
    'auth.password_hash': 'argon2id',
    'auth.session_hours': 336,
  };
  const accounts: Accounts = await openAccounts({
    store,
    keys,
    sessions: rows,
    settings: () => settings,
    clock,
    setupCodes: fileSetupCodes(join(dataDir, 'setup-code')),
    log: { info: write, warn: write },
  });
  const pass = (seconds: number) => (now += seconds * 1000);
  return { accounts, store, keys, rows, dataDir, settings, logged, pass };
}

/** As `accountsOn`, with Anna as its administrator. */
export async function accountsOfAnna(t: TestContext, given: Given = {}) {
  const parts = await accountsOn(t, given);
  await parts.accounts.setup(anna, here);
  parts.rows.table.clear();
  return parts;
}

export type SessionsInMemory = SessionRows & { table: Map<string, SessionRow>; puts: number };

export function sessionsInMemory(): SessionsInMemory {
  const table = new Map<string, SessionRow>();
  const deleteIf = (over: (row: SessionRow) => boolean) => {
    const hashes = [...table].filter(([, row]) => over(row)).map(([hash]) => hash);
    for (const hash of hashes) table.delete(hash);
    return hashes;
  };
  return {
    table,
    puts: 0,
    isShared: false,
    async move(hash, moved) {
      const row = table.get(hash);
      if (row) await this.put(hash, { ...row, ...moved });
      return table.get(hash);
    },
    get: async (hash) => table.get(hash),
    async put(hash, row) {
      this.puts += 1;
      table.set(hash, row);
    },
    delete: async (hash) => void table.delete(hash),
    all: async () => [...table].map(([id, row]) => ({ id, row })),
    deleteOf: async (userId) => deleteIf((row) => row.user_id === userId),
    sweep: async (now) => void deleteIf((row) => row.expires_at <= now),
  };
}
