import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flushSync } from 'svelte';
import { polite } from '../../../web/app/announce.ts';
import Once from '../../../web/components/Once.svelte';
import Facts from '../../../web/pages/recording/Facts.svelte';
import { settled } from './sockets.ts';

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

test('what is shown this once says whether it was copied, also where the browser refuses one of the ways', async (t) => {
  const before = [navigator.clipboard, document.execCommand];
  let isRefused = false;
  const give = (clipboard: unknown) =>
    Object.defineProperty(navigator, 'clipboard', { value: clipboard, configurable: true });
  give({ writeText: () => Promise.reject(new DOMException('', 'NotAllowedError')) });
  document.execCommand = () => !isRefused;
  t.after(() => (give(before[0]), (document.execCommand = before[1] as never)));
  const shown = show(t, Once, { title: 'T', meaning: 'once', value: 'x', copy: 'C', ondone() {} });
  const press = async () => {
    polite.set('');
    shown.querySelector('button')!.click();
    await settled();
    await settled();
    flushSync();
    return [polite.get(), shown.querySelector('[role=alert]')?.textContent ?? null];
  };
  assert.deepEqual(await press(), ['Copied.', null]);
  isRefused = true;
  const [copied, fault] = await press();
  assert.equal(copied, '');
  assert.match(fault!, /doesn’t allow copying/);
  isRefused = false;
  assert.deepEqual(await press(), ['Copied.', null]);
});

test('a link to this computer says that it opens nowhere else', (t) => {
  const link = (value: string) =>
    show(t, Once, { title: 'Copy', meaning: 'once', value, copy: 'Copy', ondone: () => {} })
      .textContent;
  assert.match(link('http://127.0.0.1:8765/login#invitation=x'), /server\.public_url/);
  assert.doesNotMatch(link('https://notes.example.org/login#invitation=x'), /public_url/);
});
