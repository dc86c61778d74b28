import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { flushSync } from 'svelte';
import { words } from '../../../web/pages/home/words.ts';
import LiveText from '../../../web/pages/home/live/LiveText.svelte';
import { everything } from '../../../web/pages/home/library/filter.ts';
import { openSearch } from '../../../web/pages/search/search.ts';
import { voicesOf } from '../../../web/pages/home/live/live-text.ts';
import { eventually } from '../../support/eventually.ts';

const utterance = (index: number, speaker: string | null, text: string) => ({
  index,
  speaker,
  text,
  start: index,
  end: index + 1,
  words: [],
  block: null,
});

test('while notes are still being searched the question is asked again', async (t) => {
  const before = globalThis.fetch;
  let asked = 0;
  globalThis.fetch = async () => {
    asked += 1;
    const notes = asked < 3 ? [] : [{ recording_id: 'r1' }];
    const [passages, notes_found] = [notes.length, notes.length];
    return Response.json({ notes, passages, notes_found, next_cursor: null, fraction: asked / 3 });
  };
  const { found, ask, stop } = openSearch();
  t.after(() => {
    stop();
    globalThis.fetch = before;
  });
  await ask({ text: 'prospectus', filter: everything, order: 'best' });
  assert.deepEqual(found.get()?.notes, []);
  await eventually('the note', () => found.get()?.notes.length === 1);
  assert.equal(asked, 3);
});

test('voices stand in the order of their numbers, with the initial of who has a name', () => {
  const voices = voicesOf(['VOICE_10', 'VOICE_2', 'VOICE_1'], { VOICE_2: 'Änne', VOICE_1: '' });
  assert.deepEqual(
    voices.map(({ number, name, mark }) => [number, name, mark.initial]),
    [
      [1, null, '1'],
      [2, 'Änne', 'Ä'],
      [10, null, '10'],
    ],
  );
});

test('the voices of a meeting are shown while it goes on, and can be named; what is refused is said', async (t) => {
  const service = answering(t, [
    utterance(0, 'VOICE_1', 'Good morning.'),
    utterance(1, 'VOICE_2', 'Hello.'),
    utterance(2, 'VOICE_1', 'Shall we begin?'),
  ]);
  const shown = show(t, LiveText, { recordingId: 'r1' });
  const voices = () =>
    [...shown.querySelectorAll('.live-voices button')].map(({ textContent }) => textContent);
  const turns = () => [...shown.querySelectorAll('.live-text p')].map((p) => p.textContent.trim());
  await eventually('both voices', () => voices().length === 2);
  assert.deepEqual(voices(), ['1Speaker 1 add name', '2Speaker 2 add name']);
  assert.match(shown.textContent, /Speakers are provisional during recording/);

  const type = (name: string) => {
    const field = shown.querySelector<HTMLInputElement>('dialog input')!;
    field.value = name;
    field.dispatchEvent(new (field.ownerDocument.defaultView as typeof globalThis).Event('input'));
    shown.querySelector<HTMLButtonElement>('dialog button[type=submit]')!.click();
    flushSync();
  };
  shown.querySelectorAll<HTMLButtonElement>('.live-voices button')[1]!.click();
  flushSync();
  assert.equal(shown.querySelector('dialog h2')?.textContent, 'Who is Speaker 2?');
  await eventually('known people are offered', () => shown.querySelector('option') !== null);

  service.refusal = 'The recording is over.';
  type('Ben');
  await eventually('it is refused', () => shown.querySelector('dialog [role=alert]') !== null);
  assert.match(shown.querySelector('dialog [role=alert]')!.textContent, /The recording is over/);

  service.refusal = null;
  type(' Ben ');
  await eventually('it is named', () => shown.querySelector('dialog') === null);
  assert.deepEqual(service.named, [{ VOICE_2: 'Ben' }, { VOICE_2: 'Ben' }]);
  assert.deepEqual(voices(), ['1Speaker 1 add name', 'BBen add name']);
  assert.deepEqual(turns()[1], 'BBen: Hello.');
});

test('what one person says has no voices to name', async (t) => {
  answering(t, [utterance(0, null, 'A note to myself.')]);
  const shown = show(t, LiveText, { recordingId: 'r1' });
  await eventually('it is shown', () => shown.textContent.includes('A note to myself.'));
  assert.equal(shown.querySelector('.live-voices'), null);
  assert.ok(shown.textContent.includes(words.get().readAloud));
});

/** Answers for the service: a recording with these utterances, people, and names that are given. */
function answering(t: TestContext, utterances: object[]) {
  const service = { refusal: null as string | null, named: [] as object[] };
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/people') return Response.json({ people: ['Ada'] });
    if (request.method === 'GET') return Response.json({ speakers: [], utterances });
    const { speakers } = (await request.json()) as { speakers: object };
    service.named.push(speakers);
    if (service.refusal === null) return Response.json({});
    const problem = { type: 'not-accepted', title: 'Not now', status: 409 };
    return Response.json({ ...problem, detail: service.refusal }, { status: 409 });
  });
  return service;
}
