import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { checkLog } from '../../src/recordings/check-log.ts';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { type ProblemAnswer, startService, withAda } from '../support/http-client.ts';

type Line = {
  id: string;
  revision: string;
  kind: string;
  section: string | null;
  text: string;
  person: string | null;
  due: string | null;
  due_date: string | null;
  done: boolean;
  cites: object[];
  edited_by: string | null;
};
type Summary = {
  abstract: string | null;
  abstract_revision: string;
  revision: string;
  lines: Line[];
  offered: { lines: Line[] } | null;
};
type Recording = {
  state: string;
  summary: Summary;
  version: number;
  documents: { summary: string };
};
type Edited = { summary: Summary; added: string[] };

test('a summary is edited line by line: changed, checked, added, moved, removed, and brought back as it was', async (t) => {
  const { service, id, edit, read, document } = await world(t);
  const before = (await read()).summary;
  assert.deepEqual(
    before.lines.map(({ kind, section, text, person, done, edited_by }) => {
      return [kind, section, text, person, done, edited_by];
    }),
    [
      ['decision', 'Decisions', 'The room opens in March (1).', null, false, null],
      ['task', 'Tasks', 'asks the choir (1)', 'Cleo', false, null],
      ['point', 'Key points', 'The lift is inspected (1).', null, false, null],
    ],
  );
  assert.deepEqual(before.lines[1]!.cites, [{ block: 't-0001' }]);
  const [decision, task, point] = before.lines.map(({ id: line }) => line);
  const changed = await edit([
    { line: decision, text: ' The room opens\n on 6 March. ' },
    { line: task, done: true },
    { add: { text: 'Who pays?', kind: 'open', after: decision } },
    {
      add: {
        text: 'Tell the council',
        kind: 'task',
        person: 'Ben',
        due: '2026-12-04',
        after: task,
      },
    },
  ]);
  assert.equal(changed.status, 200);
  const { summary, added } = changed.body;
  assert.deepEqual(
    summary.lines.map(({ kind, text, person, due_date, done, edited_by }) => {
      return [kind, text, person, due_date, done, edited_by === null];
    }),
    [
      ['decision', 'The room opens on 6 March.', null, null, false, false],
      ['task', 'asks the choir (1)', 'Cleo', null, true, true],
      ['task', 'Tell the council', 'Ben', '2026-12-04', false, false],
      ['open', 'Who pays?', null, null, false, false],
      ['point', 'The lift is inspected (1).', null, null, false, true],
    ],
  );
  assert.equal(added.length, 2);
  const written = await document();
  assert.match(written, /^- The room opens on 6 March\. \[\[/mu);
  assert.match(written, /^- \[x\] Cleo: asks the choir \(1\)/mu);
  assert.match(written, /^- \[ \] Ben: Tell the council 📅 2026-12-04$/mu);

  await edit([
    { line: point, remove: true },
    { line: added[1], after: null },
  ]);
  const less = (await read()).summary;
  assert.deepEqual(
    less.lines.map(({ id: line }) => line),
    [decision, added[1], task, added[0]],
  );
  await edit([{ line: point, remove: false }]);
  // What takes a change back makes it a model's line again.
  await edit([{ line: decision, text: 'The room opens in March (1).' }]);
  const again = (await read()).summary.lines;
  assert.deepEqual(
    [again.find((one) => one.id === point), again.find((one) => one.id === decision)],
    [before.lines[2], before.lines[0]],
  );
  await edit([{ line: 'short', text: 'In my own words.' }]);
  assert.equal((await read()).summary.abstract, 'In my own words.');
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
});

test('an edit of what changed meanwhile, of no line, and without words is refused, and nothing of it is done', async (t) => {
  const { service, token, id, edit, read } = await world(t);
  const before = await read();
  const [decision, task] = before.summary.lines as [Line, Line];
  await edit([{ line: decision.id, text: 'Another one was faster.' }]);
  const refused = async (json: object, status: number, headers: Record<string, string> = {}) => {
    const path = `/recordings/${id}/summary`;
    const answer = await service.call<ProblemAnswer>('PATCH', path, { token, json, headers });
    assert.equal(answer.status, status, JSON.stringify(answer.body));
  };
  const stale = { edits: [{ line: decision.id, text: 'I was slower.' }] };
  await refused(stale, 412, { 'If-Match': `"${before.summary.revision}"` });
  await refused(stale, 412, { 'If-Match': decision.revision });
  const { revision } = decision;
  await refused(
    {
      edits: [
        { line: task.id, done: true },
        { ...stale.edits[0], revision },
      ],
    },
    412,
  );
  await refused({ edits: [{ line: '99-1', text: 'nowhere' }] }, 404);
  await refused({ edits: [{ line: task.id, text: ' \n ' }] }, 422);
  await refused({ edits: [] }, 422);
  await refused({}, 422);
  await refused({ edits: [{ add: { text: 'x'.repeat(4001) } }] }, 422);
  await refused({ offered: 'used' }, 404);
  const now = await read();
  assert.deepEqual(
    now.summary.lines.map(({ text, done }) => [text, done]),
    [
      ['Another one was faster.', false],
      ['asks the choir (1)', false],
      ['The lift is inspected (1).', false],
    ],
  );
  // The line itself is as it was seen, though the summary is not.
  await service.call('PATCH', `/recordings/${id}/summary`, {
    token,
    json: { edits: [{ line: task.id, done: true }] },
    headers: { 'If-Match': task.revision },
  });
  assert.equal((await read()).summary.lines[1]!.done, true);
  await service.addUser('ben');
  const ben = await service.login('ben');
  const others = { token: ben, json: stale };
  assert.equal((await service.call('PATCH', `/recordings/${id}/summary`, others)).status, 404);
});

test('an edit that is sent again with its key is made once, also after a restart', async (t) => {
  const { service, token, id, edit, read, restart } = await world(t);
  const edits = [{ add: { text: 'once', kind: 'task' } }];
  const headers = { 'Idempotency-Key': 'the-command' };
  const answers = await Promise.all([1, 2, 3].map(() => edit(edits, headers)));
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.added]),
    answers.map(() => [200, answers[0]!.body.added]),
  );
  const path = `/recordings/${id}/summary`;
  const other = { token, json: { edits: [{ add: { text: 'twice' } }] }, headers };
  assert.equal((await service.call('PATCH', path, other)).status, 409);
  const second = await restart();
  const repeated = await second.call<Edited>('PATCH', path, { token, json: { edits }, headers });
  assert.deepEqual(repeated.body.added, answers[0]!.body.added);
  assert.equal((await second.call('PATCH', path, other)).status, 409);
  const { summary } = (await second.call<Recording>('GET', `/recordings/${id}`, { token })).body;
  assert.equal(summary.lines.filter(({ text }) => text === 'once').length, 1);
  void read;
});

test('a later summary of a model is offered beside an edited one: a person uses it or keeps theirs, and their lines stay byte for byte', async (t) => {
  const { service, token, id, edit, decide, read, document, reprocess } = await world(t);
  // Nobody edited it: the new one is the summary.
  await reprocess('language-model');
  assert.deepEqual(textsIn((await read()).summary.lines), [
    'The room opens in March (2).',
    'asks the choir (2)',
    'The lift is inspected (2).',
  ]);
  const mine = '  „Änne“ – SPEAKER_1 & *Speaker 1*  ét\u0301é';
  const [decision, task] = (await read()).summary.lines as [Line, Line];
  await edit([
    { line: decision.id, text: mine },
    { line: task.id, done: true },
  ]);
  const edited = (await read()).summary;
  const own = edited.lines[0]!.text;
  assert.equal(own, mine.normalize('NFC').replaceAll(/\s+/gu, ' ').trim());
  for (const from of ['language-model', 'speech-to-text']) {
    await reprocess(from);
    const { summary } = await read();
    assert.deepEqual(textsIn(summary.lines), textsIn(edited.lines), from);
    assert.deepEqual(
      summary.lines.map((line) => line.id),
      edited.lines.map((line) => line.id),
    );
  }
  const { offered } = (await read()).summary;
  const both = [
    own,
    'The room opens in March (4).',
    'asks the choir (2)',
    'asks the choir (4)',
    'The lift is inspected (4).',
  ];
  assert.deepEqual(textsIn(offered!.lines), both);
  assert.equal((await decide('declined')).status, 200);
  const kept = (await read()).summary;
  assert.deepEqual([kept.offered, textsIn(kept.lines)], [null, textsIn(edited.lines)]);
  await reprocess('language-model');
  assert.equal((await decide('used')).status, 200);
  const used = (await read()).summary;
  assert.deepEqual(
    [used.offered, textsIn(used.lines)],
    [null, both.map((text) => text.replace('(4)', '(5)'))],
  );
  assert.equal(used.lines[0]!.edited_by, edited.lines[0]!.edited_by);
  assert.equal(used.lines[2]!.done, true);
  assert.match(await document(), /^- \[x\] Cleo: asks the choir \(2\)/mu);

  // A version has the summary as it was then; what is edited during a run stays too.
  const { body } = await service.call<{ summary: Summary }>('GET', `/recordings/${id}/versions/1`, {
    token,
  });
  assert.deepEqual(textsIn(body.summary.lines)[0], 'The room opens in March (1).');
  await service.call('POST', `/recordings/${id}/versions/1/restore`, { token, json: {} });
  assert.deepEqual(textsIn((await read()).summary.lines)[0], 'The room opens in March (1).');
  service.engines.hold('transcribe');
  await service.call('POST', `/recordings/${id}/reprocess`, {
    token,
    json: { from: 'speech-to-text' },
  });
  const during = (await read()).summary.lines[2]!;
  assert.equal(
    (await edit([{ line: during.id, text: 'Said while it is transcribed.' }])).status,
    200,
  );
  service.engines.releaseAll();
  await service.reaches(id, 'idle.saved');
  const after = (await read()).summary;
  assert.deepEqual(
    [textsIn(after.lines)[2], after.offered === null],
    ['Said while it is transcribed.', false],
  );
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
});

test('lines and tasks that are changed in the Markdown file become edits; the rest is a person’s own document', async (t) => {
  const { service, token, edit, read, document, put } = await world(t);
  const { lines } = (await read()).summary;
  const [decision, task, point] = lines as [Line, Line, Line];
  await edit([{ add: { text: 'Tell the council.', kind: 'task', due: '2026-12-04' } }]);
  const before = await document();
  const checked = before
    .replace('- [ ] Cleo', '- [x] Cleo')
    .replace(/^(- \[x\] Cleo.*)$/mu, '$1 ✅ 2026-12-01')
    .replace('📅 2026-12-04', '📅 2026-12-11')
    .replace('The room opens in March (1).', 'The room \\*opens\\* on 6 March.')
    .replace(/^- The lift.*$/mu, '- Somebody pays.\n- The lift works.');
  const answer = await put(checked);
  assert.deepEqual([answer.status, answer.body.own], [200, false]);
  assert.ok(answer.body.lines >= 4);
  const now = (await read()).summary.lines;
  assert.deepEqual(
    now.map(({ id, kind, text, person, done, due_date }) => [
      id,
      kind,
      text,
      person,
      done,
      due_date,
    ]),
    [
      [decision.id, 'decision', 'The room *opens* on 6 March.', null, false, null],
      [task.id, 'task', 'asks the choir (1)', 'Cleo', true, null],
      [now[2]!.id, 'task', 'Tell the council.', null, false, '2026-12-11'],
      [now[3]!.id, 'point', 'Somebody pays.', null, false, null],
      [point.id, 'point', 'The lift works.', null, false, null],
    ],
  );
  const written = await document();
  assert.match(written, /^- \[x\] Cleo: asks the choir \(1\) \[\[.*\]\]$/mu);
  // The same again changes nothing.
  const same = await put(written);
  assert.deepEqual([same.body.lines, same.body.own], [0, false]);
  // Taken out, put elsewhere, another name.
  const moved = written
    .replace(/^- Somebody pays\.\n/mu, '')
    .replace('Cleo: asks', 'Ben: asks')
    .replace(/^(- \[x\] Ben.*)\n(- \[ \] Tell.*)$/mu, '$2\n$1');
  assert.equal((await put(moved)).body.own, false);
  const last = (await read()).summary.lines;
  assert.deepEqual(
    last.filter(({ kind }) => kind === 'task').map(({ text }) => text),
    ['Tell the council.', 'Ben: asks the choir (1)'],
  );
  assert.equal(
    last.some(({ text }) => text === 'Somebody pays.'),
    false,
  );
  const own = await put(`${await document()}\n\nAnd a paragraph of mine.\n`);
  assert.equal(own.body.own, true);
  assert.match(await document(), /And a paragraph of mine\./u);
  void [service, token];
});

test('exports and search follow what people make of a summary', async (t) => {
  const { service, token, id, edit, read } = await world(t);
  const [, task] = (await read()).summary.lines as [Line, Line];
  await edit([
    { line: task.id, text: 'asks the Zwetschgen choir', done: true },
    { add: { text: 'A paragraph.', kind: 'text', after: null } },
  ]);
  const exported = async (format: string) => {
    const response = await fetch(`${service.url}/recordings/${id}/export?format=${format}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    return await response.text();
  };
  const { summary } = JSON.parse(await exported('json')) as Recording;
  const line = summary.lines.find((one) => one.id === task.id);
  assert.deepEqual([line?.text, line?.done], ['asks the Zwetschgen choir', true]);
  assert.match(
    await exported('txt'),
    /A paragraph\.\n\n(?:.*\n)*- ✓ Cleo: asks the Zwetschgen choir/u,
  );
  const found = await service.call<{ hits: { recording_id: string }[] }>(
    'GET',
    '/search?q=zwetschgen',
    { token },
  );
  assert.deepEqual(
    found.body.hits.map(({ recording_id }) => recording_id),
    [id],
  );
});

test('what is corrected in a turn is corrected in the lines on it, but where a person’s hand is', async (t) => {
  const { service, token, id, edit, read, document, restart } = await world(t);
  const say = (text: string) =>
    service.call('PATCH', `/recordings/${id}/utterances/0`, { token, json: { text } });
  const [decision] = (await read()).summary.lines;
  await edit([{ line: decision!.id, text: 'The choir pays.' }]);
  await say('We ask the choir, and the choir.');
  await say('We ask the choir, and the quire.');
  const texts = async () => textsIn((await read()).summary.lines);
  const before = ['The choir pays.', 'asks the choir (1)', 'The lift is inspected (1).'];
  assert.deepEqual(await texts(), before, 'the old word is still said there');
  await say('We ask the Hofer choir, and the quire.');
  assert.deepEqual(await texts(), before, 'what was only added replaces nothing');
  await say('We ask the Hofer quire, and the quire.');
  const after = ['The choir pays.', 'asks the quire (1)', 'The lift is inspected (1).'];
  assert.deepEqual(await texts(), after);
  await service.reaches(id, 'idle.saved');
  assert.match(await document(), /asks the quire \(1\)/u);
  const found = await service.call<{ hits: object[] }>('GET', '/search?q=quire', { token });
  assert.equal(found.body.hits.length, 1);
  await edit([{ line: (await read()).summary.lines[1]!.id, done: true }]);
  await say('We ask the Hofer choir, and the quire.');
  assert.deepEqual(await texts(), after, 'a task that was done stays as it was then');
  await restart();
  assert.deepEqual(await texts(), after);
});

test('a line that is brought back after the turns were told anew has the name it had, and the passage at its time', async (t) => {
  const { service, token, id, read, edit } = await meeting(t);
  const [first, second, third] = (await read()).summary.lines as [Line, Line, Line];
  assert.deepEqual(
    [first, second, third].map(({ person, cites }) => [person, cites]),
    [1, 2, 3].map(() => ['Anna', [{ block: 't-0001' }]]),
  );
  // One as a model wrote it, and one that a person changed before.
  await edit([{ line: first.id, remove: true }]);
  await edit([
    { line: second.id, text: 'asks the quire' },
    { line: third.id, text: 'pays twice' },
  ]);
  await edit([{ line: second.id, remove: true }]);
  const json = { from: 'speech-to-text' };
  await service.call('POST', `/recordings/${id}/reprocess`, { token, json });
  await service.reaches(id, 'awaiting-speakers');
  const speakers = { SPEAKER_1: 'Ben', SPEAKER_2: 'Anna' };
  await service.named(token, id, speakers);
  const back = await edit([
    { line: second.id, remove: false },
    { line: first.id, remove: false },
    // Its words are the model's again.
    { line: third.id, text: third.text },
  ]);
  assert.equal(back.status, 200);
  assert.deepEqual(
    (await read()).summary.lines.map(({ text, person, cites }) => [text, person, cites]),
    ['brings cake', 'asks the quire', 'pays'].map((text) => [text, 'Anna', [{ block: 't-0002' }]]),
  );
  assert.deepEqual((await checkLog(service.store, id)).differences, []);
});

test('a line has what was corrected in each of several corrections of its turn, on the page as in the document', async (t) => {
  const { service, token, id, edit, read, document, restart } = await world(t);
  for (const text of ['We all asks the choir.', 'We all begs the choir.', 'We all begs the quire.'])
    await service.call('PATCH', `/recordings/${id}/utterances/0`, { token, json: { text } });
  await service.reaches(id, 'idle.saved');
  const task = async () => (await read()).summary.lines[1]!;
  assert.equal((await task()).text, 'begs the quire (1)');
  assert.match(await document(), /begs the quire \(1\)/u);
  const { id: line, revision } = await task();
  const ticked = await edit([{ line, done: true }], { 'If-Match': revision });
  assert.equal(ticked.status, 200);
  await restart();
  assert.equal((await task()).text, 'begs the quire (1)');
});

const textsIn = (lines: readonly Line[]) => lines.map(({ text }) => text);

/** A meeting whose labels are the other voices, and its passages others, when it is transcribed again. */
async function meeting(t: TestContext) {
  type Turn = [id: string, speaker: string, start: number, end: number];
  const told: Turn[][] = [
    [
      ['t-0001', 'SPEAKER_1', 0, 1],
      ['t-0002', 'SPEAKER_2', 1, 2],
    ],
    [
      ['t-0001', 'SPEAKER_1', 0, 0.2],
      ['t-0002', 'SPEAKER_2', 0.2, 1],
      ['t-0003', 'SPEAKER_1', 1, 2],
    ],
  ];
  const turnsOf = ({ sources }: { sources: { run: number } }) =>
    told[sources.run - 1]!.map(([block, speaker, start, end]) => {
      return { id: block, speaker, start, end, text: `Said at ${start}.`, words: [] };
    });
  const join: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'join', concurrency: 1 });
    const speakers = ['SPEAKER_1', 'SPEAKER_2'].map((label) => ({ label, seconds: 1 }));
    const turns = turnsOf(await job.recording());
    const content = { turns, suggestions: [] };
    await job.append({ type: 'turns.joined', data: { speakers }, content });
  };
  const punctuate: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'punctuate', concurrency: 1 });
    const data = { engine: 'scripted', model: null, parts: 1, kept: [] };
    const content = { blocks: turnsOf(await job.recording()) };
    await job.append({ type: 'transcript.punctuated', data, content });
  };
  const summarise: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'summarise', concurrency: 1 });
    const line = { kind: 'task', speaker: 'SPEAKER_1', person: null, due: null } as const;
    const lines = ['brings cake', 'asks the choir', 'pays'].map((text) => {
      return { ...line, text, block: 't-0001' };
    });
    const data = { engine: 'scripted', model: null, parts: 1, language: 'en' };
    await job.append({ type: 'summary.completed', data, content: { text: 'x', lines } });
  };
  const { service, token } = await withAda(t, { stages: { join, punctuate, summarise } });
  const id = await service.settled(token, { kind: 'meeting' });
  await service.named(token, id, { SPEAKER_1: 'Anna', SPEAKER_2: 'Ben' });
  return {
    service,
    token,
    id,
    read: async () => (await service.call<Recording>('GET', `/recordings/${id}`, { token })).body,
    edit: (edits: object[]) =>
      service.call<Edited>('PATCH', `/recordings/${id}/summary`, { token, json: { edits } }),
  };
}

test('in a script without blanks a corrected line of a file stays itself, where the one before it is deleted', async (t) => {
  const { service, id, edit, read, put, document } = await world(t);
  const [decision] = (await read()).summary.lines as [Line];
  const [moved, adopted] = ['会议室三月开放。', '预算今天获得批准。'];
  const { body } = await edit([
    { line: decision.id, text: moved },
    { add: { text: adopted, kind: 'decision', after: decision.id } },
  ]);
  await service.reaches(id, 'idle.saved');
  const markdown = await document();
  const without = markdown.replace(new RegExp(`- ${moved}[^\\n]*\\n`, 'u'), '');
  assert.notEqual(without, markdown);
  assert.equal((await put(without.replace(adopted, '预算昨天获得批准。'))).status, 200);
  const decisions = (await read()).summary.lines.filter(({ kind }) => kind === 'decision');
  assert.deepEqual(
    decisions.map((one) => [one.id, one.text]),
    [[body.added[0], '预算昨天获得批准。']],
  );
});

/** A service with one recording that was summarised; each run says which it is. */
async function world(t: TestContext) {
  const summarise: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'summarise', concurrency: 1 });
    const { run } = (await job.recording()).sources;
    const line = { speaker: null, person: null, due: null, block: 't-0001' };
    const lines = [
      { ...line, kind: 'decision' as const, text: `The room opens in March (${run}).` },
      { ...line, kind: 'task' as const, text: `asks the choir (${run})`, person: 'Cleo' },
      { ...line, kind: 'point' as const, text: `The lift is inspected (${run}).` },
    ];
    await job.append({
      type: 'summary.completed',
      data: { engine: 'language-model', model: 'scripted', parts: 1, language: 'en' },
      content: { text: lines.map(({ text }) => `- ${text}`).join('\n'), lines },
    });
  };
  const stages = { summarise, write: undefined };
  const first = await startService(t, { stages });
  let service = first;
  const token = await service.setUp();
  const json = { llm: { base_url: 'http://127.0.0.1:9' } };
  await service.call('PUT', '/config', { token, json });
  const id = await service.settled(token);
  const path = `/recordings/${id}/summary`;
  const read = async () =>
    (await service.call<Recording>('GET', `/recordings/${id}`, { token })).body;
  const documentPath = async () =>
    `/transcripts/${encodeURIComponent((await read()).documents.summary)}`;
  return {
    service: first,
    token,
    id,
    read,
    edit: (edits: object[], headers: Record<string, string> = {}) =>
      service.call<Edited>('PATCH', path, { token, json: { edits }, headers }),
    decide: (offered: string) => service.call<Edited>('PATCH', path, { token, json: { offered } }),
    document: async () => (await service.call<string>('GET', await documentPath(), { token })).body,
    async put(body: string) {
      const at = await documentPath();
      const etag = (await service.call('GET', at, { token })).headers.get('etag') ?? '';
      const headers = { 'If-Match': etag, 'Content-Type': 'text/markdown' };
      return await service.call<{ lines: number; own: boolean }>('PUT', at, {
        token,
        body,
        headers,
      });
    },
    async reprocess(from: string) {
      await service.call('POST', `/recordings/${id}/reprocess`, { token, json: { from } });
      await service.reaches(id, 'idle.saved');
    },
    async restart() {
      await service.close();
      service = await startService(t, { stages, dataDir: first.dataDir });
      return service;
    },
  };
}
