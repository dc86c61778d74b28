import assert from 'node:assert/strict';
import {
  chown,
  mkdir,
  readdir,
  rm,
  rmdir,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { settingsFrom } from '../../src/config/environment.ts';
import { engineLooks, speakerLook } from '../../src/doctor/engine-checks.ts';
import { type TestService, startService, withAda } from '../support/http-client.ts';
import { chatty, wellBehaved } from '../support/language-servers-brains.ts';
import { startLanguageServer } from '../support/language-servers.ts';
import { copyModel, modelsDir } from '../support/models.ts';
import { speechServer } from '../support/speech-servers.ts';
import { tempDir } from '../support/temp-dir.ts';
import { checkIn, lookAtAll } from '../../src/doctor/check.ts';
import { chooseEngine } from '../../src/speech/choose-engine.ts';

type Check = {
  id: string;
  status: string;
  detail: string;
  remedy: { text: string; command?: string; request?: { method: string; path: string } } | null;
  link: string;
};

test('GET /doctor says to administrators what is missing and what mends it, and each page that it links to is there', async (t) => {
  const { service, token } = await withAda(t);
  const [checks, again] = await Promise.all([look(service, token), look(service, token)]);
  assert.deepEqual(again, checks, 'who asks meanwhile gets the same');
  assert.equal(
    [...checks.keys()].join(' '),
    'node modules environment ffmpeg bzip2 data disk space permissions log keys vault vaults time-zone ' +
      'audio-server devices combined speech language meaning speakers address https ' +
      'two-step groups retention',
  );
  for (const id of ['node', 'modules', 'data', 'disk', 'permissions', 'log', 'keys', 'https']) {
    assert.deepEqual([id, checks.get(id)!.status, checks.get(id)!.remedy], [id, 'ok', null]);
  }
  const { status, detail, remedy } = checks.get('speech')!;
  assert.equal(status, 'missing', 'there is neither server nor model');
  assert.match(detail, /^No speech recognition is set up/);
  const [, recommended] = / models install (\S+)$/.exec(remedy!.command!) ?? [];
  assert.deepEqual(remedy!.request, { method: 'POST', path: `/models/${recommended}/install` });
  type Listed = { models: { id: string; purpose: string; recommended: string | null }[] };
  const { body } = await service.call<Listed>('GET', '/models', { token });
  const model = body.models.find(({ id }) => id === recommended)!;
  assert.equal(model.purpose, 'speech-to-text');
  assert.ok(remedy!.text.includes(model.recommended!), 'says why that one');
  assert.equal(checks.get('language')!.status, 'limited');
  const apart = checks.get('speakers')!;
  assert.match(apart.detail, /^Speakers are not separated/);
  const [, diarizer] = / models install (\S+)$/.exec(apart.remedy!.command!) ?? [];
  assert.equal(body.models.find(({ id }) => id === diarizer)?.purpose, 'speaker-segmentation');

  for (const [id, check] of checks) {
    const [page, place] = check.link.split('#');
    const shown = await service.call<string>('GET', page!);
    assert.equal(shown.status, 200, id);
    assert.ok(shown.body.includes(` id="${place}"`), `${id}: ${check.link}`);
    if (check.status !== 'ok') assert.ok(check.remedy!.text !== '', id);
  }
  const user = await service.addUser('ben');
  assert.equal((await service.call('GET', '/doctor', { token: user })).status, 403);
});

test('it says how many recordings have voices that are measured again, cannot be, or failed', async () => {
  const settings = settingsFrom({});
  const { signal } = new AbortController();
  const said = async (waiting: number, without_audio: number, given_up: number) => {
    const voices = async () => ({ waiting, without_audio, given_up });
    const parts = { settings, modelsDir: [modelsDir], voices };
    const { id, link } = speakerLook(parts);
    const found = await speakerLook(parts).look(signal);
    const { status, detail } = checkIn('en', { id, link, ...found });
    return [status, detail];
  };
  assert.deepEqual(await said(0, 0, 0), ['ok', 'The speakers of meetings are separated.']);
  assert.deepEqual(await said(4, 1, 0), [
    'ok',
    'The speakers of meetings are separated. Voices from 3 recordings are being updated. ' +
      'Voices from 1 recording stay as they are because no audio was kept.',
  ]);
  assert.deepEqual(await said(2, 0, 2), [
    'limited',
    'Voices from 2 recordings could not be updated. The speakers of meetings are separated.',
  ]);
});

test('the engines really answer: what they hear and write, how fast, and with what context; clock and owner of the data', async (t) => {
  const { service, token, language, speech } = await withServers(t);
  const good = await look(service, token);
  assert.equal(good.get('speech')!.status, 'ok', good.get('speech')!.detail);
  assert.match(
    good.get('speech')!.detail,
    /^whisper-large transcribed a sample of \d+ seconds in [\d.]+ seconds?: “one two”\.$/,
  );
  assert.ok(speech.received.length > 0, 'the sample came there');
  assert.equal(good.get('language')!.status, 'ok', good.get('language')!.detail);
  assert.match(
    good.get('language')!.detail,
    /^\S+ answered in [\d.]+ seconds? \(about [\d,]+ tokens a second\); its context window has 16,384 tokens, as the server says\.$/,
  );
  const key = 'sk-very-secret-key';
  assert.ok(language.chats().some(({ headers }) => headers.authorization === `Bearer ${key}`));

  await put(service, token, { stt: { second_pass: 'absent' } });
  language.brain = chatty(() => 'one, two, three, as many as you like.');
  const once = (await look(service, token)).get('speech')!;
  assert.equal(once.status, 'limited');
  assert.match(
    once.detail,
    /^whisper-large transcribed .* The model absent isn’t available \(stt\.second_pass\)\./,
  );
  assert.match(once.remedy!.text, /Choose an installed model/);
  await put(service, token, { stt: { second_pass: 'whisper-large' } });
  speech.hear = () => [];
  const odd = await look(service, token);
  assert.equal(odd.get('speech')!.status, 'limited');
  assert.match(odd.get('speech')!.detail, /found no words/);
  assert.equal(odd.get('language')!.status, 'limited');
  assert.match(odd.get('language')!.detail, /don’t follow the required format/);

  language.brain = numbers;
  await put(service, token, { llm: { context: 2048 } });
  await speech.down();
  const short = await look(service, token);
  assert.match(
    short.get('language')!.detail,
    /has 2,048 tokens, from the settings\. That is short/,
  );
  assert.equal(short.get('speech')!.status, 'missing');
  assert.match(short.get('speech')!.detail, /127\.0\.0\.1/);

  language.brain = () => '{}';
  language.faults.slowMs = 1000;
  // As after an hour in which the clock was ahead, and a backup that was unpacked by somebody else.
  const [log, keys] = ['log', 'keys'].map((name) => join(service.dataDir, name)) as [
    string,
    string,
  ];
  await put(service, token, { llm: { context: null } });
  const future = new Date(Date.now() + 2 * 3600_000);
  await utimes(log, future, future);
  const [foreign] = await readdir(keys);
  await chown(join(keys, foreign!), 65_534, 65_534);
  const slow = await look(service, token);
  delete language.faults.slowMs;
  for (const [id, detail, mends] of [
    ['language', /\(about [1-4] tokens a second\).* That is slow/, /smaller model/],
    [
      'time-zone',
      /^The clock is slow: something was already recorded at \d/,
      /timedatectl set-ntp true/,
    ],
    ['permissions', /^These files belong to another user: \S+\/keys\/[\w-]+\.$/, /chown/],
  ] as const) {
    const { status, detail: said, remedy } = slow.get(id)!;
    assert.deepEqual([id, status], [id, 'limited'], said);
    assert.match(said, detail);
    assert.match(JSON.stringify(remedy), mends);
  }

  language.faults.status = { status: 401, body: '{"error":{"message":"who are you"}}' };
  const refused = await look(service, token);
  assert.equal(refused.get('language')!.status, 'missing');
  assert.ok(!JSON.stringify([...refused.values()]).includes(key), 'no key is told');
});

test('notes folders of users: one that went, that is no folder, and that is another one’s by now', async (t) => {
  const { service, token } = await withAda(t);
  await service.addUser('ben');
  const place = await tempDir(t);
  const vaults = async () => {
    const { status, detail, remedy } = (await look(service, token)).get('vaults')!;
    return [status, detail, remedy?.text];
  };
  const none = ['ok', 'No user has a notes folder of their own.', undefined];
  assert.deepEqual(await vaults(), none);
  const [adas, bens] = [join(place, 'ada'), join(place, 'ben')];
  for (const [name, folder] of [
    ['ada', adas],
    ['ben', bens],
  ] as const) {
    await mkdir(folder);
    const set = await service.call('PUT', `/users/${name}/vault`, { token, json: { folder } });
    assert.equal(set.status, 204);
  }
  assert.deepEqual(await vaults(), [
    'ok',
    'Mitschrift can write to the notes folders of 2 users.',
    undefined,
  ]);
  await rmdir(bens);
  const choose = 'Correct the folder, or choose another one for this user under Settings › People.';
  assert.deepEqual(await vaults(), ['limited', `${bens} of ben doesn’t exist`, choose]);
  await writeFile(bens, '');
  assert.deepEqual(await vaults(), ['limited', `${bens} of ben is not a folder`, choose]);
  await rm(bens);
  await symlink(join(adas), bens);
  const conflict = 'overlaps with the notes folder of another user';
  const both = `${adas} of ada ${conflict}; ${bens} of ben ${conflict}`;
  assert.deepEqual(await vaults(), ['limited', both, choose]);
  const german = await service.call<{ checks: Check[] }>('GET', '/doctor', {
    token,
    headers: { 'Accept-Language': 'de' },
  });
  const { detail, remedy } = german.body.checks.find(({ id }) => id === 'vaults')!;
  assert.match(
    `${detail} ${remedy!.text}`,
    /Notizordner einer anderen Person.*Einstellungen › Personen/u,
  );
});

test('only a model that mends what was found is offered: the one that is named, or one for the language', async (t) => {
  const folder = await tempDir(t);
  const speech = async (env: Record<string, string>) =>
    (await engines(env, [folder])).get('speech')!;
  const none = await speech({});
  assert.match(none.remedy!.command!, / models install /);
  await copyModel('espeak-en', folder);
  assert.equal((await speech({ MITSCHRIFT_STT_LANGUAGE: 'en' })).status, 'ok');
  const known = await speech({ MITSCHRIFT_STT_LOCAL_MODEL: 'parakeet-tdt-0.6b-v3' });
  assert.match(known.detail, /^The model parakeet-tdt-0.6b-v3 isn’t available/);
  assert.deepEqual(known.remedy!.request, {
    method: 'POST',
    path: '/models/parakeet-tdt-0.6b-v3/install',
  });
  const own = await speech({ MITSCHRIFT_STT_LOCAL_MODEL: 'our-own' });
  assert.deepEqual(own.remedy, { text: 'Choose an installed model (`stt.local_model`).' });
  const german = await speech({ MITSCHRIFT_STT_LANGUAGE: 'de' });
  assert.match(german.detail, /^No installed model supports German/);
  assert.match(german.remedy!.command!, / models install /);
  await truncate(join(folder, 'espeak-en', 'model.onnx'), 9);
  const damaged = await speech({});
  assert.match(damaged.detail, /^The model espeak-en is damaged/);
  assert.deepEqual(damaged.remedy, { text: 'Choose an installed model (`stt.local_model`).' });
});

test('a speech server that works on something else is neither missing nor to be restarted', async (t) => {
  const server = await speechServer('whisper.cpp');
  t.after(() => server.close());
  const env = { MITSCHRIFT_STT_BASE_URL: server.url, MITSCHRIFT_STT_BACKEND: 'native' };
  server.faults.push({ do: 'hang' });
  const { status, detail, remedy } = (await engines(env, [], 3000)).get('speech')!;
  assert.deepEqual(
    [status, detail, remedy],
    ['limited', 'Speech recognition is busy: a sample was not transcribed within 3 seconds.', null],
  );
  server.mute = true;
  const mute = (await engines(env, [])).get('speech')!;
  assert.deepEqual([mute.status, mute.remedy], ['limited', null]);
  assert.match(mute.detail, /doesn’t respond; it may be busy transcribing/);
});

test('no command takes a folder of notes away from a person, or the data from the user that they belong to', async (t) => {
  const { service, token } = await withAda(t);
  const folder = join(await tempDir(t), 'vault');
  await mkdir(folder);
  await put(service, token, { notes: { vault: folder } });
  await rmdir(folder);
  await symlink(folder, folder);
  const vault = (await look(service, token)).get('vault')!;
  assert.match(vault.detail, /^Mitschrift can’t write to \S+ \(`notes\.vault`\): ELOOP/);
  assert.deepEqual(vault.remedy, { text: 'Make it writable for the user that runs Mitschrift.' });

  // As root who asks, of the data of the service's own user.
  const handOver = async (...names: string[]) =>
    await chown(join(service.dataDir, ...names), 65_534, 65_534);
  const keys = await readdir(join(service.dataDir, 'keys'));
  const all = [[], ['log'], ['keys'], ...keys.map((key) => ['keys', key])];
  for (const names of all) await handOver(...names);
  const own = (await look(service, token)).get('permissions')!;
  assert.deepEqual([own.status, own.remedy], ['ok', null], own.detail);
  await chown(join(service.dataDir, 'keys', keys[0]!), 0, 0);
  const foreign = (await look(service, token)).get('permissions')!;
  assert.match(foreign.detail, /^These files belong to another user: \S+\/keys\/[\w-]+\.$/);
  assert.equal(foreign.remedy!.command, `sudo chown -R 65534 ${service.dataDir}`);
});

test('a vault that is gone, or no folder, is refused when it is named, and missing when it went later', async (t) => {
  const { service, token } = await withAda(t);
  const vault = async () => (await look(service, token)).get('vault')!;
  const name = async (path: string) => {
    type Answer = { errors?: { path: string; message: string }[] };
    const json = { notes: { vault: path }, documents: { times: false } };
    const { status, body } = await service.call<Answer>('PUT', '/config', { token, json });
    return [status, body.errors?.map(({ message }) => message).join()];
  };
  const place = await tempDir(t);
  const folder = join(place, 'vault');
  const notThere = 'doesn’t exist: create the folder first, or choose another one';
  assert.deepEqual(await name(folder), [422, notThere]);
  await writeFile(join(place, 'file'), '');
  assert.deepEqual(await name(join(place, 'file')), [422, 'is not a folder']);
  assert.match((await vault()).detail, /^No notes folder is set/, 'all of it or nothing');
  await mkdir(folder);
  assert.equal((await name(folder))[0], 200);
  assert.deepEqual(
    [(await vault()).status, (await vault()).detail],
    ['ok', `Mitschrift can write to ${folder}.`],
  );
  await rmdir(folder);
  const gone = [(await vault()).status, (await vault()).detail];
  assert.deepEqual(gone, ['missing', `${folder} doesn’t exist (\`notes.vault\`).`]);
  // What is about something else is saved nevertheless.
  await put(service, token, { documents: { times: true } });
  await writeFile(folder, '');
  assert.match((await vault()).detail, /is not a folder/);
});

/** What is found of engines with these settings, without a service. */
async function engines(env: Record<string, string>, modelsDir: string[], limitMs?: number) {
  const settings = settingsFrom(env);
  const log = { warn() {} };
  const leaseSpeech = async () => {
    const value = await chooseEngine(settings, { modelsDir, log });
    return { value, release: () => void value.close() };
  };
  const parts = { settings, modelsDir, catalogueDir: '/nowhere', leaseSpeech, log };
  const looks = engineLooks(parts).map((one) => ({ ...one, limitMs: limitMs ?? one.limitMs }));
  const found = await lookAtAll(looks, log);
  return new Map(found.map((one) => [one.id as string, checkIn('en', one)]));
}

const numbers = () => JSON.stringify({ numbers: ['one', 'two', 'three'] });

async function withServers(t: TestContext) {
  const speech = await speechServer('openai');
  speech.hear = () => [
    { text: 'one', start: 0.1, end: 0.4 },
    { text: 'two', start: 0.5, end: 0.9 },
  ];
  const language = await startLanguageServer({
    flavour: 'llama.cpp',
    contextTokens: 16_384,
    brain: (prompt) => (/numbers/.test(prompt.user) ? numbers() : wellBehaved(prompt)),
  });
  t.after(() => Promise.all([speech.close(), language.close()]));
  const service = await startService(t, {
    env: {
      MITSCHRIFT_LLM_BASE_URL: language.url,
      MITSCHRIFT_LLM_API_KEY: 'sk-very-secret-key',
      MITSCHRIFT_STT_BASE_URL: speech.url,
    },
  });
  return { service, token: await service.setUp(), language, speech };
}

async function look(service: TestService, token: string): Promise<Map<string, Check>> {
  const { body } = await service.call<{ checks: Check[] }>('GET', '/doctor', { token });
  return new Map(body.checks.map((check) => [check.id, check]));
}

async function put(service: TestService, token: string, json: object): Promise<void> {
  const { status, body } = await service.call('PUT', '/config', { token, json });
  assert.equal(status, 200, JSON.stringify(body));
}
