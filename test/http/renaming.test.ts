import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { startService } from '../support/http-client.ts';
import { startLanguageServer } from '../support/language-servers.ts';
import { wellBehaved, type Prompt } from '../support/language-servers-brains.ts';
import { tempDir } from '../support/temp-dir.ts';

type Recording = {
  status: string;
  state: string;
  version: number;
  title: string;
  summary: { abstract: string; lines: { text: string }[] };
  notes: { code: string }[];
  documents: { index: string; transcript: string; summary: string };
};

test('a summary that mentions a name that is changed is made again after the documents, through a restart, and stays where no model answers', async (t) => {
  const { language, start } = await world(t);
  const first = await start();
  const { id } = first;
  const saved = await first.recording();
  assert.deepEqual(
    [saved.title, saved.summary.lines.map(({ text }) => text)],
    ['Anna plans', ['explains to Anna what is planned']],
  );

  // A name that nothing mentions: the documents alone.
  const asked = language.chats().length;
  await first.rename({ SPEAKER_01: 'Bert' });
  await first.service.reaches(id, 'idle.saved');
  const after = await first.recording();
  assert.deepEqual(
    [after.version, after.summary.lines, language.chats().length, after.notes],
    [2, saved.summary.lines, asked, []],
  );

  // One that it mentions: the documents have the new name though the model does not answer, and take further changes.
  Object.assign(language.faults, { silent: true });
  await first.rename({ SPEAKER_00: 'Eva' });
  await first.service.reaches(id, 'transcribing.retelling.summarising');
  const waiting = await first.recording();
  assert.deepEqual(
    [waiting.version, waiting.title, waiting.summary.lines[0]?.text, waiting.summary.abstract],
    [3, 'Eva plans', 'explains to Eva what is planned', 'Eva speaks. Others listen.'],
  );
  assert.deepEqual(waiting.notes, ['names-replaced']);
  const [indexNow, transcriptNow, summaryNow] = await first.documents();
  assert.match(indexNow!, /^# Eva plans$[^]*^Eva speaks\. Others listen\.$/m);
  assert.match(transcriptNow!, /\*\*Eva\*\* \[00:00:00\]/);
  assert.match(summaryNow!, /explains to Eva what is planned/);
  await first.rename({ SPEAKER_01: 'Ben' });
  await first.service.reaches(id, 'transcribing.retelling.summarising');
  assert.equal((await first.recording()).version, 4);

  await first.service.close();
  delete language.faults.silent;
  const second = await start(first);
  await second.service.reaches(id, 'idle.saved');
  const told = await second.recording();
  assert.deepEqual(
    [told.version, told.title, told.summary.lines[0]?.text, told.notes],
    [5, 'Eva plans', 'explains to Eva what is planned', []],
  );
  const { versions } = (
    await second.get<{ versions: { version: number; why: string[] }[] }>('/versions')
  ).body;
  assert.deepEqual(
    versions.slice(0, 2).map(({ version, why }) => [version, why]),
    [
      [5, ['speakers.renamed']],
      [4, ['speakers.renamed']],
    ],
  );

  // The model refuses: what there is stays, with the name replaced, and says so.
  Object.assign(language.faults, { status: { status: 403, body: '{}' } });
  await second.rename({ SPEAKER_00: 'Ida *I.* [[x]]' });
  await second.service.reaches(id, 'idle.saved');
  const kept = await second.recording();
  assert.deepEqual(
    [kept.version, kept.status, kept.summary.lines[0]?.text],
    [6, 'IDLE', 'explains to Ida *I.* [[x]] what is planned'],
  );
  assert.deepEqual(kept.notes, ['names-replaced']);
  const [index, , summary] = await second.documents();
  assert.match(index!, /Names were changed later/);
  assert.match(summary!, /explains to Ida \\\*I\.\\\* \\\[\\\[x\\\]\\\] what is planned/);

  // Given up while it is made again: nothing of it counts, and the names stay.
  Object.assign(language.faults, { silent: true });
  await second.rename({ SPEAKER_00: 'Eva' });
  await second.service.reaches(id, 'transcribing.retelling.summarising');
  const { status } = await second.post('/cancel');
  assert.equal(status, 200);
  await second.service.reaches(id, 'idle.saved');
  const cancelled = await second.recording();
  assert.deepEqual(
    [cancelled.version, cancelled.summary.lines[0]?.text],
    [7, 'explains to Eva what is planned'],
  );
});

test('`speakers.links` writes names as links in front matter and index; the fact of the save keeps that', async (t) => {
  const { start } = await world(t);
  const { service, token, rename, documents, get } = await start();
  for (const links of [true, false]) {
    const json = { speakers: { links } };
    assert.equal((await service.call('PUT', '/config', { token, json })).status, 200);
    await rename({ SPEAKER_01: links ? 'Bert' : 'Ben' });
    const [index, transcript] = await documents();
    const [, front] = index!.split('---\n');
    assert.equal(front!.includes('"[[Bert]]"'), links);
    assert.equal(/^- \[\[Bert\]\]: [\d:]+/m.test(index!), links);
    assert.match(transcript!, links ? /\*\*Bert\*\*/ : /\*\*Ben\*\*/);
  }
  type Facts = { events: { type: string; data: { links?: boolean } }[] };
  const { events } = (await get<Facts>('/events')).body;
  assert.deepEqual(
    events.filter(({ type }) => type === 'documents.saved').map(({ data }) => data.links),
    [false, true, false],
  );
});

/** A model that mentions the first speaker by name in all it writes. */
function mentioning(prompt: Prompt): string {
  const name = ['Anna', 'Eva', 'Ida'].find((one) => prompt.user.includes(one)) ?? 'Somebody';
  if (/title/i.test(prompt.system)) {
    return JSON.stringify({
      title: `${name} plans`,
      abstract: `${name} speaks. Others listen.`,
    });
  }
  if (!/JSON/u.test(prompt.system)) return wellBehaved(prompt);
  const text = `explains to ${name} what is planned`;
  return JSON.stringify({ lines: [{ turn: 1, kind: 'point', person: null, text, due: null }] });
}

/** A service that asks a stand-in of a language model, with one meeting of Anna and Ben. */
async function world(t: TestContext) {
  const language = await startLanguageServer({ flavour: 'openai', brain: mentioning });
  t.after(() => language.close());
  const dataDir = await tempDir(t);
  const diarize: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'diarize', concurrency: 1 });
    await job.append({
      type: 'diarization.completed',
      data: {
        engine: 'scripted',
        model: null,
        turns: [
          [0, 1, 'SPEAKER_00'],
          [1, 2, 'SPEAKER_01'],
        ],
      },
    });
  };
  const own = {
    punctuate: undefined,
    summarise: undefined,
    entitle: undefined,
    write: undefined,
  };
  const start = async (before?: { id: string; token: string }) => {
    const service = await startService(t, {
      dataDir,
      stages: { diarize, join: undefined, ...own },
    });
    const token = before?.token ?? (await service.setUp());
    if (!before) {
      const json = { llm: { base_url: language.url } };
      assert.equal((await service.call('PUT', '/config', { token, json })).status, 200);
    }
    const id = before?.id ?? (await service.upload(token, { kind: 'meeting' })).body.recording_id;
    if (!before) {
      await service.reaches(id, 'awaiting-speakers');
      await service.named(token, id, { SPEAKER_00: 'Anna', SPEAKER_01: 'Ben' });
    }
    const get = <T>(path = '') => service.call<T>('GET', `/recordings/${id}${path}`, { token });
    /** As it is read; nobody looks for names in this service, which is noted. */
    const recording = async () => {
      const { body } = await get<Recording>();
      const notes = body.notes.map(({ code }) => code);
      return { ...body, notes: notes.filter((code) => code !== 'identification-skipped') };
    };
    return {
      service,
      token,
      id,
      get,
      recording,
      post: (path: string) => service.call('POST', `/recordings/${id}${path}`, { token, json: {} }),
      async rename(speakers: Record<string, string>): Promise<void> {
        const json = { speakers };
        const path = `/recordings/${id}/speakers`;
        const { status } = await service.call('PATCH', path, { token, json });
        assert.equal(status, 200);
      },
      /** Index, transcript and summary as they are read. */
      async documents(): Promise<string[]> {
        const { index, transcript, summary } = (await recording()).documents;
        const texts: string[] = [];
        for (const path of [index, transcript, summary]) {
          const at = `/transcripts/${encodeURIComponent(path)}`;
          texts.push((await service.call<string>('GET', at, { token })).body);
        }
        return texts;
      },
    };
  };
  return { language, start };
}
