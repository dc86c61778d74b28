import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startService, wav, type ProblemAnswer, withAda } from '../support/http-client.ts';

type Recording = {
  owner: string;
  kind: string;
  status: string;
  title: string;
  language: string;
  version: number;
  documents: Record<'index' | 'transcript' | 'summary', string>;
  speakers: { label: string; name: string | null }[];
  speakers_revision: string;
  utterances: { block: string; revision: string; text: string; speaker: string | null }[];
  summary: { abstract: string | null; lines: { text: string }[] };
  notes: { code: string; params?: unknown; text: string }[];
  ledger: { unplaced_corrections: { after: string }[] } | null;
};
type Versions = { versions: { version: number; why: string[]; title: string; current: boolean }[] };

test('PATCH /recordings/{id}: a new title keeps the file names, the old one becomes an alias', async (t) => {
  const { service, token, id, read, recording } = await saved(t);
  const before = await recording();
  const json = { title: 'Second thoughts', language: 'de' };
  const changed = await service.call<Recording>('PATCH', `/recordings/${id}`, { token, json });
  assert.deepEqual([changed.status, changed.body.title], [200, 'Second thoughts']);
  const after = await recording();
  assert.deepEqual(after.documents, before.documents);
  assert.deepEqual([after.language, after.version], ['de', before.version + 1]);
  const index = await read('index');
  assert.match(index, /^# Second thoughts$/m);
  assert.match(index, /aliases:\n {2}- "Second thoughts"\n {2}- "A plan"\n/);
  // What is so already is no change.
  const again = await service.call<Recording>('PATCH', `/recordings/${id}`, { token, json });
  assert.equal(again.body.version, after.version);
  // A later run does not take a person's title back.
  await service.call('POST', `/recordings/${id}/reprocess`, { token });
  await service.reaches(id, 'idle.saved');
  assert.equal((await recording()).title, 'Second thoughts');
});

test('PATCH …/utterances/{index}: words and speaker; the documents follow, and a run takes neither back', async (t) => {
  const { service, token, id, read, recording } = await saved(t, 'meeting');
  const utterance = (index: number, json: object) =>
    service.call<ProblemAnswer>('PATCH', `/recordings/${id}/utterances/${index}`, { token, json });
  assert.equal((await utterance(1, { text: 'This is the open plan.' })).status, 200);
  assert.equal((await utterance(0, { speaker: 'Grace' })).status, 200);
  assert.match(
    await read('transcript'),
    /^\*\*Speaker 2\*\* \[00:00:01\] This is the open plan\. \^t-0002$/m,
  );
  assert.match(await read('transcript'), /^\*\*Grace\*\* \[00:00:00\] Hello there\. \^t-0001$/m);
  for (const from of ['language-model', 'speech-to-text']) {
    await service.call('POST', `/recordings/${id}/reprocess`, { token, json: { from } });
    // Nobody was named, so it asks once more.
    await service.reaches(id, 'awaiting-speakers');
    await service.named(token, id);
    const { utterances, speakers, ledger } = await recording();
    assert.equal(utterances[1]?.text, 'This is the open plan.', from);
    const grace = speakers.find(({ label }) => label === utterances[0]?.speaker);
    assert.deepEqual([grace?.name, ledger], ['Grace', null], from);
  }
  assert.equal((await utterance(7, { text: 'x' })).status, 404);
  assert.equal((await utterance(0, { colour: 'x' })).status, 422);
});

test('an own transcript that is sent again takes back nothing that was corrected on the page since', async (t) => {
  const { service, token, id, read, recording } = await saved(t, 'meeting');
  const path = `/transcripts/${encodeURIComponent((await recording()).documents.transcript)}`;
  const send = async (body: string) => {
    const etag = (await service.call('GET', path, { token })).headers.get('etag') ?? '';
    const headers = { 'If-Match': etag, 'Content-Type': 'text/markdown' };
    return service.call<{ own: boolean; corrections: number }>('PUT', path, {
      token,
      body,
      headers,
    });
  };
  const own = `${await read('transcript')}\nMine.\n`;
  assert.deepEqual((await send(own)).body.own, true);
  const json = { text: 'This is the open plan.' };
  await service.call('PATCH', `/recordings/${id}/utterances/1`, { token, json });
  await service.reaches(id, 'idle.saved');
  const again = await send(own.replace('Hello there.', 'Hello here.'));
  assert.deepEqual([again.body.own, again.body.corrections], [true, 1]);
  const { utterances } = await recording();
  assert.deepEqual(
    utterances.map(({ text }) => text),
    ['Hello here.', 'This is the open plan.'],
  );
});

test('by block: a correction, a cut and a joining reach their turn wherever it is by now, and only as it was seen', async (t) => {
  const { service, token, id, recording } = await saved(t, 'meeting');
  const path = `/recordings/${id}/utterances`;
  const call = (method: string, below: string, json: object, seen?: string) =>
    service.call<ProblemAnswer>(method, path + below, {
      token,
      json,
      headers: seen === undefined ? {} : { 'If-Match': seen },
    });
  const texts = async () => (await recording()).utterances.map(({ text }) => text);
  const [first, second] = (await recording()).utterances;
  // What was meant stands at another place after the first turn was cut.
  assert.equal((await call('POST', `/${first!.block}/split`, { word: 1 })).status, 200);
  const half = (await recording()).utterances[1]!.block;
  const seen = `"${second!.revision}"`;
  assert.equal(
    (await call('PATCH', `/${second!.block}`, { text: 'An open plan.' }, seen)).status,
    200,
  );
  assert.deepEqual(await texts(), ['Hello', 'there.', 'An open plan.']);
  // What says something else by now is not changed, cut or joined, one by one or among many.
  const stale = [
    call('PATCH', `/${second!.block}`, { text: 'x' }, seen),
    call('POST', `/${first!.block}/split`, { word: 1 }, `"${first!.revision}"`),
    call('POST', `/${first!.block}/merge`, {}, `"${first!.revision}"`),
    call('POST', `/${first!.block}/merge`, { next: second!.block }),
    call('PATCH', '', { edits: [{ block: second!.block, revision: second!.revision, text: 'x' }] }),
    call('PATCH', '', { edits: [{ block: second!.block, text: 'x' }] }),
  ];
  for (const answer of await Promise.all(stale)) assert.equal(answer.status, 412);
  assert.equal((await call('PATCH', '/t-0099', { text: 'x' })).status, 404);
  assert.equal(
    (await call('PATCH', '', { edits: [{ index: 0, block: half, text: 'x' }] })).status,
    422,
  );
  assert.deepEqual(await texts(), ['Hello', 'there.', 'An open plan.']);
  // The revision of now, or the tag of the whole, or a place as ever.
  const now = (await recording()).utterances;
  const edits = now.map(({ block, revision }, at) => ({ block, revision, text: `Turn ${at}.` }));
  assert.equal((await call('PATCH', '', { edits })).status, 200);
  const whole = await service.call<Recording>('GET', `/recordings/${id}`, { token });
  const tag = whole.headers.get('ETag')!;
  assert.equal((await call('POST', `/${first!.block}/merge`, { next: half }, tag)).status, 200);
  assert.deepEqual(await texts(), ['Turn 0. Turn 1.', 'Turn 2.']);
  assert.equal((await call('POST', '/0/merge', {}, tag)).status, 412);
  assert.equal((await call('POST', '/0/merge', {})).status, 200);
});

test('PATCH …/utterances: many at once, all or none, in one version, by what they said when they were read', async (t) => {
  const { service, token, id, recording, read } = await saved(t, 'meeting');
  const path = `/recordings/${id}`;
  const edit = (edits: object[], seen?: string | null) =>
    service.call<ProblemAnswer>('PATCH', `${path}/utterances`, {
      token,
      json: { edits },
      headers: seen ? { 'If-Match': seen } : {},
    });
  const before = await service.call<Recording>('GET', path, { token });
  const tag = before.headers.get('ETag');
  const texts = ({ utterances }: Recording) => utterances.map(({ text }) => text);
  const both = [
    { index: 0, text: 'Hello here.' },
    { index: 1, text: 'This is the open plan.', speaker: 'Grace' },
  ];
  // None where one cannot be: an index that is not there, one given twice, turns that are others by now.
  assert.equal((await edit([both[0]!, { index: 9, text: 'x' }], tag)).status, 404);
  assert.equal((await edit([both[0]!, both[0]!], tag)).status, 422);
  assert.equal((await edit(both)).status, 412);
  assert.equal((await edit(both, '"0"')).status, 412);
  assert.deepEqual(texts(await recording()), texts(before.body));
  const done = await edit(both, tag);
  assert.equal(done.status, 200);
  const after = await recording();
  assert.deepEqual(texts(after), ['Hello here.', 'This is the open plan.']);
  assert.equal(after.version, before.body.version + 1);
  assert.match(await read('transcript'), /^\*\*Grace\*\* \[00:00:01\] This is the open plan\./m);
  assert.equal((await edit(both, tag)).status, 412, 'they are others by now');
  // Taken back with the tag that the answer gave.
  const back = before.body.utterances.map(({ text, speaker }, index) => ({ index, text, speaker }));
  assert.equal((await edit(back, done.headers.get('ETag'))).status, 200);
  assert.deepEqual(
    (await recording()).utterances.map(({ text, speaker }) => [text, speaker]),
    before.body.utterances.map(({ text, speaker }) => [text, speaker]),
  );
});

test('a run that fails leaves documents and corrections as they are, and the next one carries them over', async (t) => {
  const { service, token, id, read, recording } = await saved(t);
  const path = `/recordings/${id}/utterances/0`;
  await service.call('PATCH', path, { token, json: { text: 'Hello over there.' } });
  const all = async () => {
    const { utterances, title, version } = await recording();
    return [{ utterances, title, version }, await read('index'), await read('transcript')];
  };
  const before = await all();
  for (const [from, stage] of [
    ['language-model', 'summarise'],
    ['speech-to-text', 'transcribe'],
  ] as const) {
    service.engines.fail(stage);
    await service.call('POST', `/recordings/${id}/reprocess`, { token, json: { from } });
    await service.reaches(id, 'error');
    assert.deepEqual([await read('index'), await read('transcript')], before.slice(1), from);
    await service.call('POST', '/toggle', { token, json: { action: 'reset' } });
    await service.reaches(id, 'idle.saved');
    assert.deepEqual(await all(), before);
    service.engines.mend(stage);
  }
  await service.call('POST', `/recordings/${id}/reprocess`, {
    token,
    json: { from: 'speech-to-text' },
  });
  await service.reaches(id, 'idle.saved');
  assert.equal((await recording()).utterances[0]!.text, 'Hello over there.');
  assert.equal((await recording()).ledger?.unplaced_corrections.length ?? 0, 0);
});

test('PATCH …/speakers: names afterwards, without asking an engine', async (t) => {
  const { service, token, id, read, recording } = await saved(t, 'meeting');
  const patch = (speakers: object, seen?: string) =>
    service.call<ProblemAnswer>('PATCH', `/recordings/${id}/speakers`, {
      token,
      json: { speakers },
      headers: seen === undefined ? {} : { 'If-Match': seen },
    });
  const { speakers_revision: first } = await recording();
  for (const stage of ['transcribe', 'punctuate', 'summarise', 'entitle'] as const) {
    service.engines.fail(stage);
  }
  assert.equal((await patch({ SPEAKER_1: 'Ada', SPEAKER_2: 'Ben' })).status, 200);
  assert.match(await read('transcript'), /^\*\*Ada\*\* .*\n\n\*\*Ben\*\* /m);
  assert.equal((await patch({ SPEAKER_2: '' })).status, 200);
  assert.deepEqual(
    (await recording()).speakers.map(({ name }) => name),
    ['Ada', null],
  );
  assert.equal((await patch({ SPEAKER_9: 'Nobody' })).status, 422);

  // Names are given to the labels that were seen: a correction leaves them what they are, another transcript does not.
  const path = `/recordings/${id}/utterances/0`;
  await service.call('PATCH', path, { token, json: { text: 'Hello again.' } });
  assert.equal((await patch({ SPEAKER_2: 'Ben' }, first)).status, 200);
  for (const stage of ['transcribe', 'punctuate', 'summarise', 'entitle'] as const) {
    service.engines.mend(stage);
  }
  const json = { from: 'speech-to-text' };
  await service.call('POST', `/recordings/${id}/reprocess`, { token, json });
  await service.reaches(id, 'awaiting-speakers');
  await service.named(token, id);
  const late = await patch({ SPEAKER_2: 'Cleo' }, first);
  assert.deepEqual([late.status, late.body.type], [412, '/problems/changed-meanwhile']);
  const { speakers_revision: now, speakers } = await recording();
  assert.deepEqual(
    speakers.map(({ name }) => name),
    [null, null],
  );
  assert.equal((await patch({ SPEAKER_2: 'Cleo' }, now)).status, 200);
});

test('a file changed by a person on disk is kept, also when a title changes', async (t) => {
  const { service, token, id, recording, space } = await saved(t);
  const { documents } = await recording();
  const path = join(space, documents.summary);
  await writeFile(path, `${await readFile(path, 'utf8')}\nMy own remark.\n`);
  await service.call('PATCH', `/recordings/${id}`, { token, json: { title: 'Other' } });
  assert.match(await readFile(path, 'utf8'), /My own remark\./);
  const { notes } = await recording();
  assert.deepEqual(
    notes.map(({ code, params }) => [code, params]),
    [['edited', { documents: ['summary'] }]],
  );
});

test('PUT /transcripts/{filename}: corrections by block id; anything else is kept as an own version', async (t) => {
  const { service, token, id, read, recording, put } = await saved(t, 'meeting');
  const first = await read('transcript');
  const edited = first
    .replace('Hello there.', 'Hello \\*everybody\\*.')
    .replace('**Speaker 2**', '**Ben**');
  const answer = await put('transcript', edited);
  assert.deepEqual(
    [answer.status, answer.body['corrections'], answer.body['own']],
    [200, 2, false],
  );
  const row = await recording();
  assert.equal(row.utterances[0]?.text, 'Hello *everybody*.');
  assert.ok(row.speakers.some(({ name }) => name === 'Ben'));
  const second = await read('transcript');
  assert.equal(second.split('– Transcript\n')[1], edited.split('– Transcript\n')[1]);

  // The ETag of before is not the one there is any more.
  const late = await put('transcript', first, '"0"');
  assert.deepEqual([late.status, late.body['type']], [412, '/problems/changed-meanwhile']);

  const own = `${second}\nA paragraph of my own.\n`;
  assert.equal((await put('transcript', own)).body['own'], true);
  assert.equal(await read('transcript'), own);
  assert.ok((await recording()).notes.some(({ code }) => code === 'edited'));
  await service.call('PATCH', `/recordings/${id}`, { token, json: { language: 'fr' } });
  assert.equal(await read('transcript'), own, 'it stays through later versions');
  await service.call('PATCH', `/recordings/${id}`, { token, json: { language: 'en' } });
  assert.equal((await put('summary', '# Mine')).body['own'], true);
  assert.equal(await read('summary'), '# Mine');

  // Sent without what was added, it is ours again.
  const back = await put('transcript', second);
  assert.deepEqual([back.body['own'], back.body['corrections']], [false, 0]);
  // Times are not the text's: whoever takes them out corrects nothing.
  assert.match(second, /\*\* \[00:00:00\] /);
  const bare = await put('transcript', second.replaceAll(/(?<=\*\* )\[[\d:]+\] /g, ''));
  assert.deepEqual([bare.body['own'], bare.body['corrections']], [false, 0]);
  await service.call('PATCH', `/recordings/${id}`, { token, json: { title: 'Other' } });
  assert.match(await read('transcript'), /title: "?Other/);
});

test('PUT of a summary with more lines than one may have is kept as an own version', async (t) => {
  const { service, token, id, read, put } = await saved(t);
  const json = { edits: [{ add: { kind: 'point', text: 'A point.' } }] };
  const added = await service.call('PATCH', `/recordings/${id}/summary`, { token, json });
  assert.equal(added.status, 200);
  const lines = Array.from({ length: 5000 }, (_, at) => `- Something else, ${at}.`);
  const own = `${await read('summary')}${lines.join('\n')}\n`;
  const answer = await put('summary', own);
  assert.deepEqual([answer.status, answer.body['own']], [200, true]);
  assert.equal(await read('summary'), own);
});

test('PUT of what is no Markdown, of nobody’s document, or without If-Match is refused', async (t) => {
  const { service, token, read, recording } = await saved(t);
  const path = `/transcripts/${encodeURIComponent((await recording()).documents.transcript)}`;
  const send = (target: string, headers: Record<string, string>) =>
    service.call<ProblemAnswer>('PUT', target, { token, body: 'text', headers });
  const markdown = { 'Content-Type': 'text/markdown' };
  assert.equal((await send(path, { 'Content-Type': 'application/json' })).status, 415);
  assert.equal((await send(path, markdown)).status, 412);
  assert.equal((await send('/transcripts/none.md', markdown)).status, 404);
  assert.equal((await send('/transcripts/..%2fnone.md', markdown)).status, 403);
  assert.match(await read('transcript'), /Hello there\./);
});

test('DELETE /transcripts/{filename}: with the index all three go, the recording stays and can be had again', async (t) => {
  const { service, token, id, recording } = await saved(t);
  const { documents } = await recording();
  const path = (name: keyof typeof documents) =>
    `/transcripts/${encodeURIComponent(documents[name])}`;
  const statusOf = async (name: keyof typeof documents) =>
    (await service.call('GET', path(name), { token })).status;
  assert.equal((await service.call('DELETE', path('summary'), { token })).status, 204);
  assert.deepEqual(
    [await statusOf('summary'), await statusOf('transcript'), await statusOf('index')],
    [404, 200, 200],
  );
  assert.equal((await service.call('DELETE', path('index'), { token })).status, 204);
  assert.deepEqual([await statusOf('transcript'), await statusOf('index')], [404, 404]);
  assert.equal((await service.call('DELETE', path('index'), { token })).status, 404);
  const after = await recording();
  assert.deepEqual([after.status, after.documents], ['IDLE', null]);
  const library = await service.call<{ transcripts: [] }>('GET', '/transcripts', { token });
  assert.deepEqual(library.body.transcripts, []);
  await service.call('POST', `/recordings/${id}/versions/1/restore`, { token });
  assert.deepEqual((await recording()).documents, documents);
  assert.equal(await statusOf('transcript'), 200);
});

test('GET …/versions tells them all and why; …/restore switches back, also across runs', async (t) => {
  const { service, token, id, read, recording } = await saved(t);
  const first = await read('transcript');
  await service.call('PATCH', `/recordings/${id}/utterances/0`, { token, json: { text: 'Bye.' } });
  await service.call('PATCH', `/recordings/${id}`, { token, json: { title: 'Other' } });
  await service.call('POST', `/recordings/${id}/reprocess`, { token });
  await service.reaches(id, 'idle.saved');
  const { versions } = (
    await service.call<Versions>('GET', `/recordings/${id}/versions`, { token })
  ).body;
  assert.deepEqual(
    versions.map(({ version, why, title, current }) => [version, why, title, current]),
    [
      [4, ['reprocessing.requested'], 'Other', true],
      [3, ['title.changed'], 'Other', false],
      [2, ['turn.edited'], 'A plan', false],
      [1, ['audio.imported'], 'A plan', false],
    ],
  );
  const version = async (number: number | string) =>
    await service.call<Recording>('GET', `/recordings/${id}/versions/${number}`, { token });
  const present = await recording();
  const newest = (await version(4)).body;
  for (const part of ['title', 'utterances', 'speakers', 'summary', 'notes'] as const) {
    assert.deepEqual(newest[part], present[part], part);
  }
  const earlier = await Promise.all([1, 2, 3].map(version));
  assert.deepEqual(
    earlier.map(({ body }) => [body.title, body.utterances[0]?.text]),
    [
      ['A plan', 'Hello there.'],
      ['A plan', 'Bye.'],
      ['Other', 'Bye.'],
    ],
  );
  for (const unknown of [0, 5, 'x']) assert.equal((await version(unknown)).status, 404);
  const restored = await service.call<Recording>('POST', `/recordings/${id}/versions/1/restore`, {
    token,
  });
  assert.deepEqual([restored.status, restored.body.version], [200, 5]);
  assert.equal(await read('transcript'), first);
  const row = await recording();
  assert.deepEqual([row.utterances[0]?.text, row.title], ['Hello there.', 'A plan']);
  // What was corrected in a restored version counts like any correction.
  await service.call('PATCH', `/recordings/${id}/utterances/0`, {
    token,
    json: { text: 'Hi there.' },
  });
  await service.call('POST', `/recordings/${id}/reprocess`, { token });
  await service.reaches(id, 'idle.saved');
  assert.equal((await recording()).utterances[0]?.text, 'Hi there.');
  const none = await service.call('POST', `/recordings/${id}/versions/9/restore`, { token });
  assert.equal(none.status, 404);
});

test('an administrator hands a recording over: its documents move, a person’s own among them', async (t) => {
  const { service, token, id, recording, space } = await saved(t);
  const ben = await service.addUser('ben');
  const { documents } = await recording();
  const path = join(space, documents.summary);
  await writeFile(path, 'Mine.');
  const byBen = await service.call('PATCH', `/recordings/${id}`, {
    token: ben,
    json: { owner: 'ben' },
  });
  assert.equal(byBen.status, 404);
  const answer = await service.call('PATCH', `/recordings/${id}`, {
    token,
    json: { owner: 'ben' },
  });
  assert.equal(answer.status, 200);
  const theirs = await service.call<Recording>('GET', `/recordings/${id}`, { token: ben });
  assert.equal(theirs.status, 200);
  const read = async (name: keyof typeof documents, who: string) =>
    service.call<string>('GET', `/transcripts/${encodeURIComponent(theirs.body.documents[name])}`, {
      token: who,
    });
  assert.match((await read('transcript', ben)).body, /Hello there\./);
  assert.equal((await read('summary', ben)).body, 'Mine.');
  assert.equal((await read('transcript', token)).status, 404);
  await assert.rejects(readFile(path), { code: 'ENOENT' });
  assert.equal((await service.call('GET', `/recordings/${id}`, { token })).status, 404);
  const mine = await service.call<{ recordings: [] }>('GET', '/recordings', { token });
  assert.deepEqual(mine.body.recordings, []);
  // Who has no administrator's rights cannot give a recording away.
  const away = await service.call<ProblemAnswer>('PATCH', `/recordings/${id}`, {
    token: ben,
    json: { owner: 'ada' },
  });
  assert.deepEqual([away.status, away.body.type], [403, '/problems/not-admin']);
});

test('DELETE /recordings/{id}: in any state, and nothing of it is there any more', async (t) => {
  const { service, token, id, recording } = await saved(t);
  const { documents } = await recording();
  service.engines.hold('punctuate');
  await service.call('POST', `/recordings/${id}/reprocess`, { token });
  const erased = await service.call('DELETE', `/recordings/${id}`, { token });
  assert.deepEqual([erased.status, erased.body], [204, '']);
  for (const path of ['', '/events', '/versions']) {
    assert.equal((await service.call('GET', `/recordings/${id}${path}`, { token })).status, 404);
  }
  for (const path of Object.values(documents)) {
    const answer = await service.call('GET', `/transcripts/${encodeURIComponent(path)}`, { token });
    assert.equal(answer.status, 404);
  }
  const lists = await service.call<{ recordings: [] }>('GET', '/recordings', { token });
  assert.deepEqual(lists.body.recordings, []);
  const library = await service.call<{ transcripts: [] }>('GET', '/transcripts', { token });
  assert.deepEqual(library.body.transcripts, []);
  assert.equal((await service.call('DELETE', `/recordings/${id}`, { token })).status, 404);
  const events = await service.call<{ events: { stream: string; content?: object }[] }>(
    'GET',
    '/events?limit=200',
    { token },
  );
  const own = events.body.events.filter(({ stream }) => stream === `recording-${id}`);
  assert.ok(own.length > 5 && own.every(({ content }) => content === undefined));
});

test('a guest’s recording is an administrator’s to see and to hand over', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const path = join(service.dataDir, 'guest.wav');
  await writeFile(path, wav());
  const { recordingId: id } = await service.recordingService.importAudio({
    path,
    filename: 'guest.wav',
    owner: 'guest',
    by: 'guest',
    command: 'guest',
    kind: 'solo',
    language: null,
    speakers: null,
  });
  await service.reaches(id, 'idle.saved');
  const theirs = `/recordings/${id}`;
  assert.equal((await service.call('GET', theirs, { token: ben })).status, 404);
  const nobody = await service.call('PATCH', theirs, { token, json: { owner: 'nobody' } });
  assert.equal(nobody.status, 422);
  assert.equal(
    (await service.call('PATCH', theirs, { token, json: { owner: 'ben' } })).status,
    200,
  );
  assert.equal((await service.call('GET', theirs, { token: ben })).status, 200);
});

test('what others have is not there to be changed', async (t) => {
  const { service, id } = await saved(t);
  const ben = await service.addUser('ben');
  for (const [method, path, json] of [
    ['PATCH', '', { title: 'x' }],
    ['PATCH', '/utterances/0', { text: 'x' }],
    ['PATCH', '/speakers', { speakers: {} }],
    ['GET', '/versions', undefined],
    ['POST', '/versions/1/restore', {}],
    ['DELETE', '', undefined],
  ] as const) {
    const answer = await service.call(method, `/recordings/${id}${path}`, { token: ben, json });
    assert.equal(answer.status, 404, `${method} ${path}`);
  }
});

async function saved(t: Parameters<typeof startService>[0], kind: 'solo' | 'meeting' = 'solo') {
  const { service, token } = await withAda(t);
  const id = await service.settled(token, { kind });
  if (kind === 'meeting') await service.named(token, id);
  const recording = async () =>
    (await service.call<Recording>('GET', `/recordings/${id}`, { token })).body;
  const pathOf = async (name: keyof Recording['documents']) =>
    `/transcripts/${encodeURIComponent((await recording()).documents[name])}`;
  const get = async (name: keyof Recording['documents']) =>
    service.call<string>('GET', await pathOf(name), { token });
  return {
    service,
    token,
    id,
    recording,
    space: join(service.dataDir, 'spaces', service.accounts.findUser('ada')!.userId),
    read: async (name: keyof Recording['documents']) => (await get(name)).body,
    async put(name: keyof Recording['documents'], body: string, etag?: string) {
      const match = etag ?? (await get(name)).headers.get('etag') ?? '';
      const headers = { 'If-Match': match, 'Content-Type': 'text/markdown' };
      return service.call('PUT', await pathOf(name), { token, body, headers });
    },
  };
}
