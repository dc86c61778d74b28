import assert from 'node:assert/strict';
import { type TestContext, describe, it } from 'node:test';
import { userSubjects } from '../../events/facts/catalogue.ts';
import type { EventLog } from '../../events/event-log.ts';
import { plainFact, sampleFact } from '../support/sample-facts.ts';
import { all, rejects } from './store-contract.ts';

/**
 * What every log must hold to beside the verbs of a store (`store-contract.ts`).
 * @param makeLog an empty log, which is closed when the test is over
 */
export function eventLogContract(
  name: string,
  makeLog: (test: TestContext) => Promise<EventLog>,
): void {
  describe(`${name} as a whole`, () => {
    it('hands out its records as they were written, any part of them', async (t) => {
      const log = await filled(await makeLog(t));
      const written = async (afterPosition: number, upToPosition: number) =>
        (await all(log.records({ afterPosition, upToPosition }))).flat();
      const records = await written(0, await log.head());
      assert.deepEqual(
        records.map(({ fact }) => [fact.position, fact.stream, fact.version, fact.type]),
        [
          [1, 'recording-b', 1, 'recording.paused'],
          [2, 'recording-a', 1, 'summary.completed'],
          [3, 'recording-b', 2, 'recording.paused'],
        ],
      );
      for (const { fact, json } of records) assert.deepEqual(JSON.parse(json), fact);
      assert.doesNotMatch(records[1]!.json, new RegExp(spoken), 'content is sealed');
      assert.deepEqual(await written(1, 2), records.slice(1, 2));
      assert.deepEqual(await written(3, 3), []);
      assert.deepEqual(
        (await all(log.soundRecords())).flat(),
        records.map(({ fact }) => fact),
      );
    });

    it('begins no recording under the name of another subject, or of one that was erased', async (t) => {
      const log = await makeLog(t);
      const subjects = userSubjects('U1');
      for (const [version, subject] of subjects.entries())
        await log.append('users', [sampleFact('user.registered', subject)], version);
      await log.keys.forget('U2');
      for (const id of [...subjects, 'U2']) {
        await rejects(log.append(`recording-${id}`, [plainFact('1')], 0), 'INVALID_FACT');
        const said = [sampleFact('summary.completed', id)];
        await rejects(log.append(`recording-${id}`, said, 0), 'INVALID_FACT');
      }
      // What an append that failed leaves is no subject.
      await log.keys.obtain('U3');
      await log.append('recording-U3', [plainFact('1')], 0);
      assert.deepEqual(await all(log.streams()), ['recording-U3', 'users']);
    });

    it('tells by a checksum whether another log says the same', async (t) => {
      const log = await filled(await makeLog(t));
      const at = await Promise.all([0, 1, 2, 3].map((position) => log.checksum(position)));
      assert.equal(new Set(at).size, 4);
      await log.append('recording-c', [plainFact('4')], 0);
      assert.equal(await log.checksum(3), at[3]);
    });

    it('names its streams in order, also behind one', async (t) => {
      const log = await filled(await makeLog(t));
      assert.deepEqual(await all(log.streams()), ['recording-a', 'recording-b']);
      assert.deepEqual(await all(log.streams('recording-a')), ['recording-b']);
      assert.deepEqual(await all(log.streams('recording-b')), []);
    });

    it('knows where it stands and that it is sound', async (t) => {
      const log = await makeLog(t);
      assert.deepEqual([await log.head(), await log.version('recording-b')], [0, 0]);
      await filled(log);
      assert.deepEqual([await log.head(), await log.version('recording-b')], [3, 2]);
      assert.deepEqual(await log.verify({ contents: true }), {
        position: 3,
        records: 3,
        damages: 0,
      });
      assert.deepEqual(log.health(), { state: 'ok', damage: [], more: 0 });
      const pages = await all(log.pages({ afterPosition: 1 }));
      assert.deepEqual(pages.flat(), await all(log.readAll({ afterPosition: 1 })));
    });
  });
}

const summary = sampleFact('summary.completed');
const spoken = (summary.content as { text: string }).text;

async function filled(log: EventLog): Promise<EventLog> {
  await log.append('recording-b', [plainFact('1')], 0);
  await log.append('recording-a', [summary], 0);
  await log.append('recording-b', [plainFact('3')], 1);
  return log;
}
