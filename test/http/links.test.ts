import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAccessLog } from '../../src/storage/access-log.ts';
import { eventually } from '../support/eventually.ts';
import {
  type ProblemAnswer,
  type TestService,
  connect,
  startService,
  withAda,
} from '../support/http-client.ts';

type Link = { link: string; url: string; name: string; password: boolean; expires_at: string };
type Shared = {
  recording_id: string;
  shared_by: string;
  state: string;
  readable: boolean;
  title: string | null;
  turns: { text: string }[];
  summary: { abstract: string } | null;
  ticket: string;
  audio: boolean;
};

const asking =
  (service: TestService, token: string) =>
  async <T = ProblemAnswer>(method: string, path: string, json?: object) =>
    await service.call<T>(method, path, { token, ...(json && { json }) });

const tokenOf = ({ url }: Link): string => new URL(url).hash.slice(1);

const opening =
  (service: TestService) =>
  async (token: string, more: object = {}) =>
    await service.call<Shared & ProblemAnswer>('POST', '/shared', { json: { token, ...more } });

/** An owner's note, and how it is asked for. */
async function noteOf(service: TestService) {
  await service.setUp();
  const token = await service.addUser('owen');
  const owen = asking(service, token);
  const id = await service.settled(token, {}, { filename: 'Zebra.wav' });
  const make = async (json: object) =>
    (await owen<Link>('POST', `/recordings/${id}/links`, { name: 'Choir', ...json })).body;
  return { owen, id, path: `/recordings/${id}`, make, open: opening(service) };
}

/** A note as a file, as who has a link gets it. */
const exportedTo = async (
  service: TestService,
  path: string,
  { format, ticket }: { format: string; ticket: string },
): Promise<string> =>
  (await service.call<string>('GET', `${path}/export?format=${format}&ticket=${ticket}`)).body;

const over = async (asked: Promise<{ status: number; body: ProblemAnswer }>) => {
  const { status, body } = await asked;
  return [status, body.type];
};
const isOver = [404, '/problems/link-over'];

test('a link opens a note to whoever has it, until it is deleted, over, or the note is another’s', async (t) => {
  const service = await startService(t);
  const { owen, path, make, open } = await noteOf(service);
  const cleo = await service.addUser('cleo');
  await owen('POST', `${path}/sidenotes`, { text: 'Zebra', at: 0 });
  const { id: folder } = (await owen<{ id: string }>('POST', '/folders', { name: 'Zebra' })).body;
  await owen('PATCH', path, { folder });
  await service.reaches(path.split('/')[2]!, 'idle.saved');
  const link = await make({});
  assert.match(link.url, /\/s#[\w-]{43}$/u);
  const days = (Date.parse(link.expires_at) - Date.now()) / 86_400_000;
  assert.ok(days > 29.9 && days < 30.1);

  const answer = await open(tokenOf(link));
  const { body: seen } = answer;
  assert.deepEqual(
    [answer.status, answer.headers.get('x-robots-tag'), answer.headers.get('referrer-policy')],
    [200, 'noindex', 'no-referrer'],
  );
  assert.deepEqual([seen.title, seen.shared_by, seen.state], ['A plan', 'owen', 'ready']);
  assert.deepEqual([seen.turns.length, seen.audio], [2, false]);
  assert.doesNotMatch(JSON.stringify(seen), /Zebra/u);
  const looked = async (what: string, ticket = seen.ticket) =>
    (await service.call('GET', `${path}/${what}${what.includes('?') ? '&' : '?'}ticket=${ticket}`))
      .status;
  assert.deepEqual(
    [
      await looked('export?format=md'),
      await looked('export?format=txt'),
      await looked('export?format=json'),
      await looked('export?format=zip'),
      await looked('audio'),
      await looked('peaks'),
    ],
    [200, 200, 404, 404, 403, 403],
  );
  for (const format of ['md', 'txt']) {
    const text = await exportedTo(service, path, { format, ticket: seen.ticket });
    assert.match(text, /A plan/u);
    assert.doesNotMatch(text, /Zebra/u, format);
  }
  const { links } = (await owen<{ links: Link[] }>('GET', `${path}/access`)).body;
  assert.deepEqual(
    links.map(({ name, link: one, password }) => [name, one, password]),
    [['Choir', link.link, false]],
  );
  assert.doesNotMatch(JSON.stringify(links), new RegExp(tokenOf(link), 'u'));
  assert.equal((await owen<{ links: number }>('GET', path)).body.links, 1);

  assert.equal((await owen('DELETE', `${path}/links/${link.link}`)).status, 204);
  assert.deepEqual(await over(open(tokenOf(link))), isOver);
  assert.deepEqual(await over(open('x'.repeat(43))), isOver);
  assert.equal(await looked('export?format=md'), 401);
  assert.equal((await owen<{ links: number }>('GET', path)).body.links, 0);

  const heard = await make({ audio: true });
  const { ticket, audio } = (await open(tokenOf(heard))).body;
  assert.deepEqual(
    [audio, await looked('audio', ticket), await looked('peaks', ticket)],
    [true, 200, 200],
  );
  const short = await make({ expires_at: new Date(Date.now() + 60_000).toISOString() });
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 120_000 });
  assert.deepEqual(await over(open(tokenOf(short))), isOver);
  t.mock.timers.reset();
  assert.equal((await open(tokenOf(heard))).status, 200);
  const ada = asking(service, await service.login('ada'));
  await ada('DELETE', '/users/owen');
  assert.deepEqual(await over(open(tokenOf(heard))), isOver, 'its owner is gone');
  assert.equal((await ada('PATCH', path, { owner: 'cleo' })).status, 200);
  assert.deepEqual(await over(open(tokenOf(heard))), isOver);
  assert.equal(await looked('audio', ticket), 401);
  assert.deepEqual(
    (await asking(service, cleo)<{ links: Link[] }>('GET', `${path}/access`)).body.links,
    [],
  );
});

test('files that a link opens do not say what interrupted a recording, as its page does not', async (t) => {
  const { service, token } = await withAda(t, { stages: { capture: undefined } });
  const { socket, until } = connect(service.url, token);
  await until(({ type }) => type === 'position');
  const say = (message: object): void => socket.send(JSON.stringify(message));
  say({ type: 'audio.start', kind: 'solo', sample_rate: 16_000 });
  const id = String((await until(({ type }) => type === 'audio.ready'))['recording_id']);
  socket.send(Buffer.alloc(32_000));
  await until(({ type, samples }) => type === 'audio.ack' && samples === 16_000);
  const [from, to] = ['2026-03-01T13:03:00Z', '2026-03-01T13:07:00Z'];
  say({ type: 'audio.interrupted', samples: 16_000, from, to, reason: 'call' });
  await until(({ type }) => type === 'audio.interrupted');
  say({ type: 'audio.stop' });
  await service.reaches(id, 'idle.saved');
  const ada = asking(service, token);
  const link = (await ada<Link>('POST', `/recordings/${id}/links`, { name: 'Choir' })).body;
  const { ticket } = (await opening(service)(tokenOf(link))).body;
  const own = await service.call<string>('GET', `/recordings/${id}/export?format=txt`, { token });
  assert.match(own.body, /not recorded/u);
  for (const format of ['md', 'txt'])
    assert.doesNotMatch(
      await exportedTo(service, `/recordings/${id}`, { format, ticket }),
      /not recorded/u,
    );
});

test('what is wrong with a link, or its note erased, has one answer; a disabled owner closes links, and so do the settings', async (t) => {
  const service = await startService(t);
  const { path, make, open } = await noteOf(service);
  const ada = asking(service, await service.login('ada'));
  const token = tokenOf(await make({ expires_at: null }));
  assert.equal((await open(token)).status, 200);
  await ada('PATCH', '/users/owen', { disabled: true });
  assert.deepEqual(await over(open(token)), isOver);
  await ada('PATCH', '/users/owen', { disabled: false });
  assert.equal((await open(token)).status, 200);
  await ada('PUT', '/config', { sharing: { links: false } });
  assert.deepEqual(await over(open(token)), isOver);
  const again = asking(service, await service.login('owen'));
  const refused = await again('POST', `${path}/links`, { name: 'Choir' });
  assert.deepEqual([refused.status, refused.body.type], [403, '/problems/links-off']);
  await ada('PUT', '/config', { sharing: { links: true, link_days_max: 7 } });
  assert.equal((await again('POST', `${path}/links`, { name: 'C', expires_at: null })).status, 422);
  const made = (await again<Link>('POST', `${path}/links`, { name: 'C' })).body;
  assert.ok(Date.parse(made.expires_at) < Date.now() + 7.1 * 86_400_000);
  await again('DELETE', path);
  assert.deepEqual(await over(open(token)), isOver);
});

test('a password is asked for before anything is said, and guessing has its limits', async (t) => {
  const service = await startService(t);
  const { make, open } = await noteOf(service);
  const token = tokenOf(await make({ password: 'four words in a row' }));
  const asked = await open(token);
  assert.deepEqual([asked.status, asked.body.type], [401, '/problems/password-required']);
  assert.doesNotMatch(JSON.stringify(asked.body), /plan|owen/u);
  const { status, body } = await open(token, { password: 'four words in a row' });
  assert.deepEqual([status, body.title], [200, 'A plan']);
  assert.equal((await open(token, { ticket: body.ticket })).body.ticket, body.ticket);
  const tries: number[] = [];
  for (let n = 0; n < 6; n += 1) tries.push((await open(token, { password: 'wrong one' })).status);
  assert.ok(tries.includes(401) && tries.includes(429), tries.join());
  assert.equal((await open(token, { ticket: body.ticket })).status, 200);
});

test('an address asks sixty times a minute, and with a ticket as often as it likes', async (t) => {
  const service = await startService(t);
  const { make, open } = await noteOf(service);
  const token = tokenOf(await make({}));
  const { ticket } = (await open(token)).body;
  const statuses: number[] = [];
  for (let n = 0; n < 60; n += 1) statuses.push((await open('y'.repeat(43))).status);
  assert.deepEqual([statuses.slice(0, 59).every((one) => one === 404), statuses[59]], [true, 429]);
  assert.equal((await open(token, { ticket })).status, 200);
});

test('the owner sees who looked: users and links, how often, and when last; others do not, and erasing forgets it', async (t) => {
  const service = await startService(t);
  const { owen, id, path, make, open } = await noteOf(service);
  const rita = asking(service, await service.addUser('rita'));
  await owen('PUT', `${path}/access`, { user: 'rita', role: 'correct', audio: true });
  const link = await make({ audio: true });
  const { ticket } = (await open(tokenOf(link))).body;
  await open(tokenOf(link), { ticket });
  for (const what of ['audio', 'export?format=txt']) {
    const joint = what.includes('?') ? '&' : '?';
    await service.call('GET', `${path}/${what}${joint}ticket=${ticket}`);
  }
  await owen('GET', path);
  for (let n = 0; n < 3; n += 1) assert.equal((await rita('GET', path)).status, 200);
  type Seen = { who: string; name: string; opened: number; heard: number; exported: number };
  const seen = async (who: typeof owen) =>
    (await who<{ seen: Seen[] }>('GET', `${path}/access`)).body.seen;
  const wanted = [
    [`l-${link.link}`, 'Choir', 1, 1, 1],
    [`u-${service.accounts.findUser('rita')?.userId}`, 'rita', 1, 0, 0],
  ];
  await eventually('noted', async () => (await seen(owen)).length === 2);
  const found = (await seen(owen)).map((one) => [
    one.who,
    one.name,
    one.opened,
    one.heard,
    one.exported,
  ]);
  assert.deepEqual(found.toSorted(), wanted);
  assert.deepEqual(await seen(rita), []);
  const kept = openAccessLog(service.services.kept);
  assert.equal((await kept.of(id)).length, 2);
  await owen('DELETE', path);
  assert.deepEqual(await kept.of(id), []);
});

test('a link that is asked for again with the same key after a restart is the same link', async (t) => {
  const { service: before } = await withAda(t);
  const token = await before.addUser('owen');
  const id = await before.settled(token);
  const make = async (service: TestService, json: object = {}) =>
    await service.call<Link & ProblemAnswer>('POST', `/recordings/${id}/links`, {
      token,
      headers: { 'Idempotency-Key': 'the-key' },
      json: { name: 'Choir', ...json },
    });
  const { url, ...first } = (await make(before)).body;
  await before.close();
  const after = await startService(t, { dataDir: before.dataDir });
  const { url: again, ...second } = (await make(after)).body;
  assert.deepEqual(second, first);
  assert.equal(new URL(again).hash, new URL(url).hash);
  assert.equal((await opening(after)(new URL(url).hash.slice(1))).status, 200);
  const { body } = await after.call<{ links: object[] }>('GET', `/recordings/${id}/access`, {
    token,
  });
  assert.equal(body.links.length, 1, 'made once');
  assert.doesNotMatch(JSON.stringify(body), new RegExp(new URL(url).hash.slice(1), 'u'));
  const other = await make(after, { audio: true });
  assert.deepEqual([other.status, other.body.type], [409, '/problems/key-used-differently']);
  await after.call('DELETE', `/recordings/${id}/links/${first.link}`, { token });
  assert.deepEqual(await over(opening(after)(new URL(url).hash.slice(1))), isOver);
});
