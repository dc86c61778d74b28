import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Once from '../../../web/components/Once.svelte';
import Facts from '../../../web/pages/recording/Facts.svelte';

test('how a note came about names no program as a model, and one cause once', (t) => {
  const reason = 'No language model is configured.';
  const recording = {
    duration: 8,
    device: null,
    source: null,
    utterances: [],
    version: 1,
    notes: ['not-punctuated', 'title-extracted'].map((code) => ({ code, text: reason })),
  };
  const version = { current: true, language_model: { engine: 'built-in', model: null } };
  const text = show(t, Facts, { recording, versions: [version] } as never).textContent;
  assert.match(text, /without a language model/);
  assert.doesNotMatch(text, /built-in/);
  assert.equal(text.split(reason).length, 2);
});

test('a link to this computer says that it opens nowhere else', (t) => {
  const link = (value: string) =>
    show(t, Once, { title: 'Copy', meaning: 'once', value, copy: 'Copy', ondone: () => {} })
      .textContent;
  assert.match(link('http://127.0.0.1:8765/login#invitation=x'), /server\.public_url/);
  assert.doesNotMatch(link('https://notes.example.org/login#invitation=x'), /public_url/);
});
