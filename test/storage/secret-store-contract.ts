import assert from 'node:assert/strict';
import { type TestContext, describe, it } from 'node:test';
import type { SecretStore } from '../../src/config/secret-store.ts';

/** An empty store, and how it is opened again, as after a restart or by another node. */
export type Secrets = { store: SecretStore; again(): Promise<SecretStore> };

/** What every place for the keys of servers must hold to. */
export function secretStoreContract(
  name: string,
  make: (test: TestContext) => Promise<Secrets>,
  { isShared }: { isShared: boolean },
): void {
  const [stt, llm] = ['stt.api_key', 'llm.api_key'] as const;
  describe(`Secrets in ${name}`, () => {
    it('are found by key and fingerprint, also when they are opened again', async (t) => {
      const { store, again } = await make(t);
      const value = 'Schl\u00fcssel "\\" \u{1f511}';
      const [is, was] = [store.fingerprint(value), store.fingerprint('old')];
      assert.match(is, /^[0-9a-f]{32}$/);
      assert.notEqual(is, was);
      assert.equal(store.find(stt, is), undefined);
      await store.add([{ key: stt, value: 'old' }]);
      await store.add([
        { key: stt, value },
        { key: llm, value },
      ]);
      for (const one of [store, await again()]) {
        assert.equal(one.fingerprint(value), is);
        assert.equal(one.find(stt, is), value);
        assert.equal(one.find(llm, is), value);
        assert.equal(one.find(stt, was), 'old', 'beside the one that was there');
        assert.equal(one.find(llm, was), undefined);
        assert.equal(one.find(stt, '__proto__'), undefined);
      }
      await store.add([]);
      await store.add([{ key: stt, value }]);
      assert.equal((await again()).find(stt, is), value);
    });

    it('that are in force are kept, whatever else goes', async (t) => {
      const { store, again } = await make(t);
      await store.add([
        { key: stt, value: 'a' },
        { key: stt, value: 'b' },
        { key: llm, value: 'a' },
      ]);
      const b = store.fingerprint('b');
      await store.keepOnly(new Map([[stt, b]]));
      for (const one of [store, await again()]) assert.equal(one.find(stt, b), 'b');
    });

    if (!isShared) return;
    it('of another node are found when they are taken in', async (t) => {
      const { store, again } = await make(t);
      const other = await again();
      await other.add([{ key: llm, value: 'b' }]);
      const is = store.fingerprint('b');
      await store.takeIn();
      assert.equal(store.find(llm, is), 'b');
    });
  });
}
