import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { type TestService, connect, password, startService } from '../support/http-client.ts';
import { type Random, seed, seeded, times } from '../support/seeded.ts';
import { Model, type Note } from './isolation-model.ts';

/*
 * Many people give each other access, by notes, folders, groups and links, and take it back, hand over and erase. After each
 * step everybody's answers are compared with what the model says: nobody reads, finds, hears or is told of anything else.
 */

const sizes = times({
  short: { people: 6, notes: 8, groups: 2, steps: 20, kinds: 4 },
  long: { people: 20, notes: 40, groups: 5, steps: 400, kinds: 7 },
});
const everybody = 'ada';
const letters = 'bcdfghjklm';

type World = {
  service: TestService;
  model: Model;
  random: Random;
  tokens: Map<string, string>;
  /** Of links that open nothing any more. */
  overLinks: string[];
  /** How often a stranger asked: each from another address, which may ask so often a minute. */
  strangers: number;
  /** What each person could read lately: frames come a moment later. */
  lately: Map<string, Set<string>[]>;
};

test(`nobody is told of what is not shared with them, whatever is shared and taken back (SEED=${seed})`, async (t) => {
  const env = { MITSCHRIFT_SERVER_TRUSTED_PROXIES: '127.0.0.1' };
  const world = await peopled(await startService(t, { env }));
  const { model, tokens, lately, service } = world;
  const feeds = [...tokens].map(([name, token]) => ({ name, feed: connect(service.url, token) }));
  for (const { feed } of feeds) await feed.until(({ type }) => type === 'status');
  const told: string[] = [];
  for (let step = 0; step < sizes.steps; step += 1) {
    for (const [name, before] of lately) before.push(new Set(model.readable(name)));
    const what = await act(world);
    told.push(what);
    t.diagnostic(`${step} ${what}`);
    await compare(world, `step ${step}, ${what}`);
    for (const { name, feed } of feeds) {
      const may = new Set([
        ...model.readable(name),
        ...lately
          .get(name)!
          .slice(-3)
          .flatMap((one) => [...one]),
      ]);
      for (const frame of feed.frames.splice(0)) {
        const of = (frame as { recording_id?: string }).recording_id;
        assert.ok(of === undefined || may.has(of), `${name} is told of ${of} at step ${step}`);
      }
    }
  }
  for (const { feed } of feeds) feed.socket.close();
  assert.ok(
    new Set(told.map((what) => what.split(' ')[0])).size >= sizes.kinds,
    'the steps are of many kinds',
  );
});

async function peopled(service: TestService): Promise<World> {
  const random = seeded(seed);
  const model = new Model();
  const tokens = new Map([[everybody, await service.setUp()]]);
  for (let n = 1; n < sizes.people; n += 1) {
    const name = `person${n}`;
    tokens.set(name, await service.addUser(name));
  }
  const names = [...tokens.keys()];
  for (let n = 0; n < sizes.groups; n += 1) {
    const name = `group${n}`;
    await asked(service, tokens.get(everybody)!, 'POST', '/groups', { name });
    model.groups.set(name, new Set());
  }
  for (const owner of names) {
    const { id } = await asked<{ id: string }>(service, tokens.get(owner)!, 'POST', '/folders', {
      name: `of ${owner}`,
    });
    model.folders.set(id, { id, owner, access: new Map() });
  }
  for (let n = 0; n < sizes.notes; n += 1) {
    const owner = names[n % names.length]!;
    // Far from each other, for the search forgives what is misspelt a little.
    const word = `${letters[Math.floor(n / letters.length)]!.repeat(5)}${letters[n % letters.length]!.repeat(5)}`;
    const token = tokens.get(owner)!;
    const id = await service.settled(token);
    await asked(service, token, 'PATCH', `/recordings/${id}`, { title: `Note ${word}` });
    await service.reaches(id, 'idle.saved');
    const note: Note = { id, word, owner, folder: null, access: new Map(), links: new Map() };
    model.notes.set(id, note);
  }
  const lately = new Map(names.map((name) => [name, [] as Set<string>[]]));
  return { service, model, random, tokens, overLinks: [], strangers: 0, lately };
}

async function asked<T>(
  service: TestService,
  token: string,
  method: string,
  path: string,
  json?: object,
): Promise<T> {
  const { status, body } = await service.call<T>(method, path, { token, ...(json && { json }) });
  assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** One step, done by who may do it, in the service and in the model. @returns what was done */
async function act(world: World): Promise<string> {
  const { model, random } = world;
  const notes = [...model.notes.values()];
  const note = random.pick(notes);
  const kinds = [
    shareNote,
    withdrawNote,
    file,
    shareFolder,
    withdrawFolder,
    join,
    leave,
    linkTo,
    unlink,
  ];
  const chosen =
    random.chance(0.04) && notes.length > 3
      ? erase
      : random.chance(0.06)
        ? handOver
        : random.pick(kinds);
  return await chosen(world, note);
}

const ids = (world: World, name: string) => world.service.accounts.findUser(name)?.userId ?? '';

/** A person or a group, and how a request and a path name them. */
async function somebody({ model, random, tokens, service }: World, but: string) {
  if (random.chance(0.35)) {
    const name = random.pick([...model.groups.keys()]);
    const { groups } = await asked<{ groups: { id: string; name: string }[] }>(
      service,
      tokens.get(everybody)!,
      'GET',
      '/groups',
    );
    const { id } = groups.find((one) => one.name === name)!;
    return { name, body: { group: name }, to: `g-${id}` };
  }
  const name = random.pick([...tokens.keys()].filter((one) => one !== but));
  return { name, body: { user: name }, to: `u-${service.accounts.findUser(name)!.userId}` };
}

const given = (random: Random) => ({
  role: random.chance(0.4) ? ('correct' as const) : ('read' as const),
  audio: random.chance(0.5),
});

async function shareNote(world: World, note: Note): Promise<string> {
  const { service, tokens, random } = world;
  const who = await somebody(world, note.owner);
  const terms = given(random);
  const path = `/recordings/${note.id}/access`;
  await asked(service, tokens.get(note.owner)!, 'PUT', path, { ...who.body, ...terms });
  note.access.set(who.name, terms);
  return `share ${note.word} of ${note.owner} with ${who.name} ${terms.role} ${terms.audio}`;
}

async function withdrawNote(world: World, note: Note): Promise<string> {
  const { service, tokens, model } = world;
  const shared = [...model.notes.values()].find(({ access }) => access.size > 0) ?? note;
  const [name] = shared.access.keys();
  if (name === undefined) return 'nothing';
  const path = `/recordings/${shared.id}/access`;
  const { grants } = await asked<{ grants: { to: string; name: string; by_folder: boolean }[] }>(
    service,
    tokens.get(shared.owner)!,
    'GET',
    path,
  );
  const { to } = grants.find((one) => one.name === name && !one.by_folder)!;
  await asked(service, tokens.get(shared.owner)!, 'DELETE', `${path}/${to}`);
  shared.access.delete(name);
  return `withdraw ${shared.word} from ${name}`;
}

async function file(world: World, note: Note): Promise<string> {
  const { service, tokens, model, random } = world;
  const own = [...model.folders.values()].filter(({ owner }) => owner === note.owner);
  const folder = random.chance(0.3) ? null : random.pick(own).id;
  await asked(service, tokens.get(note.owner)!, 'PATCH', `/recordings/${note.id}`, { folder });
  note.folder = folder;
  return `file ${note.word} ${folder === null ? 'nowhere' : `in the folder of ${note.owner}`}`;
}

async function shareFolder(world: World): Promise<string> {
  const { service, tokens, model, random } = world;
  const folder = random.pick([...model.folders.values()]);
  const who = await somebody(world, folder.owner);
  const terms = given(random);
  const path = `/folders/${folder.id}/access`;
  await asked(service, tokens.get(folder.owner)!, 'PUT', path, { ...who.body, ...terms });
  folder.access.set(who.name, terms);
  return `share-folder of ${folder.owner} with ${who.name} ${terms.role} ${terms.audio}`;
}

async function withdrawFolder(world: World): Promise<string> {
  const { service, tokens, model } = world;
  const folder = [...model.folders.values()].find(({ access }) => access.size > 0);
  const [name] = folder?.access.keys() ?? [];
  if (folder === undefined || name === undefined) return 'nothing';
  const path = `/folders/${folder.id}/access`;
  const { grants } = await asked<{ grants: { to: string; name: string }[] }>(
    service,
    tokens.get(folder.owner)!,
    'GET',
    path,
  );
  const { to } = grants.find((one) => one.name === name)!;
  await asked(service, tokens.get(folder.owner)!, 'DELETE', `${path}/${to}`);
  folder.access.delete(name);
  return `withdraw-folder of ${folder.owner} from ${name}`;
}

async function membership(world: World, method: 'PUT' | 'DELETE'): Promise<string> {
  const { service, tokens, model, random } = world;
  const name = random.pick([...model.groups.keys()]);
  const members = model.groups.get(name)!;
  const who = random.pick(
    [...tokens.keys()].filter((one) => members.has(one) === (method === 'DELETE')),
  );
  if (who === undefined) return 'nothing';
  // The login may be longer ago than a password counts.
  await asked(service, tokens.get(everybody)!, 'POST', '/users/me/confirm', {
    current_password: password,
  });
  const { groups } = await asked<{ groups: { id: string; name: string }[] }>(
    service,
    tokens.get(everybody)!,
    'GET',
    '/groups',
  );
  const { id } = groups.find((one) => one.name === name)!;
  await asked(service, tokens.get(everybody)!, method, `/groups/${id}/members/${who}`);
  if (method === 'PUT') members.add(who);
  else members.delete(who);
  return `${method === 'PUT' ? 'join' : 'leave'} ${name} ${who}`;
}
const join = (world: World) => membership(world, 'PUT');
const leave = (world: World) => membership(world, 'DELETE');

async function linkTo(world: World, note: Note): Promise<string> {
  const { service, tokens } = world;
  const { link, url } = await asked<{ link: string; url: string }>(
    service,
    tokens.get(note.owner)!,
    'POST',
    `/recordings/${note.id}/links`,
    { name: 'for a stranger' },
  );
  note.links.set(link, new URL(url).hash.slice(1));
  return `link ${note.word}`;
}

async function unlink(world: World, any: Note): Promise<string> {
  const { service, tokens, model, overLinks } = world;
  const note = [...model.notes.values()].find(({ links }) => links.size > 0) ?? any;
  const [first] = note.links;
  if (first === undefined) return 'nothing';
  const [link, token] = first;
  await asked(service, tokens.get(note.owner)!, 'DELETE', `/recordings/${note.id}/links/${link}`);
  note.links.delete(link);
  overLinks.push(token);
  return `unlink ${note.word}`;
}

/** An administrator hands over what is theirs. */
async function handOver(world: World, any: Note): Promise<string> {
  const { service, tokens, model, random, overLinks } = world;
  const own = [...model.notes.values()].filter(({ owner }) => owner === everybody);
  if (own.length === 0) return await file(world, any);
  const note = random.pick(own);
  const to = random.pick([...tokens.keys()].filter((name) => name !== everybody));
  await asked(service, tokens.get(everybody)!, 'PATCH', `/recordings/${note.id}`, {
    owner: ids(world, to),
  });
  overLinks.push(...note.links.values());
  model.handOver(note, to);
  return `hand-over ${note.word} to ${to}`;
}

async function erase(world: World, note: Note): Promise<string> {
  const { service, tokens, model, overLinks } = world;
  await asked(service, tokens.get(note.owner)!, 'DELETE', `/recordings/${note.id}`);
  overLinks.push(...note.links.values());
  model.notes.delete(note.id);
  return `erase ${note.word}`;
}

type Listed = { transcripts: { recording_id: string }[] };

/** Everybody's list, every note by its address, a search for its word, and every link, against the model. */
async function compare(world: World, where: string): Promise<void> {
  const { service, model, tokens, overLinks, random } = world;
  for (const [name, token] of tokens) {
    const { text, ids: listed } = await listOf(service, token);
    assert.deepEqual(
      listed.toSorted(),
      model.readable(name).toSorted(),
      `${where}: list of ${name}`,
    );
    for (const note of model.notes.values())
      if (model.rightOf(name, note) === null)
        assert.ok(!text.includes(note.word), `${where}: ${name} reads ${note.word}`);
  }
  const note = random.pick([...model.notes.values()]);
  for (const [name, token] of tokens) {
    const right = model.rightOf(name, note);
    const { status, body } = await service.call<{ access: object | null }>(
      'GET',
      `/recordings/${note.id}`,
      { token },
    );
    assert.equal(status, right === null ? 404 : 200, `${where}: ${note.word} of ${name}`);
    if (right !== null && right.role !== 'owner')
      assert.deepEqual(
        body.access,
        { ...right, by: note.owner },
        `${where}: ${note.word} of ${name}`,
      );
    const heard = await service.call('GET', `/recordings/${note.id}/peaks`, { token });
    assert.equal(
      heard.status,
      right === null ? 404 : right.audio ? 200 : 403,
      `${where}: ${name} hears`,
    );
    await eventually(`${where}: ${name} finds ${note.word}`, async () => {
      const { hits } = await asked<{ hits: { recording_id: string }[] }>(
        service,
        token,
        'GET',
        `/search?q=${note.word}`,
      );
      assert.ok(right !== null || hits.length === 0, `${where}: ${name} finds ${note.word}`);
      return right === null || hits.some(({ recording_id: id }) => id === note.id);
    });
  }
  const open = async (token: string) => {
    world.strangers += 1;
    const address = `10.1.${Math.floor(world.strangers / 250)}.${world.strangers % 250}`;
    const headers = { 'X-Forwarded-For': address };
    return (await service.call('POST', '/shared', { json: { token }, headers })).status;
  };
  const [, good] = [...note.links][0] ?? [];
  if (good !== undefined) assert.equal(await open(good), 200, `${where}: link to ${note.word}`);
  if (overLinks.length > 0)
    assert.equal(await open(random.pick(overLinks)), 404, `${where}: a link that is over`);
}

async function listOf(
  service: TestService,
  token: string,
): Promise<{ text: string; ids: string[] }> {
  const found: string[] = [];
  let text = '';
  for (const shared of ['mine', 'with-me']) {
    const page = await asked<Listed>(
      service,
      token,
      'GET',
      `/transcripts?limit=200&shared=${shared}`,
    );
    text += JSON.stringify(page);
    found.push(...page.transcripts.map(({ recording_id: id }) => id));
  }
  return { text, ids: found };
}
