import assert from 'node:assert/strict';
import { test } from 'node:test';
import { speakersAsked } from '../../projections/recording/recording.ts';
import { checkLog } from '../../src/recordings/check-log.ts';
import { anyNumber } from '../../src/shared/speaker-count.ts';
import { type ProblemAnswer, withAda } from '../support/http-client.ts';
import { eventually } from '../support/eventually.ts';
import { minutes, summaries, world } from '../support/summarising-service.ts';

type Id = { id: string };
type Bulk = {
  changed: { recording_id: string; before: { rule_template: string | null } }[];
  refused: { recording_id: string; type: string }[];
};
type Tried = {
  fitting: { recording_id: string; template: string | null; template_chosen: boolean }[];
};

test('a rule chooses the template of the first summary: by how it begins, and by what was said; later runs keep to it', async (t) => {
  const { service, token, template, again, post } = await world(t);
  const { id: mine } = await template(minutes);
  const { id: house } = await post<Id>('/templates?of=house', { ...minutes, name: 'Of the house' });
  const made = (fields: Record<string, string> = {}, filename = 'talk.wav') =>
    service.settled(token, fields, { filename });
  const used = async (id: string) => (await summaries(service, id)).map((one) => one.template?.id);
  await post('/rules', { when: { file_name: 'board*' }, then: { template: house } });
  const said = await post<Id>('/rules', {
    when: { said: 'secret plan' },
    then: { template: mine },
  });
  const byName = await made({}, 'board.wav');
  const byWords = await made();
  assert.deepEqual([await used(byName), await used(byWords)], [[house], [mine]]);
  const chosen = [];
  for await (const { type, data, by } of service.store.read(`recording-${byWords}`))
    if (type === 'template.chosen') chosen.push([data, by]);
  assert.deepEqual(chosen, [[{ template: mine, rule: said.id }, 'system']]);
  // A folder that a person chose says it before any rule; without a template of its own it says nothing.
  const folder = await post<Id>('/folders', { name: 'Portraits', template: 'interview' });
  const plain = await post<Id>('/folders', { name: 'Plain' });
  assert.deepEqual(await used(await made({ folder: folder.id }, 'board.wav')), ['interview']);
  assert.deepEqual(await used(await made({ folder: plain.id }, 'board.wav')), [house]);
  // Later runs keep to it, until a person chooses; nor does a rule that was changed since.
  await service.call('PATCH', `/rules/${said.id}`, {
    token,
    json: { then: { template: 'lecture' } },
  });
  await again({}, byWords);
  assert.deepEqual(await used(byWords), [mine, mine]);
  const filed = await service.call('PATCH', `/recordings/${byWords}`, {
    token,
    json: { folder: folder.id },
  });
  assert.equal(filed.status, 200);
  await eventually('its documents say the folder', async () => {
    const { body } = await service.call<{ refreshing: number }>('GET', '/status', { token });
    return body.refreshing === 0;
  });
  await service.reaches(byWords, 'idle.saved');
  await again({}, byWords);
  assert.equal((await used(byWords)).at(-1), 'interview', 'a person chose the folder since');
  await again({ template: null }, byName);
  await again({}, byName);
  assert.deepEqual(await used(byName), [house, 'general', 'general']);
  // One that was deleted does nothing.
  await service.call('DELETE', `/templates/${house}?of=house`, { token });
  assert.deepEqual(await used(await made({}, 'board.wav')), ['lecture']);
  assert.deepEqual((await checkLog(service.store, byWords)).differences, []);
  assert.deepEqual((await checkLog(service.store, byName)).differences, []);
});

test('the template and the number of speakers of a run that was cancelled hold for no later one', async (t) => {
  const { service, language, token, id, again, post } = await world(t);
  const used = async () => (await summaries(service, id)).at(-1)?.template?.id;
  await again({ template: 'interview' });
  await again({});
  assert.equal(await used(), 'interview', 'asked for once, it holds');
  let release = () => {};
  Object.assign(language.faults, { until: new Promise<void>((resolve) => (release = resolve)) });
  for (const wish of [
    { from: 'summary', template: 'lecture' },
    { from: 'speech-to-text', speakers: 3 },
  ]) {
    await service.call('POST', `/recordings/${id}/reprocess`, { token, json: wish });
    await service.reaches(id, 'transcribing');
    await post(`/recordings/${id}/cancel`, {});
    await service.reaches(id, 'idle.saved');
  }
  release();
  delete language.faults.until;
  await again({});
  assert.equal(await used(), 'interview');
  const { recording } = await service.recordingService.read(id);
  assert.deepEqual(speakersAsked(recording), anyNumber);
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
});

test('a rule about what is said files before the first summary, which the folder’s template makes then', async (t) => {
  const { service, token, post } = await world(t);
  const folder = await post<Id>('/folders', { name: 'Plans', template: 'lecture' });
  await post('/rules', { when: { said: 'secret' }, then: { folder: folder.id } });
  const id = await service.settled(token);
  assert.deepEqual(
    (await summaries(service, id)).map((one) => one.template?.id),
    ['lecture'],
  );
});

test('a rule with a template is tried on what there is, applied for the next summary, and undone', async (t) => {
  const { service, id, again, template, post } = await world(t);
  const { id: mine } = await template(minutes);
  const rule = { when: { said: 'secret' }, then: { template: mine } };
  const tried = async () => {
    const { fitting } = await post<Tried>('/rules/try', { rule });
    return fitting.map((one) => [one.recording_id, one.template, one.template_chosen]);
  };
  assert.deepEqual(await tried(), [[id, mine, false]]);
  const { id: ruleId } = await post<Id>('/rules', rule);
  const apply = () => post<Bulk>('/rules/apply', { rule: ruleId, recording_ids: [id] });
  const { changed } = await apply();
  assert.deepEqual(
    changed.map(({ before }) => before),
    [{ folder: null, tags: [], rule_template: null }],
  );
  // No summary is made for it.
  assert.equal((await summaries(service, id)).length, 1);
  await again({});
  const used = async () => (await summaries(service, id)).at(-1)?.template?.id;
  assert.equal(await used(), mine);
  const changes = changed.map(({ recording_id, before }) => ({ recording_id, ...before }));
  const undone = await post<Bulk>('/recordings/bulk', { changes });
  assert.equal(undone.changed[0]?.before.rule_template, mine);
  await again({});
  assert.equal(await used(), 'general');
  // A person took it back: that stays.
  assert.deepEqual((await apply()).changed, []);
  assert.deepEqual(await tried(), [[id, null, true]]);
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
  const ben = await service.addUser('ben');
  const theirs = await service.call('POST', '/rules', { token: ben, json: rule });
  assert.equal(theirs.status, 422);
});

test('many summaries are made again by a template at once, each once; what is not a template, and too many, are refused', async (t) => {
  const { service, token, id, template, post } = await world(t);
  const { id: mine } = await template(minutes);
  const second = await service.settled(token);
  const bulk = (changes: readonly object[], key?: string) =>
    service.call<Bulk & ProblemAnswer>('POST', '/recordings/bulk', {
      token,
      json: { changes },
      ...(key === undefined ? {} : { headers: { 'Idempotency-Key': key } }),
    });
  const folder = await post<Id>('/folders', { name: 'Board' });
  const changes = [
    { recording_id: id, template: mine, folder: folder.id },
    { recording_id: second, template: mine },
    { recording_id: 'unknown', template: mine },
  ];
  const used = async (of: string) => (await summaries(service, of)).map((one) => one.template?.id);
  for (const _time of [1, 2]) {
    const { body } = await bulk(changes, 'once');
    assert.deepEqual(
      [body.changed.map((one) => one.recording_id), body.refused.map((one) => one.recording_id)],
      [[id, second], ['unknown']],
    );
    await service.reaches(id, 'idle.saved');
    await service.reaches(second, 'idle.saved');
  }
  assert.deepEqual(
    [await used(id), await used(second)],
    [
      ['general', mine],
      ['general', mine],
    ],
  );
  // By the folder's or the kind's again.
  await bulk([{ recording_id: id, template: null }]);
  await service.reaches(id, 'idle.saved');
  assert.deepEqual(await used(id), ['general', mine, 'general']);

  const foreign = await bulk([{ recording_id: id, template: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }]);
  assert.deepEqual(
    foreign.body.refused.map((one) => one.type),
    ['/problems/invalid'],
  );
  const many = Array.from({ length: 51 }, (_, n) => ({ recording_id: `r${n}`, template: mine }));
  const beyond = await bulk(many);
  assert.deepEqual([beyond.status, beyond.body.errors?.[0]?.code], [422, 'summaries-most']);
  const kinds = await bulk([{ recording_id: id, template: mine, kind: 'meeting' }]);
  assert.deepEqual([kinds.status, kinds.body.errors?.[0]?.code], [422, 'kind-or-template']);
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
});

test('without a language model no summary is made again, and nothing of such a change is done', async (t) => {
  const { service, token } = await withAda(t, { overrides: { hasLanguageModel: () => false } });
  const id = await service.settled(token);
  const tag = await service.call<Id>('POST', '/tags', { token, json: { name: 'board' } });
  const changes = [{ recording_id: id, template: 'lecture', add_tags: [tag.body.id] }];
  const { status, body } = await service.call<ProblemAnswer>('POST', '/recordings/bulk', {
    token,
    json: { changes },
  });
  assert.deepEqual([status, body.type], [409, '/problems/no-language-model']);
  const now = await service.call<{ tags: string[] }>('GET', `/recordings/${id}`, { token });
  assert.deepEqual(now.body.tags, []);
});
