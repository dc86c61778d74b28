import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startLanguageServer } from '../support/language-servers.ts';
import { mitschrift } from '../support/recorded-data.ts';
import { apiOf, uploadForm, watchUntil } from '../support/service-process.ts';
import { speak } from '../support/espeak.ts';
import { speechServer } from '../support/speech-servers.ts';
import { tempDir } from '../support/temp-dir.ts';
import { wholeService } from '../support/whole-service.ts';

/*
 * What was seen on the built service of the first release, where the document and HTTP said different
 * things of one recording.
 */

type Recording = {
  status: string;
  language: string | null;
  version: number;
  notes: { code: string }[];
};

test('a summary taken from the text is said to be one, also after a model has chosen another title', async (t) => {
  const { id, api, index, recording, saved, dataDir } = await summarisedWithoutModel(t);
  const params = { cause: { code: 'no-language-model' } };
  const texts: Record<string, string> = {
    'not-punctuated':
      'The punctuation comes from speech recognition; no language model revised it. No language model is set up.',
    // One cause is said once.
    'summary-extracted': 'The summary consists of sentences taken from the transcript.',
    'abstract-extracted': 'The abstract consists of sentences taken from the transcript.',
  };
  const notes = (...codes: string[]) => codes.map((code) => ({ code, params, text: texts[code] }));
  assert.deepEqual(
    (await recording()).notes,
    notes('not-punctuated', 'summary-extracted', 'abstract-extracted'),
  );
  for (const path of [`/recordings/${id}`, `/recordings/${id}/versions/1`]) {
    const read = await api('GET', path, undefined, {
      'accept-language': 'de-AT,de;q=0.9,en;q=0.5',
    });
    const { notes: german } = (await read.json()) as { notes: { text: string }[] };
    assert.deepEqual(
      german.map(({ text }) => text),
      [
        'Die Satzzeichen stammen von der Spracherkennung; kein Sprachmodell hat sie überarbeitet. Es ist kein Sprachmodell eingerichtet.',
        'Die Zusammenfassung besteht aus Sätzen des Transkripts.',
        'Die Kurzfassung besteht aus Sätzen des Transkripts.',
      ],
      path,
    );
  }
  assert.match(await index(), /The summary consists of sentences/);
  assert.match(await index(), /The abstract consists of sentences/);

  const language = await startLanguageServer({ flavour: 'openai' });
  t.after(() => language.close());
  await api('PUT', '/config', { llm: { base_url: language.url } });
  const replayed = await mitschrift(dataDir, 'replay', '--recording', id, '--from', 'entitle');
  assert.equal(replayed.code, 0, replayed.stderr);
  await saved(2);
  assert.deepEqual((await recording()).notes, notes('not-punctuated', 'summary-extracted'));
  assert.match(await index(), /The summary consists of sentences/);
  assert.doesNotMatch(await index(), /The abstract consists/);

  // All of it by the model: then there is nothing to note, and restoring brings the note back to both.
  await api('POST', `/recordings/${id}/reprocess`, { from: 'language-model' });
  await saved(3);
  assert.deepEqual((await recording()).notes, []);
  assert.doesNotMatch(await index(), /consists of/);
  await api('POST', `/recordings/${id}/versions/1/restore`, {});
  await saved(4);
  assert.deepEqual(
    (await recording()).notes.map(({ code }) => code),
    ['not-punctuated', 'summary-extracted', 'abstract-extracted', 'restored'],
  );
  assert.match(await index(), /The summary consists of sentences/);
  assert.match(await index(), /an earlier version that was restored \(version 1\)/);
});

test('a language given back to the recogniser is the one that was heard, everywhere; a model is asked for one run', async (t) => {
  const { id, api, index, recording, saved, speech, refused } = await summarisedWithoutModel(t);
  const heard = (await recording()).language;
  await api('PATCH', `/recordings/${id}`, { language: 'fr' });
  await saved(2);
  assert.equal((await recording()).language, 'fr');
  assert.match(await index(), /^language: "fr"$/m);
  await api('PATCH', `/recordings/${id}`, { language: 'auto' });
  await saved(3);
  assert.equal((await recording()).language, heard);
  assert.match(await index(), new RegExp(`^language: "${heard}"$`, 'm'));

  const path = `/recordings/${id}/reprocess`;
  const from = 'speech-to-text';
  for (const [body, message] of [
    [
      { from, model: 'absent' },
      /^The model absent isn’t available .*Available: tts-1 and whisper-large\.$/,
    ],
    [{ model: 'tts-1' }, /^can only be chosen when transcribing again$/],
  ] as const) {
    const { status, errors } = await refused(path, body);
    assert.equal(status, 422);
    assert.equal(errors![0]!.path, 'model');
    assert.match(errors![0]!.message, message);
  }
  await speech.down();
  assert.equal((await refused(path, { from, model: 'tts-1' })).status, 503);
  await speech.up();
  await api('POST', path, { from, model: 'tts-1' });
  await saved(4);
  await api('POST', path, { from });
  await saved(5);
  const { versions } = (await (await api('GET', `/recordings/${id}/versions`)).json()) as {
    versions: { speech_to_text: { model: string } }[];
  };
  const models = versions.slice(0, 3).map(({ speech_to_text }) => speech_to_text.model);
  assert.deepEqual(models, ['whisper-large', 'tts-1', 'whisper-large']);
  const asked = speech.received.slice(-2).map(({ fields }) => fields['model']);
  assert.deepEqual(asked, [['tts-1'], ['whisper-large']]);
});

/** A recording of a few sentences, its documents made without a language model. */
async function summarisedWithoutModel(t: TestContext) {
  const speech = await speechServer('openai');
  t.after(() => speech.close());
  const words = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh']
    .map((which) => `The ${which} sentence tells of three spoken words.`)
    .join(' ')
    .split(' ');
  speech.hear = () =>
    words.map((text, at) => ({ text, start: 0.2 + at * 0.02, end: 0.21 + at * 0.02 }));
  const service = await wholeService(t, {
    env: { MITSCHRIFT_STT_BASE_URL: speech.url, MITSCHRIFT_UI_LANGUAGE: 'en' },
  });
  const path = join(await tempDir(t), 'talk.wav');
  await speak('three spoken words', path);
  const { recording_id: id } = await apiOf(service.url(), service.token).post<{
    recording_id: string;
  }>('/recordings', uploadForm(new Uint8Array(await readFile(path)), {}));
  const dataDir = dirname(dirname(service.folder(id)));
  const headers = {
    authorization: `Bearer ${service.token}`,
    'content-type': 'application/json',
  };
  const api = async (method: string, path: string, body?: object, more: object = {}) => {
    const options = {
      headers: { ...headers, ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const answer = await fetch(`${service.url()}${path}`, { method, ...options });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.clone().text()}`);
    return answer;
  };
  const refused = async (path: string, body: object) => {
    const options = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(`${service.url()}${path}`, options);
    return (await answer.json()) as {
      status: number;
      errors?: { path: string; message: string }[];
    };
  };
  const recording = async () =>
    (await (await api('GET', `/recordings/${id}`)).json()) as Recording & {
      documents: { index: string };
    };
  const saved = (version: number): Promise<void> => {
    const isSaved = async () => {
      const now = await recording();
      assert.notEqual(now.status, 'ERROR');
      return now.version >= version && now.status === 'IDLE';
    };
    return watchUntil(service.url(), service.token, isSaved, 90_000);
  };
  await saved(1);
  const index = async () => {
    const { documents } = await recording();
    return await (await api('GET', `/transcripts/${encodeURIComponent(documents.index)}`)).text();
  };
  return { id, api, refused, recording, saved, index, dataDir, speech };
}
