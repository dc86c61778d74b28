import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordingStream } from '../../../events/facts/recording.ts';
import { EventStoreError } from '../../../events/store.ts';
import { followErasures } from '../../../src/storage/blobs/follow-erasures.ts';
import { memoryStore } from '../../support/memory-store.ts';
import { plainFact, sampleFact } from '../../support/sample-facts.ts';

test(
  'after an error erasures are followed on from where it came: none is missed, none done twice',
  { timeout: 30_000 },
  async (t) => {
    const store = memoryStore();
    const erase = (id: string) =>
      store.append(recordingStream(id), [sampleFact('recording.erased')], 0);
    await erase('before');
    let follows = 0;
    const follow: typeof store.follow = async function* (asked) {
      follows += 1;
      if (follows === 1) await erase('one');
      for await (const facts of store.follow(asked)) {
        yield facts;
        if (follows > 1) continue;
        await erase('two');
        throw new Error('damaged');
      }
    };
    const left: string[] = [];
    const failures: string[] = [];
    const log = { error: (_: unknown, text?: string) => void failures.push(text ?? '') };
    await new Promise<void>((resolve) => {
      const leave = async (subject: string): Promise<void> => {
        left.push(subject);
        if (subject === 'two') resolve();
      };
      t.after(followErasures({ ...store, follow }, { leave }, log));
    });
    assert.deepEqual(left, ['one', 'two']);
    assert.deepEqual(failures, ['erasures of other nodes could not be followed']);
  },
);

test(
  'what was erased between a record that cannot be read and the end of the log is left all the same',
  { timeout: 30_000 },
  async (t) => {
    const store = memoryStore();
    const damaged = recordingStream('damaged');
    let follows = 0;
    const follow: typeof store.follow = async function* (asked) {
      follows += 1;
      if (follows === 1) {
        await store.append(damaged, [plainFact('damaged')], 0);
        await store.append(recordingStream('behind'), [sampleFact('recording.erased')], 0);
      }
      for await (const facts of store.follow(asked)) {
        if (facts.some(({ stream }) => stream === damaged))
          throw new EventStoreError('DAMAGED', 'The record cannot be read.');
        yield facts;
      }
    };
    const left: string[] = [];
    await new Promise<void>((resolve) => {
      const leave = async (subject: string): Promise<void> => {
        left.push(subject);
        resolve();
      };
      t.after(followErasures({ ...store, follow }, { leave }, { error: () => {} }));
    });
    assert.deepEqual(left, ['behind']);
  },
);

test(
  'a log that does not answer is said once, and followed when it does',
  { timeout: 30_000 },
  async (t) => {
    const store = memoryStore();
    let tries = 0;
    const head = async (): Promise<number> => {
      tries += 1;
      if (tries < 4) throw new EventStoreError('BUSY', 'The database does not answer.');
      return await store.head();
    };
    const follow: typeof store.follow = async function* (asked) {
      await store.append(recordingStream('one'), [sampleFact('recording.erased')], 0);
      yield* store.follow(asked);
    };
    let failures = 0;
    const log = { error: () => void (failures += 1) };
    await new Promise<void>((resolve) => {
      const leave = async (): Promise<void> => resolve();
      t.after(followErasures({ ...store, head, follow }, { leave }, log));
    });
    assert.equal(failures, 1);
  },
);
