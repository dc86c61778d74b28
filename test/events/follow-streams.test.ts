import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configStream, usersStream } from '../../events/facts/catalogue.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import { followStreams } from '../../events/follow-streams.ts';
import { EventStoreError } from '../../events/store.ts';
import { memoryStore } from '../support/memory-store.ts';
import { plainFact, sampleFact } from '../support/sample-facts.ts';

test('streams are followed on behind a damaged record', { timeout: 10_000 }, async (t) => {
  const store = memoryStore();
  const damaged = recordingStream('damaged');
  const follow: typeof store.follow = async function* (asked) {
    for await (const facts of store.follow(asked)) {
      if (facts.some(({ stream }) => stream === damaged))
        throw new EventStoreError('DAMAGED', 'The record cannot be read.');
      yield facts;
    }
  };
  const warned: unknown[] = [];
  let looks = 0;
  await new Promise<void>((resolve) => {
    const takeIn = async (): Promise<void> => {
      looks += 1;
      if (looks === 1) await store.append(damaged, [plainFact('damaged')], 0);
      if (looks === 2) await store.append(usersStream, [sampleFact('user.registered', 'U1')], 0);
      if (looks === 3) resolve();
    };
    const log = { warn: (what: unknown) => void warned.push(what) };
    t.after(followStreams({ ...store, follow }, { [usersStream]: takeIn }, log));
  });
  assert.equal(warned.length, 1);
});

test(
  'a stream that cannot be read keeps no other from being taken in',
  { timeout: 10_000 },
  async (t) => {
    const store = memoryStore();
    const damaged = async (): Promise<void> => {
      throw new EventStoreError('DAMAGED', 'The record cannot be read.');
    };
    await new Promise<void>((resolve) => {
      const takeIn = { [configStream]: damaged, [usersStream]: async () => resolve() };
      t.after(followStreams(store, takeIn, { warn: () => {} }));
    });
  },
);
