import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openFileKeys } from '../../events/file-keys.ts';
import { openLog } from '../../events/level-log.ts';
import { EventStoreError } from '../../events/store.ts';
import { sampleFact } from '../support/sample-facts.ts';
import { seeded } from '../support/seeded.ts';
import { fingerprint } from './told.ts';

/** What became of harm: told at open, by health, by `verify`, by a reader; or nothing that is read changed. */
export type Verdict = 'refused' | 'damaged' | 'harmless' | 'unnoticed';

/** A closed log of many facts in `.log` and `.ldb` files, and how to look at harmed copies of it. */
export type Specimen = {
  directory: string;
  /** Files of the log by the end of their names. */
  files(ending: string): Promise<string[]>;
  /** Copies the log, harms the copy, and says what became of it. Nothing is left behind. */
  harm(change: (directory: string) => Promise<void>): Promise<Verdict>;
};

const streams = ['recording-a', 'recording-b', 'recording-c'];

/** @param facts in `.ldb` files, and half as many more in the `.log` */
export async function specimen(folder: string, facts: number, seed: number): Promise<Specimen> {
  const original = join(folder, 'original');
  const random = seeded(seed);
  const open = async (root: string) => {
    const keys = await openFileKeys(join(root, 'keys'));
    return await openLog({ directory: join(root, 'log'), keys, verifiedPosition: 0 });
  };
  const append = async (from: number, to: number): Promise<void> => {
    const log = await open(original);
    for (let n = from; n < to; n += 1) {
      const stream = streams[n % streams.length]!;
      const abstract = Array.from({ length: 12 }, () => random.next().toString(36)).join(' ');
      const fact = {
        ...sampleFact('title.chosen', stream, `c${n}`),
        content: { title: '', abstract },
      };
      await log.append(stream, [fact as never], await log.version(stream));
    }
    await log.close();
  };
  // What is in the .log when a database is opened goes into an .ldb.
  await append(0, facts);
  await append(facts, facts + Math.ceil(facts / 2));
  const whole = await inCopy((root) => contents(root));

  /** Opening a log changes its files: so only copies are opened. */
  async function inCopy<T>(work: (root: string) => Promise<T>): Promise<T> {
    const root = await mkdtemp(join(folder, 'copy-'));
    try {
      await cp(original, root, { recursive: true });
      return await work(root);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  }

  async function contents(root: string): Promise<string> {
    const log = await open(root);
    try {
      if (log.health().state !== 'ok') throw new EventStoreError('DAMAGED', 'seen at open');
      const read: unknown[] = [log.head()];
      for await (const fact of log.readAll()) read.push(fingerprint(fact));
      for (const stream of streams) {
        read.push(await log.version(stream));
        for await (const fact of log.read(stream)) read.push(fingerprint(fact));
      }
      const { damages } = await log.verify({ contents: true });
      if (damages > 0) throw new EventStoreError('DAMAGED', 'seen by verify');
      return JSON.stringify(read);
    } finally {
      await log.close();
    }
  }

  return {
    directory: join(original, 'log'),
    async files(ending) {
      const names = (await readdir(join(original, 'log'))).filter((name) => name.endsWith(ending));
      if (names.length === 0) throw new Error(`the log has no ${ending}`);
      return names;
    },
    async harm(change) {
      return await inCopy(async (root) => {
        await change(join(root, 'log'));
        try {
          return (await contents(root)) === whole ? 'harmless' : 'unnoticed';
        } catch (error) {
          if (!(error instanceof EventStoreError) || error.code !== 'DAMAGED') throw error;
          return error.message.startsWith('seen') ? 'damaged' : 'refused';
        }
      });
    },
  };
}
