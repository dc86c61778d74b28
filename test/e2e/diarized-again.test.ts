import assert from 'node:assert/strict';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { failure } from '../../src/words/failures.ts';
import { inEnglish } from '../../src/words/say.ts';
import { childrenOf } from '../bench/processor-time.ts';
import { linesOf, synthesise, writeDialogue } from '../support/dialogues.ts';
import { eventually } from '../support/eventually.ts';
import { startLanguageServer } from '../support/language-servers.ts';
import { modelsDir } from '../support/models.ts';
import {
  type ServiceProcess,
  apiOf,
  setUp,
  startServiceProcess,
  uploadForm,
  watchUntil,
} from '../support/service-process.ts';
import { speechServer } from '../support/speech-servers.ts';
import { tempDir } from '../support/temp-dir.ts';

type Detail = {
  status: string;
  documents: { index: string } | null;
  notes: { code: string; text: string }[];
};
type Event = { type: string; run?: number; data: Record<string, unknown> };
type Waiting = { speakers_pending: { speakers: { label: string }[] }[] };

const withinMs = 120_000;

test('a meeting of one speaker is diarized again when the models are there, through kills of each parallel stage and a cancel', async (t) => {
  const world = await prepared(t);
  let { of, post, until, events } = await world.start();
  const { recording_id: id } = await post<{ recording_id: string }>(
    '/recordings',
    uploadForm(world.audio, { kind: 'meeting', language: 'en' }),
  );
  const detail = () => of<Detail>(`/recordings/${id}`);
  const status = (wanted: string) => until(async () => (await detail()).status === wanted);
  const ofLastRun = async (type: string, stage?: string) => {
    const all = await events(id);
    const run = Math.max(...all.map((event) => event.run ?? 1));
    const some = all.filter((event) => event.type === type && (event.run ?? 1) === run);
    return some.filter(({ data }) => stage === undefined || data['stage'] === stage).length;
  };
  const labels = async () => {
    const { speakers_pending } = await of<Waiting>('/status');
    return speakers_pending[0]!.speakers.map(({ label }) => label);
  };
  const again = async (body: object) => {
    const { documents } = await detail();
    await post(`/transcripts/${encodeURIComponent(documents!.index)}/reprocess`, body);
  };
  const engineRuns = () =>
    eventually('the engine process', async () => (await childrenOf(world.pid())).length > 0);

  await status('AWAITING_SPEAKERS');
  assert.deepEqual(await labels(), ['SPEAKER_00']);
  await post('/speakers', { skip: true });
  await status('IDLE');
  const note = (await detail()).notes.find(({ code }) => code === 'diarization-skipped');
  assert.ok(note?.text.endsWith(inEnglish(failure('no-speaker-model'))), note?.text);

  // Cancelled while speakers are told apart: the process ends, and what there was stays.
  await world.installModels();
  await again({ from: 'diarize' });
  await engineRuns();
  const [engine] = await childrenOf(world.pid());
  await post(`/recordings/${id}/cancel`);
  await eventually('the end of the engine', async () => !(await isAlive(engine!)));
  await status('IDLE');
  assert.ok((await detail()).documents);

  // Killed while speakers are told apart, of whom two are said to be there.
  await again({ from: 'diarize', speakers: 2 });
  await engineRuns();
  await world.kill();
  ({ of, post, until, events } = await world.start());
  await status('AWAITING_SPEAKERS');
  assert.deepEqual(await labels(), ['SPEAKER_00', 'SPEAKER_01']);
  assert.equal(await ofLastRun('stage.started', 'diarize'), 2, 'it was at work');
  assert.equal(await ofLastRun('diarization.completed'), 1);
  await post('/speakers', { skip: true });
  await status('IDLE');

  // At most one is said to be there.
  await again({ from: 'diarize', speakers: null, speakers_max: 1 });
  await status('AWAITING_SPEAKERS');
  assert.deepEqual(await labels(), ['SPEAKER_00']);
  await post('/speakers', { skip: true });
  await status('IDLE');

  // Killed while names are looked for by a model that does not answer; the number of speakers is open.
  await world.kill();
  const model = await startLanguageServer({ flavour: 'openai', faults: { silent: true } });
  t.after(() => model.close());
  ({ of, post, until, events } = await world.start({ MITSCHRIFT_LLM_BASE_URL: model.url }));
  await again({ from: 'diarize', speakers: null });
  await until(async () => (await ofLastRun('diarization.completed')) === 1);
  await until(async () => (await ofLastRun('stage.started', 'identify')) === 1);
  await world.kill();
  ({ of, post, until, events } = await world.start());
  await status('AWAITING_SPEAKERS');
  assert.deepEqual(await labels(), ['SPEAKER_00', 'SPEAKER_01']);
  assert.equal(await ofLastRun('diarization.completed'), 1, 'what was done is not done again');
  const recognised = (await events(id)).filter(({ type }) => type === 'transcription.completed');
  assert.equal(recognised.length, 1, 'the words were recognised once');
});

const isAlive = (pid: number): Promise<boolean> =>
  readFile(`/proc/${pid}/stat`, 'utf8').then(
    (stat) => !/\) Z /.test(stat),
    () => false,
  );

/** A service on a data directory without models, and a dialogue of two voices whose words a stand-in hears. */
async function prepared(t: TestContext) {
  const dir = await tempDir(t);
  const dataDir = join(dir, 'data');
  await mkdir(dataDir);
  const { samples, said } = await synthesise(linesOf(2, 16));
  await writeDialogue(join(dir, 'talk.wav'), samples);
  const speech = await speechServer('openai');
  t.after(() => speech.close());
  speech.hear = () => said.map(({ start, end, text }) => ({ start, end, text }));
  let service: ServiceProcess | undefined;
  let token = '';
  t.after(() => service?.end('SIGKILL'));
  return {
    audio: new Uint8Array(await readFile(join(dir, 'talk.wav'))),
    pid: () => service!.pid,
    kill: () => service!.end('SIGKILL'),
    installModels: () =>
      cp(modelsDir, join(dataDir, 'models'), {
        recursive: true,
        filter: (path) => !path.includes('espeak-en'),
      }),
    async start(env: Record<string, string> = {}) {
      service = await startServiceProcess(dataDir, {
        MITSCHRIFT_UI_LANGUAGE: 'en',
        MITSCHRIFT_STT_BASE_URL: speech.url,
        MITSCHRIFT_STT_MODEL: 'whisper-1',
        ...env,
      });
      const { url } = service;
      if (token === '') {
        token = await setUp(url);
      }
      const { get, post } = apiOf(url, token);
      return {
        of: get,
        post,
        until: (look: () => Promise<boolean>) => watchUntil(url, token, look, withinMs),
        events: async (id: string) =>
          (await get<{ events: Event[] }>(`/recordings/${id}/events`)).events,
      };
    },
  };
}
