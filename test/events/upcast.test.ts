import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Upcasters, upcast } from '../../events/facts/validation.ts';
import { sampleFact } from '../support/sample-facts.ts';
import { tempLog } from '../support/temp-log.ts';
import { all, rejects } from './store-contract.ts';

/*
 * A past that never was: `config.key_set` once had `name` for `key`, and in its second version
 * `key` with a prefix; `stage.failed` once had no `retriable`.
 */
const upcasters: Upcasters = {
  'config.key_set': {
    1: (old) => {
      const { name, value } = old.data as { name: string; value: unknown };
      return { ...old, data: { key: `settings.${name}`, value } };
    },
    2: (old) => {
      const { key, value } = old.data as { key: string; value: unknown };
      return { ...old, data: { key: key.replace(/^settings\./, ''), value } };
    },
  },
  'config.renamed_away': { 1: ({ data }) => ({ type: 'config.key_reset', data }) },
};

describe('Upcasting', () => {
  it('goes through every version up to today', () => {
    const data = { name: 'stt.base_url', value: 'x' };
    const shape = upcast({ type: 'config.key_set', data }, 1, upcasters);
    assert.deepEqual(shape, { type: 'config.key_set', data: { key: 'stt.base_url', value: 'x' } });
  });

  it('starts where the fact was written', () => {
    const data = { key: 'settings.a', value: 'x' };
    const shape = upcast({ type: 'config.key_set', data }, 2, upcasters);
    assert.deepEqual(shape.data, { key: 'a', value: 'x' });
    assert.deepEqual(upcast({ type: 'config.key_set', data }, 3, upcasters).data, data);
  });

  it('can lead to another type', () => {
    const shape = upcast({ type: 'config.renamed_away', data: { key: 'a' } }, 1, upcasters);
    assert.deepEqual(shape, { type: 'config.key_reset', data: { key: 'a' } });
  });

  it('refuses what only a later release can know', () => {
    for (const [type, version] of [
      ['config.key_set', 4],
      ['config.key_reset', 2],
      ['config.renamed_away', 3],
      ['config.unheard_of', 1],
    ] as const) {
      const shape = { type, data: {} };
      assert.throws(() => upcast(shape, version, upcasters), { code: 'NEWER_LOG' }, type);
    }
  });

  it('does not go on for ever', () => {
    const circle: Upcasters = {
      'config.key_set': { 1: () => ({ type: 'x', data: {} }) },
      x: { 1: () => ({ type: 'config.key_set', data: {} }) },
    };
    assert.throws(() => upcast({ type: 'x', data: {} }, 1, circle), /does not come to an end/);
  });
});

describe('A log that was written in old shapes', () => {
  it('is read as if it had been written today, and written on', async (test) => {
    const temp = await tempLog(test);
    const old = await temp.open({
      // The first release: no upcasters, and a schema that let `name` through is played by `value`.
      upcasters: {},
    });
    await old.append('config', [sampleFact('config.key_set'), sampleFact('config.key_reset')], 0);
    await old.close();
    const retold: Upcasters = {
      'config.key_set': {
        1: (shape) => ({ ...shape, data: { ...(shape.data as object), value: 'upcast' } }),
      },
    };
    const log = await temp.open({ upcasters: retold });
    await log.append('config', [sampleFact('config.key_set')], 2);
    const values = async (read: typeof log) =>
      (await all(read.read('config'))).map(({ data }) => ('value' in data ? data.value : null));
    const today = (sampleFact('config.key_set').data as { value: string }).value;
    assert.deepEqual(await values(log), ['upcast', null, today]);
    assert.ok((await all(log.readAll())).every((fact) => !('schema' in fact)));
    await log.close();
    // The release before does not know the new shape and says so.
    await rejects(temp.open({ upcasters: {} }), 'NEWER_LOG');
  });

  it('keeps erased content erased', async (test) => {
    const temp = await tempLog(test);
    const keys = await temp.keys();
    const retold: Upcasters = {
      'summary.completed': {
        1: (shape) =>
          shape.content === undefined
            ? shape
            : { ...shape, content: { text: `${(shape.content as { text: string }).text}!` } },
      },
    };
    const old = await temp.open({ keys });
    await old.append('recording-1', [sampleFact('summary.completed', 'R1')], 0);
    await old.append('recording-2', [sampleFact('summary.completed', 'R2')], 0);
    await old.close();
    await keys.forget('R1');
    const log = await temp.open({ keys, upcasters: retold });
    const [erased, kept] = await all(log.readAll());
    assert.equal(erased?.erased, true);
    assert.ok(erased && !('content' in erased));
    assert.deepEqual(kept?.content, { text: 'Änne grüßt.!' });
  });
});
