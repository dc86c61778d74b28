import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, describe, it } from 'node:test';
import { type LoggedFact, factTypes, schemaOf } from '../../events/facts/catalogue.ts';
import { type TempLog, tempLog } from '../support/temp-log.ts';
import { all, upTo } from './store-contract.ts';

/** The log of the first release, as that wrote it. */
const fixture = join(import.meta.dirname, '../fixtures/log-v1');
const erasedStream = 'recording-01M7V500000000000000000004';
/** Types that release knew; types of later releases are not in its log. */
const typesThen = 39;

async function copyOfFixture(test: TestContext): Promise<TempLog> {
  const temp = await tempLog(test);
  await cp(fixture, temp.root, { recursive: true });
  return temp;
}

describe('The log of the first release', () => {
  it('is sound and reads as it was written', async (test) => {
    const log = await (await copyOfFixture(test)).open({ verifiedPosition: 0 });
    assert.deepEqual(log.health(), { state: 'ok', damage: [], more: 0 });
    assert.equal((await log.verify({ contents: true })).records, 48);
    const facts = await all(log.readAll());
    assert.deepEqual(
      facts.map(({ position }) => position),
      upTo(48),
    );
    assert.deepEqual(
      { ...facts[0], id: '' },
      {
        id: '',
        position: 1,
        stream: 'config',
        version: 1,
        type: 'config.key_set',
        at: '2026-11-20T09:00:01.000Z',
        by: 'U1',
        command: 'config-0',
        run: 1,
        attempt: 1,
        from: 'idle.new',
        to: 'recording',
        machine: 1,
        subject: 'config',
        data: { key: 'stt.base_url', value: 'http://127.0.0.1:8080' },
      },
    );
    const started = facts.find(({ type }) => type === 'recording.started');
    assert.deepEqual(started?.content, { title: 'Wöchentliches Treffen' });
  });

  it('has every type of fact there was, each as today’s schema wants it', async (test) => {
    const log = await (await copyOfFixture(test)).open();
    const facts = await all(log.readAll());
    const types = new Set(facts.map(({ type }) => type));
    assert.equal(types.size, typesThen);
    for (const fact of facts) assertHoldsToSchema(fact);
    for (const type of types) assert.ok(factTypes.includes(type), type);
  });

  it('shows a skeleton where a recording was erased', async (test) => {
    const log = await (await copyOfFixture(test)).open();
    const erased = await all(log.read(erasedStream));
    assert.deepEqual(
      erased.map(({ type, erased, content }) => [type, erased, content]),
      [
        ['recording.started', true, undefined],
        ['recording.discarded', undefined, undefined],
        ['recording.erased', undefined, undefined],
      ],
    );
    const elsewhere = await all(log.readAll());
    assert.equal(elsewhere.filter((fact) => fact.erased).length, 1);
  });

  it('can be written on', async (test) => {
    const temp = await copyOfFixture(test);
    const log = await temp.open();
    const fact = { type: 'config.key_reset' as const, data: { key: 'a' }, by: 'U1', command: 'c' };
    await log.append('config', [fact], 3);
    assert.equal((await log.verify()).damages, 0);
    assert.equal(await log.head(), 49);
  });
});

function assertHoldsToSchema(fact: LoggedFact): void {
  const schema = schemaOf(fact.type);
  assert.deepEqual(schema?.data.parse(fact.data), fact.data, fact.type);
  if (fact.content === undefined) return;
  assert.deepEqual(schema?.content?.parse(fact.content), fact.content, fact.type);
}
