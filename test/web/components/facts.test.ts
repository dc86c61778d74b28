import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Once from '../../../web/components/Once.svelte';
import Facts from '../../../web/pages/recording/Facts.svelte';

test('how a note came about names no program as a model, and remarks as the server says them', (t) => {
  const remarks = ['The punctuation is its own. Why.', 'The title is taken from the transcript.'];
  const recording = {
    duration: 8,
    device: null,
    source: null,
    utterances: [],
    version: 1,
    origins: [],
    notes: remarks.map((text, at) => ({ code: `note-${at}`, text })),
  };
  const version = { current: true, language_model: { engine: 'built-in', model: null } };
  const text = show(t, Facts, { recording, versions: [version] } as never).textContent;
  assert.match(text, /without a language model/);
  assert.doesNotMatch(text, /built-in/);
  for (const remark of remarks) assert.ok(text.includes(remark), text);
});

test('what is wrong with a recording stands in its sentence, and where it came from beside its length', (t) => {
  const recording = {
    duration: 61,
    device: null,
    source: 'talk.wav',
    utterances: [],
    version: 1,
    origins: [],
    notes: [{ code: 'gaps', text: 'Parts of the recording are missing (3 s).' }],
  };
  const said = (more: object) =>
    show(t, Facts, { recording: { ...recording, ...more }, versions: null } as never).textContent;
  assert.match(said({}), /1 min 1 s from talk\.wav\s/);
  assert.match(said({}), /Parts of the recording are missing \(3 s\)\./);
  assert.match(said({ device: 'Desk Mic', notes: [] }), /1 min 1 s from Desk Mic, complete/);
});

test('a link to this computer says that it opens nowhere else', (t) => {
  const link = (value: string) =>
    show(t, Once, { title: 'Copy', meaning: 'once', value, copy: 'Copy', ondone: () => {} })
      .textContent;
  assert.match(link('http://127.0.0.1:8765/login#invitation=x'), /server\.public_url/);
  assert.doesNotMatch(link('https://notes.example.org/login#invitation=x'), /public_url/);
});
