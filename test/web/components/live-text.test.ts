import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { flushSync } from 'svelte';
import VoiceName from '../../../web/pages/recording/live/VoiceName.svelte';
import { withTurns } from '../../../web/pages/recording/live/heard.ts';
import { openRecording, speakersOf } from '../../../web/pages/recording/recording.ts';
import { followSession } from '../../../web/client/feed.ts';
import { session } from '../../../web/client/session.ts';
import type { Recording } from '../../../web/pages/recording/turn-key.ts';
import { everything, usualSeeking } from '../../../web/pages/home/library/filter.ts';
import { openSearch } from '../../../web/pages/search/search.ts';
import { eventually } from '../../support/eventually.ts';
import { loginOf, settled, sockets } from './sockets.ts';

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
    return Response.json({
      notes,
      passages,
      notes_found,
      next_cursor: null,
      fraction: asked / 3,
      meaning: null,
    });
  };
  const { found, ask, stop } = openSearch();
  t.after(() => {
    stop();
    globalThis.fetch = before;
  });
  await ask({ text: 'prospectus', filter: everything, ...usualSeeking });
  assert.deepEqual(found.get()?.notes, []);
  await eventually('the note', () => found.get()?.notes.length === 1);
  assert.equal(asked, 3);
});

test('notes that are searched never, since there is no room for all, are neither promised nor waited for', async (t) => {
  const before = globalThis.fetch;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const shares = [0.5, 0.9, 0.9, 0.9];
  let asked = 0;
  globalThis.fetch = async () => {
    const fraction = shares[asked];
    asked += 1;
    const none = { notes: [], passages: 0, notes_found: 0, next_cursor: null };
    return Response.json({ ...none, fraction, meaning: null });
  };
  const { found, ask, stop } = openSearch();
  t.after(() => {
    stop();
    globalThis.fetch = before;
  });
  const after = async (wait: number) => {
    t.mock.timers.tick(wait);
    // An answer takes several rounds of the event loop.
    for (let round = 0; round < 50; round += 1) await setImmediate();
    return [asked, found.get()?.fraction, found.get()?.grows];
  };
  await ask({ text: 'prospectus', filter: everything, ...usualSeeking });
  assert.deepEqual(await after(0), [1, 0.5, true]);
  assert.deepEqual(await after(1000), [2, 0.9, true]);
  assert.deepEqual(await after(1000), [3, 0.9, false]);
  assert.deepEqual(await after(9000), [3, 0.9, false]);
  assert.deepEqual(await after(1000), [4, 0.9, false]);
});

test('while notes are prepared to be found by meaning the question is asked again, as long as they become more', async (t) => {
  const before = globalThis.fetch;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const shares = [0.3, 0.6, 0.6];
  let asked = 0;
  globalThis.fetch = async () => {
    const meaning = { complete: false, fraction: shares[asked] };
    asked += 1;
    const none = { notes: [], passages: 0, notes_found: 0, next_cursor: null };
    return Response.json({ ...none, fraction: 1, meaning });
  };
  const { found, ask, stop } = openSearch();
  t.after(() => {
    stop();
    globalThis.fetch = before;
  });
  await ask({ text: 'prospectus', filter: everything, ...usualSeeking });
  for (const [at, share] of [...shares, 0.6].entries()) {
    assert.deepEqual(
      [found.get()?.meaning?.fraction, asked],
      [share, Math.min(at + 1, shares.length)],
    );
    t.mock.timers.tick(10_000);
    // An answer takes several rounds of the event loop.
    for (let round = 0; round < 50; round += 1) await setImmediate();
  }
});

test('voices that are heard are numbered by their labels, with the initial of who has a name', () => {
  const voice = (label: string, name: string | null) => ({ label, name, seconds: 0, shown: '' });
  const speakers = [voice('VOICE_10', null), voice('VOICE_2', 'Änne'), voice('VOICE_1', '')];
  const shown = speakersOf({ speakers }, (number) => `Speaker ${number}`);
  assert.deepEqual(
    [...shown.values()].map(({ name, isNamed, mark }) => [name, isNamed, mark.initial]),
    [
      ['Speaker 10', false, '10'],
      ['Änne', true, 'Ä'],
      ['Speaker 1', false, '1'],
    ],
  );
});

test('a voice of a meeting that goes on is named; what is refused is said', async (t) => {
  const service = answering(t);
  let closed = 0;
  const voice = { label: 'VOICE_2', name: null };
  const shown = show(t, VoiceName, {
    recordingId: 'r1',
    voice,
    people: ['Ben'],
    onclose: () => (closed += 1),
  });
  const type = (name: string) => {
    const field = shown.querySelector<HTMLInputElement>('dialog input')!;
    field.value = name;
    field.dispatchEvent(new (field.ownerDocument.defaultView as typeof globalThis).Event('input'));
    shown.querySelector<HTMLButtonElement>('dialog button[type=submit]')!.click();
    flushSync();
  };
  assert.equal(shown.querySelector('dialog h2')?.textContent, 'Who is Speaker 2?');
  await eventually('known people are offered', () => shown.querySelector('option') !== null);

  service.refusal = 'The recording is over.';
  type('Ben');
  await eventually('it is refused', () => shown.querySelector('dialog [role=alert]') !== null);
  assert.match(shown.querySelector('dialog [role=alert]')!.textContent, /The recording is over/);

  service.refusal = null;
  type(' Ben ');
  await eventually('it is named', () => closed === 1);
  assert.deepEqual(service.named, [{ VOICE_2: 'Ben' }, { VOICE_2: 'Ben' }]);
});

test('what was heard while the recording was read is behind it, with the voices that say it', () => {
  const read = { utterances: [utterance(0, null, 'One.')], speakers: [] } as unknown as Recording;
  const heard = [utterance(0, null, 'One.'), utterance(1, 'VOICE_1', 'Two.')];
  const now = withTurns(read, heard);
  assert.deepEqual(
    now.utterances.map(({ text }) => text),
    ['One.', 'Two.'],
  );
  assert.deepEqual(
    now.speakers.map(({ label }) => label),
    ['VOICE_1'],
  );
  // Read again, all of it is known: the voices are those of before.
  const again = withTurns({ ...read, utterances: now.utterances }, []);
  assert.deepEqual(
    again.speakers.map(({ label }) => label),
    ['VOICE_1'],
  );
  // A transcript has blocks: what is recognised anew replaces it when it is whole.
  const written = { ...read, utterances: [{ ...utterance(0, null, 'One.'), block: 'b1' }] };
  assert.equal(withTurns(written, heard).utterances.length, 1);
});

/** Answers for the service: people, and names that are given. */
function answering(t: TestContext) {
  const service = { refusal: null as string | null, named: [] as object[] };
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/people') return Response.json({ people: ['Ada'] });
    const { speakers } = (await request.json()) as { speakers: object };
    service.named.push(speakers);
    if (service.refusal === null) return Response.json({});
    const problem = { type: 'not-accepted', title: 'Not now', status: 409 };
    return Response.json({ ...problem, detail: service.refusal }, { status: 409 });
  });
  return service;
}

test('what is recognised while a note is open is shown without reading the whole note again', async (t) => {
  const made = sockets(t);
  let read = 0;
  const recording = { status: 'RECORDING', utterances: [], speakers: [], origins: [] };
  t.mock.method(globalThis, 'fetch', async () => {
    read += 1;
    return Response.json(recording);
  });
  followSession();
  session.set(loginOf('ada'));
  t.after(() => session.set(null));
  made.at(-1)!.open();
  const open = openRecording('r1');
  t.after(() => open.close());
  await eventually('the note', () => open.state.get().state === 'there');
  const before = read;
  const told = { type: 'transition', recording_id: 'r1', from: 'recording', to: 'recording' };
  for (const index of [0, 1, 2]) {
    made.at(-1)!.say({ ...told, event: 'speech.followed', position: 2 * index + 1 });
    const said = { index, start: index, end: index + 1, text: `Line ${index}.`, speaker: null };
    made.at(-1)!.say({ type: 'utterance', recording_id: 'r1', ...said, final: true });
    await settled();
  }
  const now = open.state.get();
  assert.equal(now.state === 'there' && now.shown.recording.utterances.length, 3);
  assert.equal(read, before);
  made.at(-1)!.say({ ...told, event: 'title.changed', position: 9 });
  await eventually('it is read again', () => read === before + 1);
});

const noteRead = (sidenotes: object[] = []) => ({
  recording_id: 'r1',
  status: 'RECORDING',
  utterances: [],
  speakers: [],
  origins: [],
  sidenotes,
});

test('a note is read again once the connection is back: of others’ notes what was said meanwhile does not come with it', async (t) => {
  const made = sockets(t);
  let read = 0;
  t.mock.method(globalThis, 'fetch', async () => {
    read += 1;
    return Response.json(noteRead());
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  followSession();
  session.set(loginOf('ada'));
  t.after(() => session.set(null));
  const open = openRecording('r1');
  t.after(() => open.close());
  for (let round = 0; open.state.get().state !== 'there' && round < 50; round += 1)
    await setImmediate();
  made.at(-1)!.open();
  await settled();
  assert.equal(read, 1, 'not for the first connection');
  const sockets1 = made.length;
  made.at(-1)!.drop();
  t.mock.timers.tick(2000);
  assert.equal(made.length, sockets1 + 1);
  made.at(-1)!.open();
  await settled();
  assert.equal(read, 2);
});

test('a side note that is said while an older answer is on its way is shown', async (t) => {
  const made = sockets(t);
  const answers: ((answer: Response) => void)[] = [];
  t.mock.method(
    globalThis,
    'fetch',
    async () => await new Promise<Response>((resolve) => answers.push(resolve)),
  );
  followSession();
  session.set(loginOf('ada'));
  t.after(() => session.set(null));
  made.at(-1)!.open();
  const open = openRecording('r1');
  t.after(() => open.close());
  await eventually('it is asked for', () => answers.length === 1);
  answers[0]!(Response.json(noteRead()));
  await eventually('the note', () => open.state.get().state === 'there');
  const told = { type: 'transition', recording_id: 'r1', from: 'recording', to: 'recording' };
  made.at(-1)!.say({ ...told, event: 'capture.paused', position: 2 });
  await eventually('it is read again', () => answers.length === 2);
  const one = { note: 1, at: 1, block: null, mark: false, text: 'Written.', by: 'u1' };
  const change = { type: 'sidenote', recording_id: 'r1', change: 'written', position: 3 };
  made.at(-1)!.say({ ...change, ...one });
  answers[1]!(Response.json(noteRead()));
  await eventually('once more', () => answers.length === 3);
  answers[2]!(Response.json(noteRead([one])));
  const now = () => {
    const state = open.state.get();
    return state.state === 'there' ? state.shown.recording.sidenotes.length : 0;
  };
  await eventually('the side note', () => now() === 1);
});
