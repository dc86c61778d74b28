import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import { type EventStore, EventStoreError } from '../../events/store.ts';
import { type Config, openConfig } from '../../src/config/config.ts';
import { settingKeys, settingOf } from '../../src/config/schema.ts';
import { openSecretStore } from '../../src/config/secret-store.ts';
import { openSecretsFile } from '../../src/config/secrets-file.ts';
import type { Sentence } from '../../src/words/params.ts';
import { inEnglish } from '../../src/words/say.ts';
import { memoryStore } from '../support/memory-store.ts';
import { tempDir } from '../support/temp-dir.ts';
import { tempLog } from '../support/temp-log.ts';
import { fc } from '../support/properties.ts';

const anna = { by: 'anna' };

test('what is set is merged, survives a restart, and null sets it back to its default', async (t) => {
  const temp = await tempLog(t);
  const path = join(temp.root, 'secrets.json');
  let store = await temp.open();
  let config = await open({ store, path });
  await config.update({ stt: { base_url: 'http://a:1/v1', model: 'large' } }, anna);
  await config.update({ stt: { model: 'small' }, llm: { timeout: 5 } }, anna);
  await config.update({ stt: { api_key: 'sk-secret-1' } }, anna);
  await store.close();

  store = await temp.open();
  config = await open({ store, path });
  const settings = config.settings();
  assert.equal(settings['stt.base_url'], 'http://a:1/v1', 'a sibling that was not named stays');
  assert.equal(settings['stt.model'], 'small');
  assert.equal(settings['llm.timeout'], 5);
  assert.equal(settings['stt.api_key'], 'sk-secret-1');

  await config.update({ stt: { base_url: null, model: '' }, llm: { timeout: null } }, anna);
  assert.equal(config.settings()['stt.base_url'], null);
  assert.equal(config.settings()['stt.model'], null, 'as a form sends an emptied field');
  assert.equal(config.settings()['llm.timeout'], 600);
});

test('an update is one append of facts that say who and what, and what is so already is none', async (t) => {
  const { config, store } = await opened(t);
  await config.update(
    { stt: { model: 'm' }, ui: { language: 'de' } },
    { by: 'anna', command: 'c' },
  );
  await config.update({ stt: { model: 'm' } }, anna);
  await config.update({ llm: { model: null } }, anna);
  await config.update({}, anna);
  const facts = await all(store);
  assert.deepEqual(
    facts.map(({ type, data, by, command }) => ({ type, data, by, command })),
    [
      { type: 'config.key_set', data: { key: 'stt.model', value: 'm' }, by: 'anna', command: 'c' },
      {
        type: 'config.key_set',
        data: { key: 'ui.language', value: 'de' },
        by: 'anna',
        command: 'c',
      },
    ],
  );
});

test('every fault is named at once, and nothing is changed', async (t) => {
  const { config, store, path } = await opened(t);
  const before = config.settings();
  const patch = JSON.parse(`{
    "stt": { "model": 7, "backend": "other", "nothing": 1, "api_key": "with space" },
    "llm": { "timeout": "600", "base_url": "ftp://x", "api_key": "sk-fine" },
    "server": { "trusted_proxies": ["10.0.0.0/8", "10.0.0.0/33", "x"], "allowed_hosts": ["a/b"] },
    "notes": { "vault": "relative/path" },
    "audio": "loud",
    "__proto__": { "polluted": true },
    "constructor": { "prototype": { "polluted": true } },
    "prototype": 1,
    "ui": { "language": "de", "toString": 1 }
  }`) as unknown;
  await assert.rejects(config.update(patch, anna), (error: unknown) => {
    assert.deepEqual(faultsOf(error), [
      '__proto__',
      'audio',
      'constructor',
      'llm.base_url',
      'llm.timeout',
      'notes.vault',
      'prototype',
      'server.allowed_hosts.0',
      'server.trusted_proxies.1',
      'server.trusted_proxies.2',
      'stt.api_key',
      'stt.backend',
      'stt.model',
      'stt.nothing',
      'ui.toString',
    ]);
    return (error as { code: string }).code === 'CONFIG_INVALID';
  });
  for (const wrong of [null, [], 'x', 1]) {
    await assert.rejects(config.update(wrong, anna), { code: 'CONFIG_INVALID' });
  }
  assert.equal(config.settings(), before);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  assert.deepEqual(await all(store), []);
  await assert.rejects(stat(path), { code: 'ENOENT' }, 'no secret of a refused update is kept');
});

test('trusted proxies together are not much of the internet either', async (t) => {
  const { config } = await opened(t);
  const set = (proxies: string[]) => config.update({ server: { trusted_proxies: proxies } }, anna);
  const eights = (count: number) => Array.from({ length: count }, (_, n) => `${n + 10}.0.0.0/8`);
  await set([...eights(3), '192.168.0.0/16', '2001:db8::/32', '::1']);
  for (const wide of [
    eights(5),
    Array.from({ length: 100 }, (_, n) => `${n + 1}.0.0.0/8`),
    Array.from({ length: 5 }, (_, n) => `::ffff:${n + 10}.0.0.0/104`),
    Array.from({ length: 17 }, (_, n) => `${n + 10}.0.0.0/10`).concat(eights(1)),
    ['2001::/16', '2002::/16', '2003::/16', '2400::/16', '2600::/16'],
  ]) {
    await assert.rejects(set(wide), (error: unknown) => {
      assert.deepEqual(faultsOf(error), ['server.trusted_proxies']);
      return true;
    });
  }
  assert.equal(config.settings()['server.trusted_proxies'].length, 6);
});

test('what the environment says holds and cannot be set', async (t) => {
  const { config, store } = await opened(t, {
    MITSCHRIFT_STT_BACKEND: 'native',
    MITSCHRIFT_LLM_API_KEY: 'sk-env',
    MITSCHRIFT_STT_LIVE: 'no',
  });
  const { config: shown, overridden } = config.document();
  assert.deepEqual(overridden, ['stt.backend', 'stt.live', 'llm.api_key']);
  assert.deepEqual(
    [shown['stt']!['backend'], shown['stt']!['live'], shown['llm']!['api_key']],
    ['native', 'after-the-stop', '••••'],
  );
  await assert.rejects(
    config.update({ stt: { backend: 'compat', model: 'x' } }, anna),
    (error: unknown) => {
      assert.deepEqual(faultsOf(error), ['stt.backend']);
      return (error as { code: string }).code === 'CONFIG_OVERRIDDEN';
    },
  );
  assert.equal(config.settings()['stt.model'], null);
  await assert.rejects(
    config.update({ llm: { base_url: 'https://models.example.com/v1' } }, anna),
    (error: unknown) => {
      const [{ path, fault }] = (error as { faults: [{ path: string; fault: Sentence }] }).faults;
      assert.equal(path, 'llm.base_url');
      assert.match(
        inEnglish(fault),
        /the key .* environment variable: set MITSCHRIFT_LLM_BASE_URL/,
      );
      return true;
    },
  );
  assert.deepEqual(await all(store), []);
  // Written back as it was read, a masked secret is no change, whoever set it.
  await config.update({ llm: { api_key: '••••' } }, anna);
  assert.equal(config.settings()['llm.api_key'], 'sk-env');
});

test('updates of different keys at the same time all survive, also those of another process', async (t) => {
  const store = memoryStore();
  const path = join(await tempDir(t), 'secrets.json');
  const one = await open({ store, path });
  const other = await open({ store, path: `${path}-of-other` });
  await Promise.all([
    one.update({ stt: { model: 'a' } }, anna),
    one.update({ llm: { model: 'b' } }, anna),
    other.update({ llm: { timeout: 7 } }, anna),
    one.update({ ui: { language: 'de' } }, anna),
    other.update({ audio: { device: 'Mic' } }, anna),
  ]);
  const later = await open({ store, path });
  const settings = later.settings();
  assert.deepEqual(
    [
      settings['stt.model'],
      settings['llm.model'],
      settings['llm.timeout'],
      settings['ui.language'],
      settings['audio.device'],
    ],
    ['a', 'b', 7, 'de', 'Mic'],
  );
});

test('secrets are in a file of their own, never in the log or in what is read back', async (t) => {
  const { config, store, path, logged } = await opened(t);
  await config.update(
    { stt: { api_key: 'sk-one' }, metrics: { token: 'tok-1-of-the-metrics' } },
    anna,
  );
  await config.update({ stt: { api_key: 'sk-two' } }, anna);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.ok((await readFile(path, 'utf8')).includes('sk-two'));
  assert.ok(!(await readFile(path, 'utf8')).includes('sk-one'), 'a replaced secret is gone');
  const said = JSON.stringify([await all(store), config.document(), logged]);
  for (const secret of ['sk-one', 'sk-two', 'tok-1-of-the-metrics'])
    assert.ok(!said.includes(secret), secret);
  assert.equal(config.document().config['stt']!['api_key'], '••••');
  assert.equal(config.document().config['llm']!['api_key'], null);

  const facts = (await all(store)).length;
  await config.update({ stt: { api_key: '••••' } }, anna);
  await config.update({ stt: { api_key: 'sk-two' } }, anna);
  assert.equal((await all(store)).length, facts);
  assert.equal(config.settings()['stt.api_key'], 'sk-two');

  await config.update({ stt: { api_key: null } }, anna);
  assert.equal(config.settings()['stt.api_key'], null);
  assert.ok(!(await readFile(path, 'utf8')).includes('sk-two'));
  assert.equal(config.settings()['metrics.token'], 'tok-1-of-the-metrics');
});

test('a process that dies between a secret and its fact leaves the old secret in force', async (t) => {
  const { config, store, path } = await opened(t);
  await config.update({ llm: { api_key: 'sk-old' } }, anna);
  const dies: EventStore = { ...bound(store), append: () => Promise.reject(new Error('killed')) };
  const dying = await open({ store: dies, path });
  await assert.rejects(dying.update({ llm: { api_key: 'sk-new' } }, anna), /killed/);
  assert.equal(dying.settings()['llm.api_key'], 'sk-old');
  assert.ok((await readFile(path, 'utf8')).includes('sk-new'), 'the secret comes first');

  const next = await open({ store, path });
  assert.equal(next.settings()['llm.api_key'], 'sk-old');
  assert.ok(!(await readFile(path, 'utf8')).includes('sk-new'), 'and goes at the next start');
});

test('a process that dies after the fact has the new secret', async (t) => {
  const { config, store, path } = await opened(t);
  await config.update({ llm: { api_key: 'sk-old' } }, anna);
  let between = '';
  const watched: EventStore = {
    ...bound(store),
    async append(...given) {
      const stored = await store.append(...given);
      between = await readFile(path, 'utf8');
      return stored;
    },
  };
  await (await open({ store: watched, path })).update({ llm: { api_key: 'sk-new' } }, anna);
  // As the disk was when the fact had just become durable.
  assert.ok(between.includes('sk-old') && between.includes('sk-new'));
  await writeFile(path, between);
  const next = await open({ store, path });
  assert.equal(next.settings()['llm.api_key'], 'sk-new');
  assert.ok(!(await readFile(path, 'utf8')).includes('sk-old'));
});

test('an append that nobody could tell the outcome of is looked for and not done twice', async (t) => {
  const { store, path } = await opened(t);
  let failures = 1;
  const unsure: EventStore = {
    ...bound(store),
    async append(...given) {
      const stored = await store.append(...given);
      if (failures-- > 0) {
        throw new EventStoreError('OUTCOME_UNKNOWN', 'the disk did not say');
      }
      return stored;
    },
  };
  const config = await open({ store: unsure, path });
  await config.update({ stt: { model: 'm', api_key: 'sk-1' } }, anna);
  assert.equal(config.settings()['stt.model'], 'm');
  assert.equal(config.settings()['stt.api_key'], 'sk-1');
  assert.equal((await all(store)).length, 2);
});

test('a lost secrets file is said, a damaged one is not written over', async (t) => {
  const { config, store, path } = await opened(t);
  await config.update({ llm: { api_key: 'sk-1' } }, anna);
  const warned: string[] = [];
  const lost = await open({ store, path: `${path}-lost`, warned });
  assert.equal(lost.settings()['llm.api_key'], null);
  assert.equal(warned.length, 1);
  assert.match(warned[0]!, /llm\.api_key.*missing/);

  await writeFile(path, '{"format":1,"salt":"sk-1');
  await assert.rejects(open({ store, path }), (error: Error & { code: string }) => {
    assert.ok(!JSON.stringify([error.message, String(error.cause)]).includes('sk-1'));
    return error.code === 'SECRETS_DAMAGED';
  });
  assert.equal(await readFile(path, 'utf8'), '{"format":1,"salt":"sk-1');
});

test('a stored value that this release does not take is left out, and said', async (t) => {
  const { store, path } = await opened(t);
  const from = { by: 'x', command: 'x' };
  await store.append(
    'config',
    [
      { type: 'config.key_set', data: { key: 'llm.timeout', value: 'ages' }, ...from },
      { type: 'config.key_set', data: { key: 'later.key', value: 1 }, ...from },
      { type: 'config.key_set', data: { key: 'stt.model', value: 'm' }, ...from },
    ],
    0,
  );
  const warned: string[] = [];
  const config = await open({ store, path, warned });
  assert.equal(config.settings()['llm.timeout'], 600);
  assert.equal(config.settings()['stt.model'], 'm');
  assert.equal(warned.length, 1);
  assert.match(warned[0]!, /llm\.timeout/);
});

test('settings tried out are stored nowhere', async (t) => {
  const { config, store } = await opened(t);
  await config.update({ llm: { api_key: 'sk-1', model: 'm' } }, anna);
  const facts = (await all(store)).length;
  const tried = config.withPatch({ llm: { base_url: 'http://h', api_key: '••••', model: null } });
  assert.deepEqual(
    [tried['llm.base_url'], tried['llm.api_key'], tried['llm.model']],
    ['http://h', null, null],
    'a key that was given for no server is not sent to this one',
  );
  assert.equal(config.settings()['llm.base_url'], null);
  assert.equal((await all(store)).length, facts);
});

test('whatever is set in whatever order, a new start has the same settings', async (t) => {
  const path = join(await tempDir(t), 'secrets.json');
  const texts = fc.constantFrom('a', 'b', null, '');
  const patch = fc.record(
    {
      stt: fc.record(
        {
          model: texts,
          api_key: texts,
          live: fc.constantFrom('while-recording', 'after-the-stop'),
        },
        { requiredKeys: [] },
      ),
      llm: fc.record({ timeout: fc.integer({ min: 1, max: 9 }) }, { requiredKeys: [] }),
      server: fc.record({ allowed_hosts: fc.array(fc.constantFrom('x', 'y:1')) }),
    },
    { requiredKeys: [] },
  );
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(patch, { maxLength: 6 }), async (patches) => {
      const store = memoryStore();
      const where = `${path}-${(run += 1)}`;
      const config = await open({ store, path: where });
      await Promise.all(patches.map((one) => config.update(one, anna)));
      const next = await open({ store, path: where });
      assert.deepEqual(next.settings(), config.settings());
    }),
    { numRuns: 30 },
  );
});

test('every default is a value of its setting, and every hint a sentence', () => {
  for (const key of settingKeys) {
    const { fallback, schema, hint } = settingOf(key);
    assert.deepEqual(schema.parse(fallback), fallback, key);
    for (const sentence of Object.values(hint)) assert.match(sentence, /^\p{Lu}.*\.$/u, key);
  }
});

async function open(parts: {
  store: EventStore;
  path: string;
  env?: Record<string, string>;
  warned?: string[];
}): Promise<Config> {
  const tell =
    (lines: string[]) =>
    (...said: unknown[]) =>
      void lines.push(JSON.stringify(said));
  const log = { info: tell([]), warn: tell(parts.warned ?? []) };
  return openConfig({
    ...parts,
    openSecrets: () => openSecretsFile(parts.path).then(openSecretStore),
    data: { root: dirname(parts.path), shared: dirname(parts.path) },
    env: parts.env ?? {},
    log,
  });
}

async function opened(t: TestContext, env: Record<string, string> = {}) {
  const store = memoryStore();
  const path = join(await tempDir(t), 'secrets.json');
  const logged: string[] = [];
  const tell = (...said: unknown[]) => void logged.push(JSON.stringify(said));
  const config = await openConfig({
    store,
    openSecrets: () => openSecretsFile(path).then(openSecretStore),
    data: { root: dirname(path), shared: dirname(path) },
    env,
    log: { info: tell, warn: tell },
  });
  return { store, path, config, logged };
}

/** A store whose verbs can be replaced one by one. */
const bound = (store: EventStore): EventStore => ({
  append: (...given) => store.append(...given),
  read: (...given) => store.read(...given),
  readAll: (...given) => store.readAll(...given),
  pages: (...given) => store.pages(...given),
  follow: (...given) => store.follow(...given),
  outlines: (...given) => store.outlines(...given),
  opened: (...given) => store.opened(...given),
  head: () => store.head(),
  version: (...given) => store.version(...given),
  close: () => store.close(),
});

async function all(store: EventStore): Promise<LoggedFact[]> {
  const facts: LoggedFact[] = [];
  for await (const fact of store.readAll()) facts.push(fact);
  return facts;
}

const faultsOf = (error: unknown): string[] =>
  (error as { faults: { path: string }[] }).faults.map(({ path }) => path).toSorted();
