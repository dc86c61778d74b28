import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, password, startService, wav, type TestService } from '../support/http-client.ts';
import { seed, seeded, times } from '../support/seeded.ts';

const users = 20;
const requests = times({ short: 400, long: 10_000 });

test(`${users} users at once, ${requests} requests: nobody receives a byte of another's`, async (t) => {
  // Everything that is made of a user's recordings holds a word of theirs alone.
  const markers = new Map<string, string>();
  const service = await startService(t, { marker: (owner) => markers.get(owner) ?? 'nobody' });
  const admin = await service.setUp();
  const people: Person[] = [];
  // One after the other: hashing passwords takes its time.
  for (let index = 0; index < users; index += 1) {
    const token = index === 0 ? admin : await loggedIn(service, `user${index}`);
    const caller = await service.accounts.authenticate(token);
    const marker = `zq${String(index).padStart(2, '0')}xv`;
    markers.set(caller!.userId, marker);
    people.push({ token, marker, ids: [], documents: [] });
  }
  const all = people.map(({ marker }) => marker);
  const clients = people.map(({ token }) => connect(service.url, token, { after: 0 }));
  await Promise.all(clients.map((client) => client.until(({ type }) => type === 'position')));

  // Everybody has something to look for before the rush begins.
  for (const person of people) await uploadFor(service, person);
  assert.ok(people.every(({ ids }) => ids.length === 1));
  let left = requests;
  let answered = 0;
  await Promise.all(
    people.map(async (person, index) => {
      const random = seeded(seed + index);
      const others = () => people[(index + 1 + Math.floor(random.next() * (users - 1))) % users]!;
      while (left > 0) {
        left -= 1;
        const text = await act(service, person, others(), random.next());
        answered += 1;
        const strange = all.find((marker) => marker !== person.marker && text.includes(marker));
        assert.equal(strange, undefined, `${person.marker} received ${text.slice(0, 300)}`);
      }
    }),
  );
  assert.equal(answered, requests);

  for (const { ids } of people) for (const id of ids) await service.reaches(id, 'idle.saved');
  const head = await service.store.head();
  for (const [index, client] of clients.entries()) {
    const { marker } = people[index]!;
    await client.until(({ position }) => (position ?? 0) >= head, 60_000);
    const frames = JSON.stringify(client.frames);
    assert.ok(frames.includes(marker), `${marker} was told of their own`);
    for (const other of all) {
      if (other !== marker) assert.ok(!frames.includes(other), `${marker} was told of ${other}`);
    }
  }
});

/** Everybody from an address of their own: of one not so many may log in. */
async function loggedIn(service: TestService, username: string): Promise<string> {
  await service.accounts.createUser({ username, password, isAdmin: false }, { by: 'system' });
  const from = { address: `address of ${username}`, local: false };
  return (await service.accounts.login({ username, password }, from)).token;
}

type Person = { token: string; marker: string; ids: string[]; documents: string[] };

/** One request of a person; many of them for what is somebody else's. Answers with all that came back. */
async function act(
  service: TestService,
  person: Person,
  other: Person,
  chance: number,
): Promise<string> {
  const { token } = person;
  const get = async (path: string) => {
    const { status, body, headers } = await service.call<unknown>('GET', path, { token });
    return { status, text: JSON.stringify([body, [...headers]]) };
  };
  const foreign = async (path: string) => {
    const { status, text } = await get(path);
    assert.equal(status, 404, path);
    return text;
  };
  const own = pick(person.ids, chance);
  const theirs = pick(other.ids, chance);
  const actions: (() => Promise<string>)[] = [
    async () => (await get('/status')).text,
    async () => (await get('/recordings')).text,
    async () => (await get('/transcripts')).text,
    async () => (await get(`/recordings/${own}`)).text,
    async () => (await get(`/recordings/${own}/events`)).text,
    async () => (await get(`/search?q=${other.marker}`)).text,
    async () => (await get('/search?q=plan')).text,
    async () => foreign(`/recordings/${theirs}`),
    async () => foreign(`/recordings/${theirs}/events`),
    async () => foreign(`/recordings/${theirs}/audio`),
    async () => foreign(`/recordings/${theirs}/export?format=txt`),
    async () => {
      const answer = await service.call('POST', `/recordings/${theirs}/reprocess`, { token });
      assert.equal(answer.status, 404);
      return JSON.stringify(answer.body);
    },
    async () => {
      const library = await get('/transcripts');
      const [list] = JSON.parse(library.text) as [{ transcripts: { filename: string }[] }];
      for (const { filename } of list.transcripts) person.documents.push(filename);
      const filename = pick(person.documents, chance) ?? 'none.md';
      return (await get(`/transcripts/${encodeURIComponent(filename)}`)).text;
    },
    async () => {
      const filename = pick(other.documents, chance) ?? 'none.md';
      return foreign(`/transcripts/${encodeURIComponent(filename)}`);
    },
    async () => (person.ids.length < uploadsMax ? uploadFor(service, person) : '""'),
  ];
  return await actions[Math.floor(chance * 1000) % actions.length]!();
}

const uploadsMax = 5;

async function uploadFor(service: TestService, person: Person): Promise<string> {
  const { status, body } = await service.upload(
    person.token,
    { title: `Title ${person.marker}` },
    { audio: wav(0.1), filename: `${person.marker}.wav` },
  );
  // So many at once are not taken; that is an answer too.
  if (status !== 503) assert.equal(status, 202);
  if (status === 202) person.ids.push(body.recording_id);
  return JSON.stringify(body);
}

const pick = <T>(list: readonly T[], chance: number): T | undefined =>
  list[Math.floor(chance * list.length)];
