import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { speak } from '../support/espeak.ts';
import { startLanguageServer } from '../support/language-servers.ts';
import { apiOf, uploadForm, watchUntil } from '../support/service-process.ts';
import { speechServer } from '../support/speech-servers.ts';
import { tempDir } from '../support/temp-dir.ts';
import { wholeService } from '../support/whole-service.ts';

/*
 * The speech server is a stand-in that writes a term right where its prompt has it, as Whisper models mostly do: what is
 * shown is that the terms arrive, not how well a model keeps to them.
 */

type Recording = {
  status: string;
  version: number;
  utterances: {
    block: string;
    revision: string;
    text: string;
    words: { text: string; start: number; end: number }[];
    replaced?: { from: number; to: number; heard: string }[];
  }[];
  summary: { lines: { text: string }[] };
};

const misheard = { Mitschrift: ['mit', 'schrift'], Kaylee: ['kayley'], Grafana: ['gravana'] };
const spoken =
  'we keep every talk in Mitschrift so that Kaylee finds it and looks at Grafana tomorrow';

test('names and terms of the settings, the people given and confirmed are right in transcript, summary and search', async (t) => {
  const without = await talkWith(t, {}, {});
  assert.match(without.text, /mit schrift .* kayley .* gravana/iu);
  assert.equal(without.hits, 0);

  const terms = { MITSCHRIFT_STT_TERMS: 'Mitschrift, Grafana' };
  const { text, summary, hits, prompt, asked } = await talkWith(t, terms, { people: 'Kaylee' });
  assert.match(text, /Mitschrift .* Kaylee .* Grafana/u);
  assert.match(summary, /Mitschrift/u);
  assert.equal(hits, 1);
  // What was given with the recording is the most useful, and stands last.
  assert.equal(prompt, 'Grafana, Mitschrift, Kaylee.');
  assert.match(asked, /right spelling: Kaylee; Mitschrift; Grafana\./u);
});

test('what was misheard is right in transcript, summary and search, and taken back it is what was heard', async (t) => {
  const plain = await talkWith(t, {}, {});
  const words = { own: 'Mitschrift = mit schrift\nGrafana = gravana', house: 'Kaylee=kayley' };
  const { text, summary, hits, recording, api } = await talkWith(t, {}, {}, words);
  assert.match(text, /Mitschrift .* Kaylee .* Grafana/u);
  assert.match(summary, /Mitschrift/u);
  assert.equal(hits, 1);
  const { events } = await api.get<{ events: { type: string; data: { replaced?: number } }[] }>(
    `/recordings/${recording}/events`,
  );
  assert.equal(events.find(({ type }) => type === 'transcription.completed')?.data.replaced, 3);
  const read = async () => (await api.get<Recording>(`/recordings/${recording}`)).utterances;
  for (let left = 3; left > 0; left -= 1) {
    const said = (await read()).find(({ replaced = [] }) => replaced.length > 0)!;
    const [{ from, to, heard }] = said.replaced as [{ from: number; to: number; heard: string }];
    await api.patch(`/recordings/${recording}/utterances`, {
      edits: [
        {
          block: said.block,
          revision: said.revision,
          text: said.text.slice(0, from) + heard + said.text.slice(to),
        },
      ],
    });
  }
  const back = await read();
  assert.ok(back.every(({ replaced }) => replaced === undefined));
  // Where sentences end is the language model's: it counts words.
  assert.equal(spelling(back.map((one) => one.text).join(' ')), spelling(plain.text));
});

const spelling = (text: string): string => text.toLowerCase().replaceAll(/[.,]/gu, '');

async function talkWith(
  t: TestContext,
  env: NodeJS.ProcessEnv,
  given: Record<string, string>,
  /** Lists of words; their writing is heard however often it stands in a prompt. */
  lists?: { own: string; house: string },
) {
  const speech = await speechServer('openai');
  const language = await startLanguageServer({ flavour: 'openai' });
  t.after(() => Promise.all([speech.close(), language.close()]));
  const promptSent = () => speech.received.at(-1)?.fields['prompt']?.[0] ?? '';
  speech.hear = () => {
    const words = spoken
      .split(' ')
      .flatMap((word) =>
        word in misheard && (lists || !promptSent().includes(word))
          ? misheard[word as keyof typeof misheard]
          : [word],
      );
    return words.map((text, at) => ({ text, start: 0.2 + at * 0.05, end: 0.24 + at * 0.05 }));
  };
  const service = await wholeService(t, {
    env: {
      MITSCHRIFT_STT_BASE_URL: speech.url,
      MITSCHRIFT_LLM_BASE_URL: language.url,
      MITSCHRIFT_UI_LANGUAGE: 'en',
      ...env,
    },
  });
  const path = join(await tempDir(t), 'talk.wav');
  await speak('three spoken words', path);
  const api = apiOf(service.url(), service.token);
  if (lists) {
    await api.post('/words/import', { text: lists.own });
    await api.post('/words/import?of=house', { text: lists.house });
  }
  const form = uploadForm(new Uint8Array(await readFile(path)), { kind: 'solo', ...given });
  const { recording_id: id } = await api.post<{ recording_id: string }>('/recordings', form);
  const read = () => api.get<Recording>(`/recordings/${id}`);
  const isSaved = async () => (await read()).version === 1 && (await read()).status === 'IDLE';
  await watchUntil(service.url(), service.token, isSaved, 30_000);
  const { utterances, summary } = await read();
  const found = await api.get<{ hits: unknown[] }>('/search?q=Mitschrift');
  return {
    text: utterances.map(({ text }) => text).join(' '),
    summary: summary.lines.map(({ text }) => text).join(' '),
    hits: found.hits.length,
    recording: id,
    api,
    prompt: promptSent(),
    asked: language
      .chats()
      .map(({ body }) => String(body.messages[0].content))
      .filter((system) => system.startsWith('You summarise'))
      .join('\n'),
  };
}
