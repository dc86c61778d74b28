import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { type BrowserClient, browserClient } from '../support/browser-client.ts';
import { eventually } from '../support/eventually.ts';
import { startLanguageServer } from '../support/language-servers.ts';
import { seed } from '../support/seeded.ts';
import { watchUntil } from '../support/service-process.ts';
import { speechServer } from '../support/speech-servers.ts';
import { tonePcm } from '../support/speech-servers-audio.ts';
import { type ToneWord, seeded, toneTalk, toneText } from '../support/speech-servers-tones.ts';
import { wholeService } from '../support/whole-service.ts';

type Live = { behind: number; waiting: object | null };
type Status = { recording: { paused: boolean; live: Live | null } | null };
type Utterance = { index: number; text: string };
type Detail = { status: string; version: number; error: object | null; utterances: Utterance[] };
type Version = { version: number; by: string; speech_to_text: { engine: string; model: string } };
type Events = { events: { type: string; data: { live?: object } }[] };

const rate = 16_000;
const seconds = 70;
/** The first sentence, with the pause that ends it. */
const opening = 6;
/** Between these the server goes away: something is said then. */
const [leaving, away] = [50, 57];
/** Taken for another language than the talk turns out to be in. */
const german = {
  task: 'transcribe',
  language: 'german',
  duration: 2,
  text: 'guten morgen',
  segments: [{ id: 0, start: 0.1, end: 1, text: ' guten morgen' }],
  words: [
    { word: 'guten', start: 0.1, end: 0.5 },
    { word: 'morgen', start: 0.5, end: 1 },
  ],
};

test(`a server recognises while people talk: it lags, goes away and comes back, and no word is lost; then a better model, and erasures (seed ${seed})`, async (t) => {
  const words = talk(seeded(seed));
  const said = words.map(({ text }) => text).join(' ');
  const pcm = await tonePcm(words, seconds);
  const speech = await speechServer('openai');
  const llm = await startLanguageServer({ flavour: 'openai' });
  t.after(() => Promise.all([speech.close(), llm.close()]));
  const service = await wholeService(t, {
    env: {
      MITSCHRIFT_STT_BASE_URL: speech.url,
      MITSCHRIFT_STT_LIVE: 'while-recording',
      MITSCHRIFT_LLM_BASE_URL: llm.url,
      MITSCHRIFT_LLM_CONTEXT: '512',
      MITSCHRIFT_LLM_AHEAD: 'true',
      MITSCHRIFT_UI_LANGUAGE: 'en',
    },
  });
  const { token } = service;
  const { get, post } = service.api();
  await send('PUT', '/config', { stt: { model: 'whisper-1', second_pass: 'whisper-better' } });
  const recorder = recorderOf(t, service, pcm);
  const live = async () => (await get<Status>('/status')).recording?.live ?? null;
  const heardOf = async (id: string) => (await get<Detail>(`/recordings/${id}`)).utterances;
  // This server refuses the first request for a field that it does not know.
  const taken = () => llm.chats().filter(({ body }) => !('chat_template_kwargs' in body));
  const prompts = () => taken().map(({ body }) => JSON.stringify(body.messages));
  const punctuating = (all: string[]) => all.filter((one) => one.includes('You punctuate'));

  // While one request is under way nothing else is asked, and how far it is behind is said.
  speech.faults.push({ do: 'answer', status: 200, body: JSON.stringify(german) }, { do: 'wait' });
  const browser = recorder();
  await browser.sendTo(opening * rate);
  await speech.asked(1);
  await browser.sendTo(35 * rate);
  const id = browser.recordingId()!;
  await speech.asked(2);
  await browser.sendTo(leaving * rate);
  await eventually('it lags', async () => ((await live())?.behind ?? 0) >= 10);
  assert.equal(speech.received.length, 2);
  speech.release();
  await eventually('it has caught up', async () => (await live())?.behind === 0);

  // What was taken for another language is recognised again in the one that most of it is in.
  await eventually(
    'the first stretch again',
    async () => (await heardOf(id))[0]?.text !== german.text,
  );
  assert.ok(speech.received.slice(2).some(({ fields }) => fields['language']?.[0] === 'en'));

  // Away, and back; meanwhile it says what it waits for.
  await speech.down();
  await browser.sendTo(60 * rate);
  await eventually(
    'it waits for the server',
    async () => ((await live())?.waiting ?? null) !== null,
  );
  const before = (await heardOf(id)).length;
  await speech.up();
  await eventually('it goes on', async () => (await heardOf(id)).length > before);

  // What was said before a pause is recognised in it.
  await post(`/recordings/${id}/pause`);
  assert.equal((await get<Status>('/status')).recording?.paused, true);
  await eventually('all is recognised in the pause', async () => (await live())?.behind === 0);
  browser.vanish();
  await post(`/recordings/${id}/resume`);
  const again = recorder(id);
  await again.sendTo(pcm.length / 2);
  await eventually('punctuated ahead', () => punctuating(prompts()).length > 0);
  await again.stop();

  // The first version is what was recognised live, the second one the better model's; both have every word.
  const detail = await finished(id, 2);
  assert.equal(plain(detail.utterances), said);
  const { versions } = await get<{ versions: Version[] }>(`/recordings/${id}/versions`);
  assert.deepEqual(
    versions.toReversed().map(({ by, speech_to_text }) => [by === 'system', speech_to_text.model]),
    [
      [false, 'whisper-1'],
      [true, 'whisper-better'],
    ],
  );
  const first = await get<Detail>(`/recordings/${id}/versions/1`);
  assert.equal(plain(first.utterances), said);
  const { events } = await get<Events>(`/recordings/${id}/events`);
  assert.ok(events.find(({ type }) => type === 'speech.detected')?.data.live);
  assert.equal(events.filter(({ type }) => type === 'reprocessing.requested').length, 1);

  // What was punctuated ahead was not asked for again.
  const titled = prompts().findIndex((one) => one.includes('title'));
  const ofFirst = punctuating(prompts().slice(0, titled));
  assert.ok(ofFirst.length > 1);
  assert.equal(new Set(ofFirst).size, ofFirst.length);

  // Discarded or erased while a server is asked, which says already what it hears: nothing of it is left, and nothing
  // comes of the answer.
  await send('PUT', '/config', { stt: { model: 'gpt-4o-transcribe', second_pass: null } });
  const guesses = await guessesOf(t, service);
  for (const end of ['discard', 'erase'] as const) {
    const delta = { type: 'transcript.text.delta', delta: `to ${end}` };
    speech.faults.push({ do: 'stream', events: [delta], ends: false });
    const asked = speech.received.length;
    const another = recorder();
    await another.sendTo(8 * rate);
    const other = another.recordingId()!;
    await eventually('it is asked', () => speech.received.length > asked);
    await eventually('what it hears is shown', () => guesses.at(-1)?.text === `to ${end}`);
    const { recording_id, index, speaker } = guesses.at(-1)!;
    assert.deepEqual([recording_id, index, speaker], [other, 0, null]);
    assert.deepEqual(await heardOf(other), [], 'and is no fact');
    if (end === 'discard') await post(`/recordings/${other}/discard`);
    else await send('DELETE', `/recordings/${other}`);
    another.vanish();
    await assert.rejects(get(`/recordings/${other}`), /: 404 /);
    await eventually('its files are gone', () => isGone(service.folder(other)));
    assert.equal((await get<Status>('/status')).recording, null);
  }

  async function finished(recordingId: string, version: number): Promise<Detail> {
    let now!: Detail;
    await watchUntil(
      service.url(),
      token,
      async () => {
        now = await get<Detail>(`/recordings/${recordingId}`);
        assert.equal(now.error, null);
        return now.status === 'IDLE' && now.version === version;
      },
      60_000,
    );
    return now;
  }
  async function send(method: string, path: string, body?: object): Promise<void> {
    const answer = await fetch(`${service.url()}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    assert.ok(answer.ok, await answer.text());
  }
});

/** Four parts with a pause of two seconds behind each, which ends a stretch whatever the seed says. */
function talk(random: () => number): ToneWord[] {
  const words: ToneWord[] = [];
  for (const [from, to] of [
    [0, opening],
    [opening, leaving],
    [leaving, away],
    [away, seconds],
  ] as const) {
    for (const { start, end } of toneTalk(to - from - 2, random))
      words.push({ text: toneText(words.length), start: start + from, end: end + from });
  }
  return words;
}

/** Words without the punctuation that a language model set. */
const plain = (utterances: readonly Utterance[]): string =>
  utterances
    .map(({ text }) => text)
    .join(' ')
    .toLowerCase()
    .replaceAll(/[^\w\s]/gu, '');

const recorderOf =
  (t: TestContext, service: { url(): string; token: string }, pcm: Buffer) =>
  (recordingId?: string): BrowserClient => {
    const { url, token } = service;
    const more = recordingId === undefined ? {} : { recordingId };
    const client = browserClient({ url, token, pcm, rate, frameSamples: rate / 10, ...more });
    t.after(() => client.vanish());
    return client;
  };

type Guess = {
  type: string;
  recording_id: string;
  index: number;
  speaker: string | null;
  text: string;
  final: boolean;
};

/** Texts that are not final, as they come. */
async function guessesOf(
  t: TestContext,
  service: { url(): string; token: string },
): Promise<Guess[]> {
  const guesses: Guess[] = [];
  const socket = new WebSocket(`${service.url().replace('http', 'ws')}/ws?token=${service.token}`);
  t.after(() => socket.terminate());
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Guess;
    if (frame.type === 'utterance' && !frame.final) guesses.push(frame);
  });
  await once(socket, 'open');
  return guesses;
}

const isGone = (path: string): Promise<boolean> =>
  access(path).then(
    () => false,
    () => true,
  );
