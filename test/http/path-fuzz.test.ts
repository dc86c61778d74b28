import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rename, symlink, unlink, writeFile } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { join, sep } from 'node:path';
import { test, type TestContext } from 'node:test';
import { type ProblemAnswer, withAda } from '../support/http-client.ts';
import { seeded, seeds, type Random } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';

const namesEach = process.env['MITSCHRIFT_LONG'] ? 10_000 : 100;
const racesEach = process.env['MITSCHRIFT_LONG'] ? 5000 : 50;
const canary = 'CANARY-outside-of-the-space';

/** A user's space full of traps, with things outside that nobody may get to. */
async function trapped(t: TestContext) {
  const shown: string[] = [];
  const desktop = {
    showFiles: async (paths: readonly string[]) => void shown.push(...paths),
    openUri: async () => {},
  };
  const vault = await tempDir(t);
  const elsewhere = await tempDir(t);
  const { service, token } = await withAda(t, {
    env: { MITSCHRIFT_NOTES_VAULT: vault },
    overrides: { desktop },
  });
  await service.addUser('ben');
  const id = await service.settled(token);
  const { documents } = (
    await service.call<{ documents: { index: string; transcript: string } }>(
      'GET',
      `/recordings/${id}`,
      { token },
    )
  ).body;
  const spaces = join(service.dataDir, 'spaces');
  const space = join(spaces, service.accounts.findUser('ada')!.userId);
  const benId = service.accounts.findUser('ben')!.userId;
  await mkdir(join(spaces, benId), { recursive: true });
  const outside = [
    join(spaces, benId, 'ben.md'),
    join(spaces, 'next.md'),
    join(service.dataDir, 'top.md'),
    join(elsewhere, 'inside.md'),
  ];
  for (const path of outside) await writeFile(path, canary);
  await symlink(outside[0]!, join(space, 'link.md'));
  await symlink(join(spaces, benId), join(space, 'dir'));
  await symlink('/', join(space, 'root'));
  await symlink(join(elsewhere, 'nothing'), join(space, 'dangling.md'));
  await symlink('.', join(space, 'self'));
  return { service, token, documents, space, elsewhere, benId, outside, shown, vault };
}

type Trap = Awaited<ReturnType<typeof trapped>>;

/** Names as somebody with bad intentions makes them up. */
function nastyName(random: Random, { documents, benId, space }: Trap): string {
  const up = random.pick(['..', '../..', '../../..', './..', '.../..', '..;', '. .', '..\u0000']);
  const target = random.pick([
    `${benId}/ben.md`,
    'next.md',
    'top.md',
    'etc/passwd',
    'secrets.json',
    'log/CURRENT',
    'ben.md',
    'inside.md',
  ]);
  const bases: (() => string)[] = [
    () => `${up}/${target}`,
    () => `${documents.index.slice(0, -3)}/${up}/${up}/${target}`,
    () => random.pick(['link.md', 'dir/ben.md', 'root/etc/passwd', 'dangling.md', 'self/link.md']),
    () =>
      `${random.pick(['/', '//', '\\', '\\\\host\\share\\', 'C:\\', 'C:', 'file:///', '~/', '~root/'])}${target}`,
    () => `${space}${sep}..${sep}${target}`,
    () => random.pick(['CON', 'nul.md', 'COM1.md', 'lpt9', 'aux.x.md', 'PRN ', 'COM¹']),
    () =>
      `${documents.index}${random.pick(['.', ' ', '::$DATA', ':x', '/', '/.', '\u0000', '\u0000.md', '%00', '?', '*', '~1'])}`,
    () => `${'a'.repeat(random.below(600))}.md`,
    () =>
      Array.from({ length: random.below(40) }, () => random.pick(['a', '..', '.', ''])).join('/'),
    () => `.${random.pick(['obsidian/x', 'ssh/id', 'mitschrift-0123456789abcdef.tmp', ''])}`,
    () =>
      Array.from({ length: 1 + random.below(20) }, () =>
        String.fromCodePoint(random.below(0x300)),
      ).join(''),
  ];
  let name = random.pick(bases)();
  for (let times = random.below(3); times > 0; times -= 1) name = random.pick(disguises)(name);
  return name;
}

const disguises: ((name: string) => string)[] = [
  (name) => name.replaceAll('/', '\\'),
  (name) => name.replaceAll('/', '%2f'),
  (name) => name.replaceAll('.', '%2e'),
  (name) => encodeURIComponent(toWell(name)),
  (name) => encodeURIComponent(encodeURIComponent(toWell(name))),
  (name) => name.replaceAll('/', '／').replaceAll('.', '．'),
  (name) => name.replaceAll('/', '∕'),
  (name) => name.replaceAll('/', '⁄'),
  (name) => name.replaceAll('..', '‥'),
  (name) => name.replaceAll('..', '․․'),
  (name) => name.replaceAll('/', '%c0%af'),
  (name) => name.replaceAll('/', '/./'),
  (name) => name.replaceAll('/', '//'),
  (name) => `a/${name}`,
  (name) => name.normalize('NFD'),
  (name) => name.normalize('NFKC'),
  (name) => name.toUpperCase(),
  (name) => ` ${name} `,
  (name) => `${name}\u0000.md`,
  (name) => `\ufeff${name}`,
  (name) => name.replaceAll('e', '\u202ee'),
  (name) => `${name}\ud800`,
];
const toWell = (text: string) => text.replaceAll(/\p{Cs}/gu, '\ufffd');

/** As a client sends it that encodes only what HTTP cannot carry. */
const asPath = (name: string): string =>
  [...Buffer.from(name)]
    .map((byte) =>
      byte > 0x20 && byte < 0x7f && byte !== 0x23 && byte !== 0x3f
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');

test('no name leads out of the space, by any door, however it is written', async (t) => {
  const trap = await trapped(t);
  const { service, token, documents, space, outside, shown } = trap;
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  t.after(() => agent.destroy());
  const own = new Set<string>(Object.values(documents));
  const before = await snapshot(trap);
  const doors = [
    (name: string) => ({ method: 'GET', path: `/transcripts/${asPath(name)}` }),
    (name: string) => ({ method: 'DELETE', path: `/transcripts/${asPath(name)}` }),
    (name: string) => ({ method: 'PUT', path: `/transcripts/${asPath(name)}`, body: '# x\n' }),
    (name: string) => ({ method: 'POST', path: `/transcripts/${asPath(name)}/reprocess` }),
    (name: string) => ({
      method: 'POST',
      path: '/open',
      body: JSON.stringify({ mode: 'folder', paths: [name] }),
    }),
    (name: string) => ({
      method: 'POST',
      path: '/open',
      body: JSON.stringify({ mode: 'notes', paths: [name] }),
    }),
  ];
  const counts = new Map<number, number>();
  for (const seed of seeds({ short: 1, long: 10 })) {
    const random = seeded(seed);
    for (let index = 0; index < namesEach; index += 1) {
      const name = nastyName(random, trap);
      const { method, path, body } = random.pick<(name: string) => Ask>(doors)(name);
      const what = `seed ${seed}: ${method} ${path} ${body ?? ''}`;
      if (own.has(meant(name, path))) continue;
      const answer = await send(service.port, token, agent, { method, path, body });
      counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
      assert.ok([400, 403, 404, 405].includes(answer.status), `${answer.status} for ${what}`);
      assert.ok(!answer.text.includes('CANARY') && !answer.text.includes('root:'), what);
      assert.ok(!answer.text.includes(service.dataDir), `the answer tells a path: ${what}`);
      const problem = JSON.parse(answer.text) as ProblemAnswer;
      if (answer.status === 403) assert.equal(problem.type, '/problems/outside-space', what);
      if (leaves(meant(name, path))) assert.ok([400, 403, 404].includes(answer.status), what);
    }
  }
  assert.ok((counts.get(403) ?? 0) > namesEach / 4, 'most of them are recognised as what they are');
  assert.deepEqual(await snapshot(trap), before);
  for (const path of outside) assert.equal(await readFile(path, 'utf8'), canary);
  for (const path of shown) assert.ok(path.startsWith(space + sep));
  assert.ok(!service.logged.some((line) => line.includes('"level":50')), 'no mistake of ours');
});

type Ask = { method: string; path: string; body?: string };

/** The name as the service has to understand it: decoded once, or as JSON gave it. */
function meant(name: string, path: string): string {
  if (path === '/open') return name;
  try {
    return decodeURIComponent(asPath(name));
  } catch {
    return '';
  }
}

/** What no reading of a name may allow, seen independently of the code that is tested. */
const leaves = (name: string): boolean =>
  name.split(/[/\\]/).includes('..') || /^[/\\~]|^[A-Za-z]:|\0/.test(name);

test('names that leave the space are 403, in each of their ways of being written', async (t) => {
  const trap = await trapped(t);
  const { service, token } = trap;
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const leaving = [
    '../next.md',
    '..\\next.md',
    '/etc/passwd',
    '~/x.md',
    'C:\\x.md',
    'a/../../next.md',
    'x\u0000.md',
    'nul',
    '.hidden.md',
    'link.md',
    'dir/ben.md',
    'root/etc/passwd',
    `${'a'.repeat(300)}.md`,
  ];
  for (const name of leaving) {
    for (const encoded of [asPath(name), encodeURIComponent(name), encodeAll(name)]) {
      for (const method of ['GET', 'DELETE']) {
        const path = `/transcripts/${encoded}`;
        const { status, text } = await send(service.port, token, agent, { method, path });
        assert.equal(status, 403, `${method} ${path}`);
        assert.equal((JSON.parse(text) as ProblemAnswer).type, '/problems/outside-space');
      }
    }
    // Encoded twice it is an ordinary, if ugly, name: there is none of that name.
    const twice = `/transcripts/${encodeURIComponent(encodeURIComponent(name))}`;
    const { status } = await send(service.port, token, agent, { method: 'GET', path: twice });
    assert.ok([403, 404].includes(status), twice);
  }
});

const encodeAll = (name: string): string =>
  [...Buffer.from(name)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

test('a folder swapped for a link between check and use leads nowhere', async (t) => {
  const trap = await trapped(t);
  const { service, token, space, elsewhere } = trap;
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  t.after(() => agent.destroy());
  await mkdir(join(space, 'swap'));
  await writeFile(join(space, 'swap', 'inside.md'), 'what belongs here');
  let running = true;
  const swapping = (async () => {
    while (running) {
      await rename(join(space, 'swap'), join(space, 'away'));
      await symlink(elsewhere, join(space, 'swap'));
      await unlink(join(space, 'swap'));
      await rename(join(space, 'away'), join(space, 'swap'));
    }
  })();
  const seen = new Set<number>();
  for (let race = 0; race < racesEach; race += 1) {
    const answers = await Promise.all(
      ['GET', 'GET', 'DELETE', 'GET'].map(async (method) => {
        const path =
          method === 'DELETE' ? '/transcripts/swap%2Fnone.md' : '/transcripts/swap%2Finside.md';
        return send(service.port, token, agent, { method, path });
      }),
    );
    for (const { status, text } of answers) {
      seen.add(status);
      assert.ok([200, 403, 404].includes(status), String(status));
      assert.ok(!text.includes('CANARY'));
      if (status === 200) assert.equal(text, 'what belongs here');
    }
  }
  running = false;
  await swapping;
  assert.ok(seen.has(200));
  assert.equal(await readFile(join(elsewhere, 'inside.md'), 'utf8'), canary);
});

/** Everything there is in space, vault and elsewhere, with contents; names of what lies beside. */
async function snapshot({ space, vault, elsewhere, service }: Trap): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  for (const root of [space, vault, elsewhere, join(service.dataDir, 'spaces')]) {
    for (const entry of await readdir(root, { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      seen.set(path, entry.isFile() ? await readFile(path, 'utf8') : 'no file');
    }
  }
  for (const name of await readdir(service.dataDir)) seen.set(name, 'beside');
  seen.delete('vault-copies');
  return seen;
}

function send(
  port: number,
  token: string,
  agent: Agent,
  { method, path, body }: Ask | { method: string; path: string; body?: string | undefined },
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
    if (method === 'PUT')
      Object.assign(headers, { 'Content-Type': 'text/markdown', 'If-Match': '*' });
    else if (body !== undefined) headers['Content-Type'] = 'application/json';
    const request = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent });
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
