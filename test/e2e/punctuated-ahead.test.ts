import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type BrowserClient, browserClient } from '../support/browser-client.ts';
import { eventually } from '../support/eventually.ts';
import { type LanguageServer, startLanguageServer } from '../support/language-servers.ts';
import { watchUntil } from '../support/service-process.ts';
import { tonePcm } from '../support/speech-servers-audio.ts';
import { type SpeechServer, speechServer } from '../support/speech-servers.ts';
import { type ToneWord, toneText } from '../support/speech-servers-tones.ts';
import { wholeService } from '../support/whole-service.ts';

type Status = { recording: { live: { behind: number } | null } | null };
type Detail = { status: string; utterances: { text: string }[] };

const rate = 16_000;
/** Parts of a talk: each is one stretch and one paragraph, and more than the model's context takes at once. */
const parts = 6;
const partSeconds = 14;

test('while a solo runs, the language model is asked for what is finished, and never while recognition is behind; of a meeting nothing before its pause', async (t) => {
  const { service, speech, llm } = await world(t);
  const { get, post } = service.api();
  const record = await recorderOf(t, service);
  const asked = () => punctuating(llm).length;
  const of = (id: string) => get<Detail>(`/recordings/${id}`);
  const until = (id: string, status: string) =>
    watchUntil(service.url(), service.token, async () => (await of(id)).status === status, 60_000);
  const isBehind = async () => ((await get<Status>('/status')).recording?.live?.behind ?? 0) > 0;

  // Four of five are recognised, and three finished: the fifth is on its way.
  for (let part = 0; part < parts; part += 1) speech.faults.push({ do: 'wait' });
  const solo = record('solo');
  await solo.sendTo(5);
  for (let part = 1; part < 5; part += 1) {
    await speech.asked(part);
    speech.release();
  }
  await speech.asked(5);
  const id = solo.recordingId();
  await eventually('four are shown', async () => (await of(id)).utterances.length === 4);
  await eventually('it is behind', isBehind);
  assert.equal(asked(), 0);

  // Nothing waits any more: the model is asked. Something waits again: its next request is left.
  let answer!: () => void;
  llm.faults.until = new Promise((resolve) => (answer = resolve));
  speech.release();
  await eventually('it is asked ahead', () => asked() === 1);
  await solo.sendTo(6);
  await speech.asked(6);
  await eventually('it is behind again', isBehind);
  answer();
  await eventually('five are shown', async () => (await of(id)).utterances.length === 5);
  assert.equal(asked(), 1);
  speech.release();
  await eventually('it goes on', () => asked() > 1);
  assert.equal((await of(id)).status, 'RECORDING');
  await solo.stop();
  await until(id, 'IDLE');

  const before = asked();
  const meeting = record('meeting');
  await meeting.sendTo(parts);
  const other = meeting.recordingId();
  await eventually('all is heard', async () => (await of(other)).utterances.length === parts);
  await meeting.stop();
  await until(other, 'AWAITING_SPEAKERS');
  assert.equal(asked(), before);
  await post('/speakers', { skip: true });
  await until(other, 'IDLE');
  assert.ok(asked() > before);
});

async function world(t: TestContext) {
  const speech: SpeechServer = await speechServer('openai');
  const llm: LanguageServer = await startLanguageServer({ flavour: 'vllm' });
  t.after(() => Promise.all([speech.close(), llm.close()]));
  const service = await wholeService(t, {
    env: {
      MITSCHRIFT_STT_BASE_URL: speech.url,
      MITSCHRIFT_STT_MODEL: 'whisper-1',
      MITSCHRIFT_STT_LANGUAGE: 'en',
      MITSCHRIFT_STT_LIVE: 'while-recording',
      MITSCHRIFT_LLM_BASE_URL: llm.url,
      MITSCHRIFT_LLM_CONTEXT: '512',
      MITSCHRIFT_LLM_AHEAD: 'true',
      MITSCHRIFT_UI_LANGUAGE: 'en',
    },
  });
  return { service, speech, llm };
}

const punctuating = (llm: LanguageServer) =>
  llm.chats().filter(({ body }) => JSON.stringify(body.messages).includes('You punctuate'));

/** Who sends the talk, up to the end of a part. */
async function recorderOf(t: TestContext, { url, token }: { url(): string; token: string }) {
  const pcm = await tonePcm(talk(), parts * partSeconds);
  return (kind: 'solo' | 'meeting') => {
    const client: BrowserClient = browserClient({
      url,
      token,
      pcm,
      rate,
      frameSamples: rate / 10,
      kind,
    });
    t.after(() => client.vanish());
    return {
      recordingId: () => client.recordingId()!,
      sendTo: (part: number) => client.sendTo(part * partSeconds * rate),
      stop: () => client.stop(),
    };
  };
}

/** Without a pause but the two seconds between two parts. */
function talk(): ToneWord[] {
  const words: ToneWord[] = [];
  for (let part = 0; part < parts; part += 1)
    for (let at = 0.3; at < partSeconds - 2; at += 0.4) {
      const start = part * partSeconds + at;
      words.push({ text: toneText(words.length), start, end: start + 0.3 });
    }
  return words;
}
