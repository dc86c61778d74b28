import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { type SummariseOptions, summarise } from '../../src/language/summarise.ts';
import { openOn } from '../support/language-servers-open.ts';
import { talk } from '../support/language-servers-talk.ts';

/** The lines of a summary that a model answers with, whatever it is asked. */
async function summarised(
  t: TestContext,
  blocks: Parameters<typeof summarise>[0],
  { lines, ...options }: { lines: readonly object[] } & Partial<SummariseOptions>,
) {
  const { model } = await openOn(t, {
    flavour: 'llama.cpp',
    brain: () => JSON.stringify({ lines }),
  });
  const { signal } = new AbortController();
  const rest = { signal, language: 'de', names: {}, onProgress() {} };
  return summarise(blocks, model, { ...rest, ...options });
}

const german = talk([
  'wir haben heute über den garten gesprochen und was im herbst noch zu tun ist',
  'der zaun hinter dem schuppen ist kaputt und wird im oktober erneuert',
]);
const note =
  'Der Zaun hinter dem Schuppen ist kaputt und muss vor dem ersten Schnee noch erneuert werden';

test('a line may say a side note, or terms, word for word', async (t) => {
  const terms = note.split(' ');
  const lines = [{ kind: 'point', turn: 2, text: `${note}.` }];
  const noted = [{ note: 1, at: 1, text: note }];
  const asked = await summarised(t, german, { lines, noted, terms });
  assert.equal(asked.text, `- ${note}.`);
});

test('a line that a person wrote is not said again, and the others stay', async (t) => {
  const fresh = 'Es ging darum, was im Garten zu tun ist.';
  const lines = [
    { kind: 'point', turn: 2, text: `${note}.` },
    { kind: 'point', turn: 1, text: fresh },
  ];
  const asked = await summarised(t, german, { lines, given: [note] });
  assert.equal(asked.text, `- ${fresh}`);
});

const russian = talk([
  'сегодня мы говорили о саде и о том что ещё надо сделать осенью до первого снега',
  'забор за сараем сломан и его надо будет починить в октябре',
]);

test('a summary may be in another script than the talk, where its language is', async (t) => {
  const text = 'Es ging um den Garten und den Zaun, der im Oktober noch zu erneuern ist.';
  const lines = [{ kind: 'point', turn: 2, text }];
  for (const spoken of ['ru', null]) {
    const asked = await summarised(t, russian, { lines, spoken });
    assert.equal(asked.text, `- ${text}`);
  }
});

test('a summary in the script of the talk is refused, where another language is asked for', async (t) => {
  const text = 'Говорили о саде и о заборе, который надо починить в октябре.';
  const lines = [{ kind: 'point', turn: 2, text }];
  const asked = summarised(t, russian, { lines, spoken: 'ru' });
  await assert.rejects(asked, { code: 'answer-empty', message: /another language/u });
});

test('a language of two scripts is written as it was heard', async (t) => {
  const blocks = talk(['danas smo pričali o vrtu i o ogradi koja je iza šupe i koja je pukla']);
  const text = 'Ograda iza šupe je pukla i treba je popraviti.';
  const lines = [{ kind: 'point', turn: 1, text }];
  const asked = await summarised(t, blocks, { lines, language: 'sr', spoken: 'sr' });
  assert.equal(asked.text, `- ${text}`);
});
