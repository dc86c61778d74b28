import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { type TestContext, after, test } from 'node:test';
import { configStream, usersStream } from '../../../events/facts/catalogue.ts';
import { accountsParts } from '../../support/accounts-parts.ts';
import { openAccounts } from '../../../src/accounts/accounts.ts';
import { openConfig } from '../../../src/config/config.ts';
import { openTickets } from '../../../src/http/tickets.ts';
import { followStreams } from '../../../events/follow-streams.ts';
import { codeOf } from '../../../src/shared/errors.ts';
import { openSecretStore } from '../../../src/config/secret-store.ts';
import { sealedSetupCodes } from '../../../src/accounts/setup-code.ts';
import { postgresKept } from '../../../src/storage/postgres/kept.ts';
import { openSealedTexts } from '../../../src/storage/sealed-texts.ts';
import type { KeptKind, KeptRows } from '../../../src/storage/kept.ts';
import type { Notices } from '../../../src/storage/notices.ts';
import { postgresNotices } from '../../../src/storage/postgres/notices.ts';
import { openPostgresLog } from '../../../src/storage/postgres/postgres-log.ts';
import { eventually } from '../../support/eventually.ts';
import { memoryKeys } from '../../support/memory-store.ts';
import { ask, openedDatabase, postgresCluster } from '../../support/postgres.ts';

const cluster = await postgresCluster({ after });
const masterKey = randomBytes(32);
const here = { address: '192.0.2.1', local: true };
const afar = { address: '192.0.2.9', local: false };
const anna = { username: 'anna', password: 'a good password' };
const ben = { username: 'ben', password: 'another password', isAdmin: false };

test('what one node does with users, sessions and settings holds at another', async (t) => {
  await cluster.empty();
  const keys = memoryKeys();
  const [a, b] = [await node(t, keys), await node(t, keys)];

  // One setup code, and one first administrator though two are asked at once.
  assert.equal(a.accounts.setupCode(), b.accounts.setupCode());
  const code = a.accounts.setupCode()!;
  const firsts = await Promise.allSettled([
    a.accounts.setup({ ...anna, setup_code: code }, afar),
    b.accounts.setup({ ...anna, username: 'eve', setup_code: code }, afar),
  ]);
  assert.deepEqual(firsts.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  const won = firsts.find((one) => one.status === 'fulfilled')!.value;
  for (const { accounts } of [a, b]) {
    assert.equal((await accounts.authenticate(won.token))?.username, won.username, 'at once');
    assert.equal(accounts.setupCode(), null);
  }

  // A user of one node logs in at the other at once; what ends there ends here.
  await a.accounts.createUser(ben, { by: 'anna' });
  const session = await b.accounts.login(ben, afar);
  const caller = await a.accounts.authenticate(session.token);
  assert.equal(caller?.username, 'ben');
  const other = await a.accounts.login(ben, afar);
  // A ticket of one node is good at the other, as long as its session is.
  const recording = '01J0000000000000000000000A';
  const path = `/recordings/${recording}/audio`;
  const [ofA, ofB] = [a, b].map(({ accounts, kept }) =>
    openTickets(accounts, kept, async () => false),
  );
  const { ticket } = await ofA!.issue(caller, recording);
  assert.equal((await ofB!.redeem(ticket, path))?.username, 'ben');
  assert.equal((await ofB!.issue(caller, recording, ticket)).ticket, ticket, 'and is prolonged');
  assert.equal(await ofB!.redeem(ticket, path.replace('0A', '0B')), null);
  const none = `\0${ticket}`;
  assert.equal(await ofB!.redeem(none, path), null);
  assert.equal(await ofB!.isOfLink(none, ''), false);
  assert.notEqual((await ofB!.issue(caller, recording, none)).ticket, none);
  await b.accounts.logout(session.token);
  await eventually('the session ends at A', () => a.ended.length > 0);
  assert.deepEqual(a.ended, [caller.sessionId]);
  assert.equal(await a.accounts.authenticate(session.token), null);
  assert.equal(await ofA!.redeem(ticket, path), null);
  assert.equal((await b.accounts.authenticate(other.token))?.username, 'ben');
  await a.accounts.changeUser('ben', { disabled: true }, { by: 'anna' });
  await eventually('he is out', async () => (await b.accounts.authenticate(other.token)) === null);
  await eventually('his sockets are told', () => b.ended.length === 2);
  await assert.rejects(b.accounts.login(ben, afar), { code: 'USER_DISABLED' });

  // Guesses at both nodes are counted together, and no name lies open.
  const guess = { username: 'eve secret', password: 'wrong' };
  const guesses = [];
  for (const { accounts } of [a, b, a, b, a]) {
    const stranger = { address: '198.51.100.7' };
    guesses.push(await accounts.login(guess, stranger).catch((error: unknown) => codeOf(error)));
  }
  const [wrong, slow] = ['WRONG_CREDENTIALS', 'TOO_MANY_ATTEMPTS'];
  assert.deepEqual(guesses.slice(0, 3), [wrong, wrong, wrong]);
  assert.ok(guesses.slice(3).includes(slow), 'the fourth waits a second, wherever it is made');
  const counted = JSON.stringify(await ask(cluster.url, 'select * from mitschrift.kept'));
  assert.doesNotMatch(counted, /eve/i);
  // A password that was typed for a name cannot be guessed offline from the rows.
  const { username } = guess;
  const names = [username, `account ${username}`, `${username}\n198.51.100.7`, '198.51.100.7'];
  for (const encoding of ['hex', 'base64url'] as const) {
    for (const name of names) assert.ok(!counted.includes(hash('sha256', name, encoding)), name);
  }

  // Settings, and a secret that only the database has.
  await a.config.update({ stt: { model: 'large', api_key: 'sk-1' } }, { by: 'anna' });
  assert.equal(a.config.settings()['stt.api_key'], 'sk-1', 'at once where it was set');
  await eventually('it holds at B', () => b.config.settings()['stt.model'] === 'large');
  assert.equal(b.config.settings()['stt.api_key'], 'sk-1');
  // Two that change at the same time do not take each other's secret away.
  await Promise.all([
    a.config.update({ stt: { api_key: 'sk-2' } }, { by: 'anna' }),
    b.config.update({ llm: { api_key: 'sk-3' } }, { by: 'anna' }),
  ]);
  for (const { config } of [a, b]) {
    await eventually('both secrets hold', () => {
      const settings = config.settings();
      return settings['stt.api_key'] === 'sk-2' && settings['llm.api_key'] === 'sk-3';
    });
  }
  assert.deepEqual(a.warned.concat(b.warned), []);
});

test('a node that was deaf for a while has everything when it hears again', async (t) => {
  await cluster.empty();
  const keys = memoryKeys();
  const [a, b] = [await node(t, keys), await node(t, keys)];
  const { token } = await a.accounts.setup(anna, here);
  assert.ok(await b.accounts.authenticate(token));
  const missed = new Promise<void>((resolve) => {
    b.notices.onMissed(resolve);
  });
  await cluster.kill();
  await cluster.start();
  await missed;
  await a.accounts.createUser(ben, { by: 'anna' });
  await a.config.update({ stt: { model: 'small' } }, { by: 'anna' });
  await eventually('B has both', () => {
    return b.accounts.findUser('ben') !== undefined && b.config.settings()['stt.model'] === 'small';
  });
});

test('notices go to the others in order; too long and too many are counted', async (t) => {
  await cluster.empty();
  const [one, other] = [await noticesOf(t), await noticesOf(t)];
  const heard: string[] = [];
  const own: string[] = [];
  other.listen('moment', (text) => heard.push(text));
  other.listen('passages', () => heard.push('of another topic'));
  one.listen('moment', (text) => own.push(text));
  one.tell('moment', 'x'.repeat(8_000));
  assert.equal(one.dropped(), 1);
  const texts = Array.from({ length: 250 }, (_, n) => `{"n":${n},"of":"Grüße\n"}`);
  for (const text of texts) one.tell('moment', text);
  await eventually('all are heard', () => heard.length >= texts.length);
  assert.deepEqual(heard, texts);
  assert.deepEqual(own, []);
  for (let n = 0; n < 2_000; n += 1) one.tell('moment', `${n}`);
  assert.ok(one.dropped() > 1);
});

test('secrets lie sealed, and another master key is told from damage', async (t) => {
  await cluster.empty();
  const db = await openedDatabase(t, cluster.url);
  const kept = postgresKept(db, masterKey);
  const secrets = await openSecretStore(await openSealedTexts(kept, db, masterKey));
  await secrets.add([{ key: 'stt.api_key', value: 'sk-very-secret' }]);
  const stored = JSON.stringify(await ask(cluster.url, 'select * from mitschrift.kept'));
  assert.doesNotMatch(stored, /sk-very-secret/);
  assert.ok(!stored.includes(masterKey.toString('base64').slice(0, 20)));
  const wrong = await openSealedTexts(kept, db, randomBytes(32)).catch((error: unknown) => error);
  assert.ok(wrong instanceof Error && 'code' in wrong);
  assert.equal(wrong.code, 'MASTER_KEY_DIFFERS');
  assert.match(wrong.message, /MITSCHRIFT_MASTER_KEY is not the key/);
  // Sealed for one name, it does not open under another.
  await ask(
    cluster.url,
    "update mitschrift.kept set key = replace(key, 'stt', 'llm') where key like 'stt%'",
  );
  await assert.rejects(openSealedTexts(kept, db, masterKey), { code: 'SECRETS_DAMAGED' });
});

/** What a service opens of users and settings, on the one database. */
async function node(t: TestContext, keys: ReturnType<typeof memoryKeys>) {
  const closing: (() => Promise<void>)[] = [];
  // Hooks run in the order in which they are given: this one before the database's.
  t.after(async () => {
    for (const close of closing) await close();
  });
  const db = await openedDatabase(t, cluster.url);
  const kept = postgresKept(db, masterKey);
  const texts = await openSealedTexts(kept, db, masterKey);
  const store = openPostgresLog({ db, keys });
  const notices = postgresNotices(db, assert.fail);
  const warned: unknown[] = [];
  const log = { info: () => {}, warn: (what: unknown) => void warned.push(what) };
  const openSecrets = () => openSecretStore(texts);
  const config = await openConfig({
    store,
    openSecrets,
    env: {},
    data: { root: '/nowhere', shared: '/nowhere' },
    log,
  });
  const accounts = await openAccounts({
    ...(await accountsParts(store)),
    kept,
    notices,
    setupCodes: sealedSetupCodes(texts),
    settings: config.settings,
  });
  const takeIn = { [usersStream]: accounts.takeIn, [configStream]: config.takeIn };
  const stop = followStreams(store, takeIn, log);
  const ended: string[] = [];
  accounts.onSessionEnded((id) => ended.push(id));
  closing.push(
    stop,
    () => notices.close(),
    () => store.close(),
  );
  return { accounts, config, ended, warned, notices, kept };
}

async function noticesOf(t: TestContext): Promise<Notices> {
  t.after(() => notices.close());
  const notices: ReturnType<typeof postgresNotices> = postgresNotices(
    await openedDatabase(t, cluster.url),
    assert.fail,
  );
  await new Promise<void>((resolve) => {
    notices.onMissed(resolve);
  });
  return notices;
}

test('of many changes at two nodes at once none is lost', async (t) => {
  await cluster.empty();
  const kind: KeptKind<number> = {
    name: 'counted',
    endsAt: () => null,
    volatileMax: 10,
    keys: 'hashed',
  };
  const nodes: KeptRows<number>[] = [];
  for (let n = 0; n < 2; n += 1)
    nodes.push(postgresKept(await openedDatabase(t, cluster.url), masterKey).of(kind));
  const count = async (rows: KeptRows<number>): Promise<number> =>
    await rows.change(['one'], ([before = 0]) => ({ keep: [before + 1], result: before }));
  await Promise.all(nodes.flatMap((one) => Array.from({ length: 20 }, () => count(one))));
  assert.equal(await nodes[0]!.get('one'), 40);
  await nodes[0]!.delete(['one']);
  assert.equal(await nodes[1]!.get('one'), undefined);
});
