import { type ChildProcess, fork } from 'node:child_process';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { openLog } from '../../events/log/level-log.ts';
import { tablesIn } from '../../src/integrity/tables/tables.ts';
import { testProgram } from '../support/program.ts';
import { sampleFact } from '../support/sample-facts.ts';
import { seeded } from '../support/seeded.ts';
import type { ReadReply, ReadRequest } from './log-reader.ts';

/**
 * What became of harm: told at open, by health, by `verify`, by a reader; LevelDB ended the process with
 * an assertion, without the check of tables having foreseen it; or nothing that is read changed.
 */
export type Verdict = 'refused' | 'damaged' | 'aborted' | 'harmless' | 'unnoticed';

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
  // What is in the .log when a database is opened goes into an .ldb: three of them, and with the next
  // opening a fourth, so that LevelDB compacts them at once, harmed or not.
  for (let table = 0; table < 3; table += 1) {
    await append(Math.ceil((facts * table) / 3), Math.ceil((facts * (table + 1)) / 3));
  }
  await append(facts, facts + Math.ceil(facts / 2));
  const reader = logReaders();
  const undamaged = await inCopy((root) => reader.read({ root, streams }));
  if (undamaged === null || !('contents' in undamaged)) {
    throw new Error(`the log is not whole to begin with: ${JSON.stringify(undamaged)}`);
  }
  const whole = undamaged.contents;

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

  return {
    directory: join(original, 'log'),
    async files(ending) {
      const { others } = await tablesIn(join(original, 'log'));
      // What a compaction had begun counts for nothing, and LevelDB removes it.
      const idle = new Set(others.map(({ name }) => name));
      const names = (await readdir(join(original, 'log'))).filter(
        (name) => name.endsWith(ending) && !idle.has(name),
      );
      if (names.length === 0) throw new Error(`the log has no ${ending}`);
      return names;
    },
    async harm(change) {
      return await inCopy(async (root) => {
        await change(join(root, 'log'));
        const reply = await reader.read({ root, streams });
        if (reply === null) return 'aborted';
        if ('error' in reply) throw new Error(reply.error);
        if ('damaged' in reply) return reply.damaged === 'seen' ? 'damaged' : 'refused';
        return reply.contents === whole ? 'harmless' : 'unnoticed';
      });
    },
  };
}

/** One reading process after the other: one that is ended by what it read is followed by another. */
function logReaders() {
  let child: ChildProcess | undefined;
  return {
    /** Null when the process was ended. */
    async read(request: ReadRequest): Promise<ReadReply | null> {
      child ??= fork(testProgram('test/faults/log-reader'));
      const reading = child;
      // Between two readings it must not hold up the test's end.
      reading.ref();
      reading.channel?.ref();
      return await new Promise((resolve, reject) => {
        const exit = () => {
          child = undefined;
          resolve(null);
        };
        reading.once('error', reject);
        reading.once('exit', exit);
        reading.once('message', (reply: ReadReply) => {
          reading.off('exit', exit);
          reading.off('error', reject);
          reading.channel?.unref();
          reading.unref();
          resolve(reply);
        });
        reading.send(request);
      });
    },
  };
}
