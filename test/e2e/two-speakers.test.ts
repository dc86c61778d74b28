import assert from 'node:assert/strict';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { speechRate } from '../../src/audio/wav.ts';
import { browserClient } from '../support/browser-client.ts';
import { eventually } from '../support/eventually.ts';
import { wordErrorRate } from '../support/espeak.ts';
import { linesOf, synthesise } from '../support/dialogues.ts';
import { modelsDir } from '../support/models.ts';
import {
  type ServiceProcess,
  apiOf,
  setUp,
  startServiceProcess,
  watchUntil,
} from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

type Speaker = {
  label: string;
  shown: string;
  suggested_name: string | null;
  reason: string | null;
  seconds: number;
  sample: { start: number; end: number } | null;
};
type Detail = {
  status: string;
  summary: { lines: { text: string; person: string | null; block: string | null }[] };
  utterances: { speaker: string | null; text: string; start: number; end: number }[];
  documents: Record<'index' | 'transcript' | 'summary', string> | null;
  notes: { code: string; detail: string }[];
};
type Events = { events: { type: string; data: Record<string, unknown> }[] };

/** The test model errs in about one word of ten; more than twice that is a fault of ours. */
const errorRateMax = 0.25;
const withinMs = 120_000;

test('two people are recorded, through a kill: one is named meanwhile, the service waits for their names, through kills, and each sentence is under its own', async (t) => {
  const { dataDir, pcm, said } = await prepared(t);
  let service = await started(t, dataDir);
  const token = await setUp(service.url);
  // Each voice has a label while they talk, and may be given a name.
  const browser = browserClient({
    url: () => service.url,
    token,
    pcm,
    rate: speechRate,
    frameSamples: 1600,
    kind: 'meeting',
  });
  t.after(() => browser.vanish());
  const half = Math.floor(said[3]!.start * 10) * 1600; // whole frames
  await browser.sendTo(half);
  const id = browser.recordingId()!;
  const of = <T>(path: string) => apiOf(service.url, token).get<T>(path);
  const until = (look: () => Promise<boolean>) => watchUntil(service.url, token, look, withinMs);
  const types = async () =>
    (await of<Events>(`/recordings/${id}/events`)).events.map(({ type }) => type);

  const voicesHeard = async () => {
    const { status, utterances } = await of<Detail>(`/recordings/${id}`);
    assert.equal(status, 'RECORDING');
    return new Set(utterances.flatMap(({ speaker }) => speaker ?? []));
  };
  await eventually('both voices', async () => (await voicesHeard()).size > 1);
  assert.ok((await voicesHeard()).has('VOICE_1'));
  // Killed meanwhile: it goes on with the labels that the voices have.
  const labelled = (await of<Detail>(`/recordings/${id}`)).utterances;
  await service.end('SIGKILL');
  service = await started(t, dataDir);
  await browser.sendTo(pcm.length / 2);
  const endOf = ({ utterances }: Detail) => utterances.at(-1)?.end ?? 0;
  await eventually(
    'all but the last line, which the stop closes',
    async () => endOf(await of<Detail>(`/recordings/${id}`)) > said.at(-2)!.start,
  );
  assert.equal((await voicesHeard()).size, 2);
  // However fast it came, no label stands for two people.
  const { utterances: heardLive } = await of<Detail>(`/recordings/${id}`);
  assert.deepEqual(heardLive.slice(0, labelled.length), labelled);
  const labelOf = new Map<number, string | null>();
  for (const { start, end, text, speaker: label } of heardLive) {
    const speaking = said.filter((line) => line.start < end - 0.3 && line.end > start + 0.3);
    assert.equal(new Set(speaking.map(({ speaker }) => speaker)).size, 1, text);
    const who = speaking[0]!.speaker;
    assert.equal(label, labelOf.get(who) ?? label, text);
    labelOf.set(who, label);
  }
  await nameVoices({ VOICE_9: 'Nobody' }, 422);
  const given = await nameVoices({ VOICE_1: 'Änne' }, 200);
  assert.deepEqual(
    given.speakers.map(({ label, shown }) => [label, shown]),
    [['VOICE_1', 'Änne']],
  );
  await browser.stop();

  // Killed while it tells the speakers apart: it does that again, and the words are not lost.
  await until(async () => (await types()).includes('transcription.completed'));
  await service.end('SIGKILL');
  service = await started(t, dataDir);
  await until(async () => (await of<Detail>(`/recordings/${id}`)).status === 'AWAITING_SPEAKERS');
  const heard = await types();
  for (const once of ['transcription.completed', 'diarization.completed', 'turns.joined'])
    assert.equal(heard.filter((type) => type === once).length, 1, once);

  // Killed again while it waits, it waits again.
  await service.end('SIGKILL');
  service = await started(t, dataDir);
  const status = await of<{ speakers_pending: { speakers: Speaker[] }[] }>('/status');
  const speakers = status.speakers_pending[0]!.speakers;
  assert.deepEqual(
    speakers.map(({ label, shown }) => [label, shown]),
    [
      ['SPEAKER_00', 'Speaker 1'],
      ['SPEAKER_01', 'Speaker 2'],
    ],
  );
  for (const { seconds, sample } of speakers) {
    assert.ok(seconds > 3);
    assert.ok(sample && sample.end > sample.start);
  }
  // The name is suggested for who has most of that voice's speech, and is not taken for granted.
  assert.deepEqual(
    speakers.map(({ suggested_name, reason }) => [suggested_name, reason]),
    [
      ['Änne', 'named like this during the recording'],
      [null, null],
    ],
  );

  const names = { SPEAKER_00: 'Anna', SPEAKER_01: 'Björn Müller' };
  await apiOf(service.url, token).post('/speakers', { speakers: names });
  await until(async () => (await of<Detail>(`/recordings/${id}`)).status === 'IDLE');
  const detail = await of<Detail>(`/recordings/${id}`);
  const { documents, utterances, notes } = detail;
  assert.ok(!notes.some(({ code }) => code === 'diarization-skipped'));
  for (const [index, name] of Object.values(names).entries()) {
    const own = said.filter(({ speaker }) => speaker === index).map(({ text }) => text);
    const under = utterances.filter(({ speaker }) => speaker === `SPEAKER_0${index}`);
    const rate = wordErrorRate(own.join(' '), under.map(({ text }) => text).join(' '));
    assert.ok(rate <= errorRateMax, `${name}: ${rate}: ${JSON.stringify(under)}`);
  }
  const transcript = await of<string>(`/transcripts/${encodeURIComponent(documents!.transcript)}`);
  const lines = transcript.split('\n').filter((line) => line.startsWith('**'));
  assert.deepEqual(
    lines.map((line) => /^\*\*(.+?)\*\* \[/.exec(line)?.[1]),
    said.map(({ speaker }) => Object.values(names)[speaker]),
  );
  const index = await of<string>(`/transcripts/${encodeURIComponent(documents!.index)}`);
  for (const name of Object.values(names)) assert.ok(index.includes(name));

  const summary = await of<string>(`/transcripts/${encodeURIComponent(documents!.summary)}`);
  const files = {
    [documents!.index]: index,
    [documents!.transcript]: transcript,
    [documents!.summary]: summary,
  };
  const links = Object.values(files).flatMap((text) => text.match(/(?<=\[\[)[^\]|]+/g) ?? []);
  assert.ok(links.filter((link) => link.includes('#^')).length > 0, summary);
  for (const link of links) {
    const [target, block] = link.split('#^');
    const file = files[`${target}.md`];
    assert.ok(file !== undefined, link);
    if (block !== undefined) assert.match(file, new RegExp(` \\^${block}$`, 'm'));
  }
  for (const { text, person, block } of detail.summary.lines) {
    assert.ok(Object.values(names).includes(person!), String(person));
    const line = summary
      .split('\n')
      .find((one) => one.startsWith(`- ${person}: ${text.slice(0, 9)}`));
    assert.ok(line?.includes(`#^${block}|`), `${text} / ${summary}`);
  }

  // Killed while voices are measured again, since a turn was moved: that is done after the start, and nothing is left.
  const path = `/recordings/${id}/utterances/0`;
  const moved = await fetch(service.url + path, patching({ speaker: 'SPEAKER_01' }));
  assert.equal(moved.status, 200);
  const folder = join(dataDir, 'recordings', id);
  const isCopied = async () => (await readdir(folder)).includes('speech-voices.wav');
  await eventually('it is measured', isCopied);
  process.kill(service.pid, 'SIGSTOP');
  assert.ok(await isCopied(), 'it is not over yet');
  await service.end('SIGKILL');
  service = await started(t, dataDir);
  await until(async () => (await types()).includes('voice.measured'));
  const { measuring } = await of<{ measuring: { waiting: number } }>('/speakers/profiles');
  assert.equal(measuring.waiting, 0);
  assert.equal((await types()).filter((type) => type === 'voice.measured').length, 1);
  await eventually('no copy is left', async () => !(await isCopied()));

  async function nameVoices(names: Record<string, string>, expected: number) {
    const answer = await fetch(
      `${service.url}/recordings/${id}/speakers`,
      patching({ speakers: names }),
    );
    assert.equal(answer.status, expected);
    return (await answer.json()) as { speakers: Speaker[] };
  }

  function patching(json: object): RequestInit {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return { method: 'PATCH', headers, body: JSON.stringify(json) };
  }
});

/** A data directory with the test models, and a dialogue of two voices as a file. */
async function prepared(t: TestContext) {
  const dir = await tempDir(t);
  const dataDir = join(dir, 'data');
  await mkdir(dataDir);
  await cp(modelsDir, join(dataDir, 'models'), { recursive: true });
  // Pauses that end a stretch, so short that those which wait are asked at once.
  const lines = linesOf(2, 6).map((line) => ({ ...line, gap: 1.2 }));
  const { samples, said } = await synthesise(lines);
  return {
    dataDir,
    said,
    pcm: Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength),
  };
}

async function started(t: TestContext, dataDir: string): Promise<ServiceProcess> {
  const service = await startServiceProcess(dataDir, { MITSCHRIFT_UI_LANGUAGE: 'en' });
  t.after(() => service.end('SIGKILL'));
  return service;
}
