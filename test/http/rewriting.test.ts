import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { checkLog } from '../../src/recordings/check-log.ts';
import { askService } from '../../src/service/control/socket.ts';
import { dataFolder } from '../../src/shared/data-directory.ts';
import { eventually } from '../support/eventually.ts';
import { type ProblemAnswer, withAda } from '../support/http-client.ts';
import { startLanguageServer } from '../support/language-servers.ts';
import { type Prompt, wellBehaved } from '../support/language-servers-brains.ts';
import { ask, meeting, spelledWorld } from '../support/spelled-world.ts';

type Line = { id: string; text: string; edited_by: string | null };
type Recording = {
  title: string;
  state: string;
  language: string | null;
  version: number;
  error: { stage: string } | null;
  notes: { code: string }[];
  summary: { abstract: string; lines: Line[]; offered: { lines: Line[] } | null };
};

test('a summary is written anew as a person wants it: their lines are given, kept byte for byte, and side notes are said to matter', async (t) => {
  const { language, service, token, id, read, rewrite, prompts } = await world(t);
  const first = await read();
  assert.deepEqual(textsOf(first.summary.lines), ['explains what is planned (1)']);
  await rewrite({ length: 'shorter', language: 'de' });
  const second = await read();
  assert.deepEqual(
    [second.title, second.language, textsOf(second.summary.lines), second.summary.offered],
    [first.title, first.language, ['explains what is planned (2)'], null],
  );
  assert.match(prompts().at(-1)!, /Be brief.*in German/su);

  const mine = '„Änne“ – `SPEAKER_00` *pays* <b>';
  const edits = [{ add: { text: mine } }];
  await service.call('PATCH', `/recordings/${id}/summary`, { token, json: { edits } });
  const note = { at: 1, text: 'The lift must work.' };
  await service.call('POST', `/recordings/${id}/sidenotes`, { token, json: note });
  await service.reaches(id, 'idle.saved');
  await rewrite({ length: 'longer' });
  const asked = prompts().at(-1)!;
  assert.match(asked, /Be thorough/u);
  assert.ok(asked.includes('Änne') && asked.includes('pays'));
  assert.ok(asked.includes('The lift must work.'));
  const { summary } = await read();
  assert.deepEqual(textsOf(summary.lines), ['explains what is planned (2)', mine]);
  assert.deepEqual(textsOf(summary.offered!.lines), ['explains what is planned (3)', mine]);
  const used = { token, json: { offered: 'used' } };
  await service.call('PATCH', `/recordings/${id}/summary`, used);
  assert.deepEqual(textsOf((await read()).summary.lines), ['explains what is planned (3)', mine]);

  // A model that refuses: it is said, and what there is stays.
  Object.assign(language.faults, { status: { status: 403, body: '{}' } });
  await service.call('POST', `/recordings/${id}/reprocess`, { token, json: { from: 'summary' } });
  await service.reaches(id, 'error');
  assert.equal((await read()).error?.stage, 'summarise');
  await service.call('POST', `/recordings/${id}/clear`, { token, json: {} });
  assert.deepEqual(textsOf((await read()).summary.lines), ['explains what is planned (3)', mine]);
  const json = { from: 'language-model', length: 'shorter' };
  const refused = await service.call<ProblemAnswer>('POST', `/recordings/${id}/reprocess`, {
    token,
    json,
  });
  assert.equal(refused.status, 422);
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
});

test('a person’s lines stay through a rewriting that was taken back', async (t) => {
  const { service, token, id, read, rewrite } = await world(t);
  const mine = '„Änne“ pays';
  const edits = [{ add: { text: mine } }, { line: 'short', text: 'In short: mine.' }];
  await service.call('PATCH', `/recordings/${id}/summary`, { token, json: { edits } });
  await service.reaches(id, 'idle.saved');
  const before = await read();
  await rewrite({ length: 'shorter' });
  const used = { token, json: { offered: 'used' } };
  await service.call('PATCH', `/recordings/${id}/summary`, used);
  await service.reaches(id, 'idle.saved');
  assert.deepEqual(textsOf((await read()).summary.lines), ['explains what is planned (2)', mine]);
  const { version } = before;
  await service.call('POST', `/recordings/${id}/versions/${version}/restore`, { token, json: {} });
  await service.reaches(id, 'idle.saved');
  const back = await read();
  assert.deepEqual(textsOf(back.summary.lines), ['explains what is planned (1)', mine]);
  assert.deepEqual(editorsOf(back), editorsOf(before));
  assert.equal(back.summary.abstract, 'In short: mine.');
  await rewrite({});
  const again = await read();
  assert.equal(again.summary.abstract, 'In short: mine.');
  assert.deepEqual(textsOf(again.summary.lines), ['explains what is planned (1)', mine]);
  assert.deepEqual(textsOf(again.summary.offered!.lines), ['explains what is planned (3)', mine]);
  await service.call('PATCH', `/recordings/${id}/summary`, used);
  await service.reaches(id, 'idle.saved');
  const last = await read();
  assert.deepEqual(textsOf(last.summary.lines), ['explains what is planned (3)', mine]);
  assert.deepEqual([last.summary.offered, last.summary.abstract], [null, 'In short: mine.']);
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
});

test('a summary that is made again reads the transcript as people corrected it, also in a further run', async (t) => {
  const { service, token, id, rewrite, prompts } = await world(t);
  const path = `/recordings/${id}/utterances/0`;
  const text = 'Hello there. This is the public holiday.';
  assert.equal((await service.call('PATCH', path, { token, json: { text } })).status, 200);
  await service.reaches(id, 'idle.saved');
  for (const from of ['summary', 'language-model']) {
    await rewrite({ from });
    assert.match(prompts().at(-1)!, /public holiday/u, from);
    assert.doesNotMatch(prompts().at(-1)!, /secret plan/u, from);
  }
});

test('what is corrected while a further run asks for a summary is corrected in that, too, and in its abstract', async (t) => {
  const { language, service, token, id, read } = await world(t);
  language.brain = wellBehaved;
  let release = () => {};
  Object.assign(language.faults, { until: new Promise<void>((resolve) => (release = resolve)) });
  const before = language.chats().length;
  const json = { from: 'language-model' };
  await service.call('POST', `/recordings/${id}/reprocess`, { token, json });
  await eventually('the summary is asked for', () =>
    JSON.stringify(language.chats().slice(before)).includes('ummar'),
  );
  const text = 'Hello there. This is the public holiday.';
  const path = `/recordings/${id}/utterances/0`;
  assert.equal((await service.call('PATCH', path, { token, json: { text } })).status, 200);
  release();
  await service.reaches(id, 'idle.saved');
  const { summary } = await read();
  for (const said of [summary.abstract, ...textsOf(summary.lines)]) {
    assert.match(said, /public holiday/iu);
    assert.doesNotMatch(said, /secret plan/iu);
  }
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
});

test('a summary that is made again for a name stays as it was wanted, however often', async (t) => {
  const { language, service, token, id, read, rewrite, prompts } = await world(t, 'Anna');
  const names = ['Anna', 'Eva', 'Ida'];
  const { brain } = language;
  language.brain = (prompt) => {
    const name = names.find((one) => prompt.user.includes(one)) ?? 'Somebody';
    return brain(prompt).replace('explains', `hears what ${name} explains`);
  };
  const name = async (speaker: string) => {
    const json = { speakers: { SPEAKER_1: speaker } };
    const path = `/recordings/${id}/speakers`;
    assert.equal((await service.call('PATCH', path, { token, json })).status, 200);
    await service.reaches(id, 'idle.saved');
  };
  await rewrite({ length: 'shorter', language: 'fr' });
  for (const other of ['Eva', 'Ida']) {
    const before = prompts().length;
    await name(other);
    await eventually('made again', async () => {
      const [line] = (await read()).summary.lines;
      return prompts().length > before && line?.text.includes(`what ${other} explains`) === true;
    });
    await service.reaches(id, 'idle.saved');
    assert.match(prompts().at(-1)!, /Be brief.*in French/su, other);
    const title = language.chats().findLast(({ body }) => /title/iu.test(JSON.stringify(body)));
    assert.ok(JSON.stringify(title?.body).includes('in French'));
  }
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
});

test('after documents were only written again, a summary that is made again for a name stays as it was wanted, and needs no model', async (t) => {
  const { language, service, token, id, read, rewrite, prompts } = await world(t, 'Anna');
  const { brain } = language;
  language.brain = (prompt) => {
    const name = ['Anna', 'Eva'].find((one) => prompt.user.includes(one)) ?? 'Somebody';
    return brain(prompt).replace('explains', `hears what ${name} explains`);
  };
  const patch = (path: string, json: unknown) => service.call('PATCH', path, { token, json });
  await rewrite({ language: 'fr' });
  const { controlSocket } = dataFolder(service.dataDir);
  const again = { recording: id, from: 'write' };
  assert.equal(
    (await askService<{ state: string }>(controlSocket, 'replay-from', again))?.state,
    'idle.saved',
  );
  const before = prompts().length;
  await patch(`/recordings/${id}/speakers`, { speakers: { SPEAKER_1: 'Eva' } });
  await eventually('made again', async () => {
    const { state, summary } = await read();
    return state === 'idle.saved' && textsOf(summary.lines).join().includes('what Eva explains');
  });
  assert.ok(prompts().length > before);
  assert.match(prompts().at(-1)!, /in French/u);

  await askService(controlSocket, 'replay-from', again);
  // Away for longer than anything waits.
  const headers = { 'retry-after': '3600' };
  Object.assign(language.faults, { status: { status: 503, body: '{}', headers } });
  const asked = language.chats().length;
  await patch(`/recordings/${id}/speakers`, { speakers: { SPEAKER_1: 'Ida' } });
  await eventually('asked in vain', async () => {
    return language.chats().length > asked && /^(?:idle|error)/u.test((await read()).state);
  });
  const last = await read();
  assert.equal(last.error, null);
  assert.match(textsOf(last.summary.lines).join(), /explains what is planned/u);
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
});

test('a wish that was cancelled is gone: a summary that is made again after a cut is not in its language, and needs no model', async (t) => {
  const language = await startLanguageServer({ flavour: 'openai' });
  t.after(() => language.close());
  const at = await spelledWorld(t);
  const { service } = at;
  await ask(at, 'PUT', '/config', { llm: { base_url: language.url } });
  const id = await meeting(at, [2, 4, 1, 3]);
  let release = () => {};
  Object.assign(language.faults, { until: new Promise<void>((resolve) => (release = resolve)) });
  const wish = { from: 'summary', language: 'fr' };
  await ask(at, 'POST', `/recordings/${id}/reprocess`, wish);
  await service.reaches(id, 'transcribing.retelling.summarising');
  await ask(at, 'POST', `/recordings/${id}/cancel`, {});
  await service.reaches(id, 'idle.saved');
  release();
  delete language.faults.until;
  const before = language.chats().length;
  await ask(at, 'POST', `/recordings/${id}/cut`, { at: 2 });
  await eventually('made again', () => language.chats().length > before);
  await service.reaches(id, 'idle.saved');
  const prompts = language
    .chats()
    .slice(before)
    .map(({ body }) => JSON.stringify(body));
  assert.ok(prompts.every((prompt) => !prompt.includes('in French')));
  await ask(at, 'PUT', '/config', { llm: { base_url: null } });
  await ask(at, 'POST', `/recordings/${id}/remove`, { from: 0, to: 1 });
  await service.reaches(id, 'idle.saved');
  const { body } = await service.call<Recording>('GET', `/recordings/${id}`, { token: at.token });
  assert.equal(body.error, null);
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
});

test('a summary is written anew whose title the model does not give: the title stays, which is said', async (t) => {
  const { language, service, id, read, rewrite } = await world(t);
  const { title } = await read();
  const { brain } = language;
  language.brain = (prompt) => (/title/iu.test(prompt.system) ? 'Hm.' : brain(prompt));
  await rewrite({ length: 'shorter' });
  const after = await read();
  assert.deepEqual(
    [after.title, textsOf(after.summary.lines)],
    [title, ['explains what is planned (2)']],
  );
  assert.ok(after.notes.some(({ code }) => code === 'title-kept'));
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
});

const editorsOf = ({ summary }: Recording) => summary.lines.map(({ edited_by: by }) => by);

const textsOf = (lines: readonly Line[]) => lines.map(({ text }) => text);

/** A service that asks a stand-in of a language model, which counts how often it was asked for a summary. @param speaker of a meeting */
async function world(t: TestContext, speaker?: string) {
  const asked: string[] = [];
  const brain = (prompt: Prompt): string => {
    if (/title/iu.test(prompt.system) || !/JSON/u.test(prompt.system)) return wellBehaved(prompt);
    asked.push(`${prompt.system}\n${prompt.user}`);
    const text = `explains what is planned (${asked.length})`;
    return JSON.stringify({ lines: [{ turn: 1, kind: 'point', person: null, text, due: null }] });
  };
  const language = await startLanguageServer({ flavour: 'openai', brain });
  t.after(() => language.close());
  const own = { punctuate: undefined, summarise: undefined, entitle: undefined, write: undefined };
  const { service, token } = await withAda(t, { stages: own });
  const json = { llm: { base_url: language.url } };
  assert.equal((await service.call('PUT', '/config', { token, json })).status, 200);
  const fields: Record<string, string> = speaker ? { kind: 'meeting' } : {};
  const id = await service.settled(token, fields);
  if (speaker) await service.named(token, id, { SPEAKER_1: speaker });
  return {
    language,
    service,
    token,
    id,
    prompts: () => asked,
    read: async () => (await service.call<Recording>('GET', `/recordings/${id}`, { token })).body,
    async rewrite(wanted: object) {
      const path = `/recordings/${id}/reprocess`;
      const json = { from: 'summary', ...wanted };
      assert.equal((await service.call('POST', path, { token, json })).status, 202);
      await service.reaches(id, 'idle.saved');
    },
  };
}
