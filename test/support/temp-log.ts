import { Level } from 'level';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openFileKeys } from '../../events/log/file-keys.ts';
import type { KeyStore } from '../../events/key-store.ts';
import { type LevelLog, type LogOptions, openLog } from '../../events/log/level-log.ts';
import { tempDir } from './temp-dir.ts';

/** A log in a directory of the test's own, which can be closed, opened again, and tampered with. */
export type TempLog = {
  root: string;
  directory: string;
  keysDirectory: string;
  /** Opens the log; the last one opened is closed when the test is over. */
  open(options?: Partial<LogOptions>): Promise<LevelLog>;
  keys(): Promise<KeyStore>;
  /** Works on the database behind the log's back. The log must be closed. */
  tamper(work: (db: Level) => Promise<void>): Promise<void>;
};

export async function tempLog(test: Pick<TestContext, 'after'>): Promise<TempLog> {
  const opened: LevelLog[] = [];
  // Before the directory is removed: these run in the order in which they are given.
  test.after(async () => {
    for (const log of opened) await log.close();
  });
  const root = await tempDir(test);
  const directory = join(root, 'log');
  const keysDirectory = join(root, 'keys');
  const keys = (): Promise<KeyStore> => openFileKeys(keysDirectory);
  return {
    root,
    directory,
    keysDirectory,
    keys,
    async open(options = {}) {
      const log = await openLog({ directory, keys: options.keys ?? (await keys()), ...options });
      opened.push(log);
      return log;
    },
    async tamper(work) {
      const db = new Level(directory);
      await db.open({ createIfMissing: false });
      try {
        await work(db);
      } finally {
        await db.close();
      }
    },
  };
}
