import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { summariseStage } from '../../src/recordings/stages/finish.ts';
import { type ProblemAnswer, type TestService, startService } from '../support/http-client.ts';

type Rule = { id: string; enabled: boolean; when: object; then: object };
type Rules = { rules: Rule[] };
type Line = { folder: string | null; tags: string[]; kind: string };
type Tried = {
  looked_at: number;
  fitting: {
    recording_id: string;
    title: string;
    folder: string | null;
    add_tags: string[];
    folder_chosen: boolean;
  }[];
};
type Bulk = { changed: { recording_id: string; before: object }[]; refused: object[] };

/** Somebody with folders, tags, and rules. */
async function sorting(service: TestService, given?: string) {
  const token = given ?? (await service.setUp());
  const post = async <T>(path: string, json: object) =>
    (await service.call<T>('POST', path, { token, json })).body;
  const made = async (path: string, name: string) =>
    (await post<{ id: string }>(path, { name })).id;
  return {
    token,
    post,
    folder: (name: string) => made('/folders', name),
    tag: (name: string) => made('/tags', name),
    rule: (when: object, then: object) => post<Rule>('/rules', { when, then }),
    rules: async () => (await service.call<Rules>('GET', '/rules', { token })).body.rules,
    line: async (id: string) => {
      const { body } = await service.call<Line>('GET', `/recordings/${id}`, { token });
      return { folder: body.folder, tags: body.tags };
    },
    async upload(fields: Record<string, string> = {}, filename = 'talk.wav') {
      return await service.settled(token, fields, { filename });
    },
  };
}

const factsOf = async (service: TestService, id: string) => {
  const facts: { type: string; by: string; command: string; data: object }[] = [];
  for await (const { type, by, command, data } of service.store.read(`recording-${id}`))
    facts.push({ type, by, command, data });
  return facts;
};

test('rules are kept in their order, changed and deleted; what cannot be meant is refused by name', async (t) => {
  const service = await startService(t);
  const { token, folder, tag, rule, rules } = await sorting(service);
  const [board, budget] = [await folder('Board'), await tag('budget')];
  const first = await rule({ said: 'budget' }, { tags: [budget] });
  const second = await rule({ source: 'upload', file_name: ' Board*.wav ' }, { folder: board });
  assert.deepEqual(await rules(), [first, second]);
  assert.deepEqual(second.when, { source: 'upload', file_name: 'Board*.wav' });
  const ordered = await service.call<Rules>('PUT', '/rules/order', {
    token,
    json: { rules: [second.id, first.id] },
  });
  assert.deepEqual(ordered.body.rules, [second, first]);
  for (const ids of [[first.id], [first.id, first.id], [first.id, second.id, 'another']]) {
    const json = { rules: ids };
    const { status, body } = await service.call<ProblemAnswer>('PUT', '/rules/order', {
      token,
      json,
    });
    assert.deepEqual([status, body.type], [412, '/problems/changed-meanwhile']);
  }
  const off = await service.call<Rule>('PATCH', `/rules/${first.id}`, {
    token,
    json: { enabled: false },
  });
  assert.deepEqual(off.body, { ...first, enabled: false });
  assert.deepEqual(await rules(), [second, off.body]);

  const refused: [json: object, path: string, code: string][] = [
    [{ when: {}, then: { folder: board } }, 'when', 'rule-without-condition'],
    [{ when: { said: 'a' }, then: {} }, 'then', 'rule-without-action'],
    [{ when: { said: 'a' }, then: { tags: [] } }, 'then', 'rule-without-action'],
    [{ when: { said: 'a' }, then: { kind: 'solo' } }, 'then.kind', 'rule-too-late'],
    [{ when: { title: 'a' }, then: { language: 'de' } }, 'then.language', 'rule-too-late'],
    [{ when: { kind: 'solo' }, then: { folder: 'another' } }, 'then.folder', 'not-your-folder'],
    [{ when: { kind: 'solo' }, then: { tags: ['another'] } }, 'then.tags', 'not-your-tag'],
    [{ when: { said: 'a' }, then: { template: 'another' } }, 'then.template', 'not-your-template'],
    [
      { when: { title: 'a' }, then: { template: 'meeting' } },
      'then.template',
      'rule-title-too-late',
    ],
    [{ when: { from: '18:00' }, then: { folder: board } }, 'when.to', 'rule-times'],
    [
      { when: { from: '25:00', to: '1' }, then: { folder: board } },
      'when.from',
      'not-a-clock-time',
    ],
  ];
  for (const [json, path, code] of refused) {
    const { status, body } = await service.call<ProblemAnswer>('POST', '/rules', { token, json });
    assert.equal(status, 422, JSON.stringify(json));
    assert.deepEqual([body.errors?.[0]?.path, body.errors?.[0]?.code], [path, code]);
  }
  const ben = await service.addUser('ben');
  const theirs = await service.call('PATCH', `/rules/${first.id}`, {
    token: ben,
    json: { enabled: true },
  });
  assert.equal(theirs.status, 404);
  for (let n = 2; n < 100; n += 1) await rule({ said: `word${n}` }, { tags: [budget] });
  const beyond = await service.call<ProblemAnswer>('POST', '/rules', {
    token,
    json: { when: { kind: 'solo' }, then: { folder: board } },
  });
  assert.deepEqual([beyond.status, beyond.body.type], [409, '/problems/too-many-names']);
  assert.match(beyond.body.detail, /100 rules/);
  assert.equal((await service.call('DELETE', `/rules/${first.id}`, { token })).status, 204);
  assert.equal((await service.call('DELETE', `/rules/${first.id}`, { token })).status, 404);
  await service.close();
  const later = await startService(t, { dataDir: service.dataDir });
  const kept = (await later.call<Rules>('GET', '/rules', { token })).body.rules;
  assert.equal(kept.length, 99);
  assert.deepEqual(kept[0], second);
});

test('new recordings are put in order when they begin and when their words are known, then never again', async (t) => {
  const service = await startService(t);
  const { token, folder, tag, rule, line, upload } = await sorting(service);
  const [board, other, gone] = [await folder('Board'), await folder('Other'), await folder('Gone')];
  const [file, secret] = [await tag('file'), await tag('secret')];
  await rule({ said: 'secret plan' }, { folder: gone, tags: [secret] });
  await rule({ file_name: 'board*' }, { folder: board, tags: [file], kind: 'meeting' });
  await rule({ source: 'upload' }, { folder: other });
  // What a rule says of a folder that is there no more is nothing; the rest of it is done.
  await service.call('DELETE', `/folders/${gone}`, { token });

  const id = (await service.upload(token, {}, { filename: 'Board 3.wav' })).body.recording_id;
  await service.reaches(id, 'awaiting-speakers');
  const [imported, filed, tagged] = await factsOf(service, id);
  assert.deepEqual(
    [imported?.type, filed?.type, tagged?.type],
    ['audio.imported', 'recording.filed', 'tags.changed'],
  );
  assert.equal(imported?.command, tagged?.command, 'one append');
  assert.ok(imported && 'kind' in imported.data);
  assert.equal(imported.data.kind, 'meeting');
  assert.deepEqual(await line(id), { folder: board, tags: [file] });
  await service.named(token, id);
  assert.deepEqual(await line(id), { folder: board, tags: [file, secret] });
  const facts = await factsOf(service, id);
  const late = facts.filter(({ command }) => command === `rules-${id}`);
  assert.deepEqual(
    late.map(({ type, by }) => [type, by]),
    [['tags.changed', 'system']],
  );
  const named = facts.findIndex(({ type }) => type === 'documents.rendered');
  assert.ok(named > facts.indexOf(late[0]!), 'the first documents say so');

  // What a person changes stays, also when it is processed again.
  await service.call('PATCH', `/recordings/${id}`, {
    token,
    json: { folder: null, remove_tags: [secret] },
  });
  const saves = async () =>
    (await factsOf(service, id)).filter(({ type }) => type === 'documents.saved').length;
  const before = await saves();
  await service.reaches(id, 'idle.saved');
  await service.call('POST', `/recordings/${id}/reprocess`, {
    token,
    json: { from: 'language-model' },
  });
  while ((await saves()) < before + 1) await service.reaches(id, 'idle.saved');
  assert.deepEqual(await line(id), { folder: null, tags: [file] });

  // A folder that was chosen, and a kind that was given, hold from the beginning.
  const chosen = await upload({ folder: other, kind: 'solo' }, 'board.wav');
  assert.deepEqual(await line(chosen), { folder: other, tags: [file, secret] });
  assert.equal(
    (await factsOf(service, chosen)).some(({ type }) => type === 'kind.changed'),
    false,
  );
});

test('rules and templates of the former owner have no say in what is handed over while it waits for the language model', async (t) => {
  const [reached, isReached] = gate();
  const [goOn, release] = gate();
  const summarise = summariseStage({
    log: pino({ level: 'silent' }),
    languageModel: async () => null,
    firstRunWaitMs: 0,
    termsOf: async () => [],
    order: { of: async (userId) => await service.services.order.of(userId) },
    uiLanguage: () => 'en',
  });
  const service: TestService = await startService(t, {
    stages: {
      write: undefined,
      async summarise(job) {
        isReached();
        await goOn;
        await summarise(job);
      },
    },
  });
  const { token, folder, tag, rule } = await sorting(service);
  const bens = await service.addUser('ben');
  const [plans, secret] = [await folder('Plans'), await tag('secret')];
  await rule({ said: 'secret plan' }, { folder: plans, tags: [secret], template: 'meeting' });
  const { recording_id: id } = (await service.upload(token)).body;
  await reached;
  const json = { owner: 'ben' };
  const { status } = await service.call('PATCH', `/recordings/${id}`, { token, json });
  assert.equal(status, 200);
  release();
  await service.reaches(id, 'idle.saved');
  const { body } = await service.call<Line>('GET', `/recordings/${id}`, { token: bens });
  assert.deepEqual([body.folder, body.tags], [null, []]);
  const types = (await factsOf(service, id)).map(({ type }) => type);
  const ofRules = types.filter((type) =>
    /^(recording.filed|tags.changed|template.chosen)$/u.test(type),
  );
  assert.deepEqual(ofRules, []);
});

/** A promise, and what fulfils it. */
function gate(): [reached: Promise<void>, open: () => void] {
  let open = () => {};
  const reached = new Promise<void>((resolve) => (open = resolve));
  return [reached, open];
}

test('a rule is tried on what there is, applied to it, and undone', async (t) => {
  const service = await startService(t);
  const { token, post, folder, tag, rule, line, upload } = await sorting(service);
  const ids = [
    await upload({ started_at: '2026-03-01T10:00:00Z' }),
    await upload({ started_at: '2026-03-02T10:00:00Z' }, 'board.wav'),
    await upload({ started_at: '2026-03-03T10:00:00Z' }, 'board 2.wav'),
  ];
  const [one = '', two = '', three = ''] = ids;
  const [board, mine] = [await folder('Board'), await folder('Mine')];
  const secret = await tag('secret');
  await service.call('PATCH', `/recordings/${three}`, { token, json: { folder: mine } });
  const wanted = {
    when: { said: 'secret', file_name: 'BOARD*' },
    then: { folder: board, tags: [secret] },
  };
  const tried = await post<Tried>('/rules/try', { rule: wanted });
  assert.deepEqual(
    [
      tried.looked_at,
      tried.fitting.map(({ title, ...found }) => (assert.equal(title, 'A plan'), found)),
    ],
    [
      3,
      [
        {
          recording_id: three,
          created_at: '2026-03-03T10:00:00.000Z',
          folder: null,
          add_tags: [secret],
          folder_chosen: true,
          template: null,
          template_chosen: false,
        },
        {
          recording_id: two,
          created_at: '2026-03-02T10:00:00.000Z',
          folder: board,
          add_tags: [secret],
          folder_chosen: false,
          template: null,
          template_chosen: false,
        },
      ],
    ],
  );
  assert.equal((await post<Tried>('/rules/try', { rule: wanted, limit: 1 })).looked_at, 1);
  const { status } = await service.call('POST', '/rules/try', {
    token,
    json: { rule: wanted, limit: 201 },
  });
  assert.equal(status, 422);
  assert.deepEqual(await line(two), { folder: null, tags: [] }, 'nothing was changed');

  const { id } = await rule(wanted.when, wanted.then);
  await service.call('PATCH', `/rules/${id}`, { token, json: { enabled: false } });
  const json = { rule: id, recording_ids: [...ids, 'unknown'] };
  const done = await post<Bulk>('/rules/apply', json);
  assert.deepEqual(
    [done.changed.map(({ recording_id }) => recording_id), done.refused.length],
    [[two, three], 1],
  );
  assert.deepEqual(await line(one), { folder: null, tags: [] });
  assert.deepEqual(await line(two), { folder: board, tags: [secret] });
  assert.deepEqual(await line(three), { folder: mine, tags: [secret] });
  const changes = done.changed.map(({ recording_id, before }) => ({ recording_id, ...before }));
  await post('/recordings/bulk', { changes });
  assert.deepEqual(await line(two), { folder: null, tags: [] });
  // Undone by a person: that stays.
  assert.deepEqual((await post<Bulk>('/rules/apply', json)).changed, []);
  const ben = await service.addUser('ben');
  const foreign = await service.call('POST', '/rules/apply', { token: ben, json });
  assert.equal(foreign.status, 404);
});

test('a rule whose making, and whose applying, is asked for again after a restart is done once', async (t) => {
  const service = await startService(t);
  const { token, folder, upload } = await sorting(service);
  const board = await folder('Board');
  const id = await upload({}, 'Board 1.wav');
  const headers = { 'Idempotency-Key': 'k' };
  const json = { when: { file_name: 'Board*' }, then: { folder: board } };
  const wanted = { token, json, headers };
  const first = await service.call<Rule>('POST', '/rules', wanted);
  assert.equal(first.status, 201);
  const applying = {
    token,
    json: { rule: first.body.id, recording_ids: [id] },
    headers: { 'Idempotency-Key': 'k2' },
  };
  const applied = await service.call<Bulk>('POST', '/rules/apply', applying);
  assert.deepEqual(
    applied.body.changed.map((one) => one.recording_id),
    [id],
  );
  await service.reaches(id, 'idle.saved');
  await service.close();
  const later = await startService(t, { dataDir: service.dataDir });
  const again = await later.call<Rule>('POST', '/rules', wanted);
  assert.deepEqual([again.status, again.body], [201, first.body]);
  assert.equal((await later.call<Rules>('GET', '/rules', { token })).body.rules.length, 1);
  const filed = async () =>
    (await factsOf(later, id)).filter(({ type }) => type === 'recording.filed');
  const before = await filed();
  const repeated = await later.call<Bulk>('POST', '/rules/apply', applying);
  assert.deepEqual([repeated.status, repeated.body], [200, applied.body]);
  assert.deepEqual(await filed(), before);
  assert.equal(before.length, 1);
});
