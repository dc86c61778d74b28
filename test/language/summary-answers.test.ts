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
