import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atom } from 'nanostores';
import { chartJson } from '../../../machines/chart.ts';
import {
  type Fact,
  type Moment,
  attemptsOf,
  momentAt,
  possibleAt,
} from '../../../web/pages/statechart/moments.ts';
import { draftOf, editOf, turnOfDraft } from '../../../web/pages/recording/drafts.ts';
import { byTurn, findIn, piecesOf, replaceIn } from '../../../web/pages/recording/find.ts';
import { actOfKey } from '../../../web/pages/recording/keys.ts';
import { lanesOf } from '../../../web/pages/recording/lanes.ts';
import { afterPause, spotAt, timelineOf } from '../../../web/pages/recording/playing.ts';
import { ChangedSince, correcting } from '../../../web/pages/recording/changes.ts';
import { openWork } from '../../../web/pages/recording/work.ts';
import type { OpenRecording } from '../../../web/pages/recording/recording.ts';
import type { Recording, Turn } from '../../../web/pages/recording/turn-key.ts';
import { saidAround } from '../../../web/pages/recording/sidenotes/list.ts';
import { stepsOf } from '../../../web/pages/recording/steps.ts';
import { peakRate, peaksForPixels } from '../../../web/pages/recording/waveform.ts';
import { compareVersions, sideOf } from '../../../web/pages/recording/word-diff.ts';
import {
  placeInSpeech,
  placeInText,
  writtenWords,
} from '../../../web/pages/recording/words-of-turn.ts';
import Measuring from '../../../web/pages/speakers/Measuring.svelte';
import {
  namesToSend,
  offersFor,
  twinOf,
  withSuggestions,
} from '../../../web/pages/speakers/naming.ts';
import { limits } from '../../../src/http/limits.ts';
import { speakerNumber } from '../../../projections/recording/written-texts.ts';
import { markOfName, speakerNumberOf } from '../../../web/components/speaker-marks.ts';
import { seeded } from '../../support/seeded.ts';

const turn = (index: number, start: number, text: string, speaker = 'SPEAKER_00'): Turn => ({
  index,
  block: `t-${index}`,
  start,
  end: start + text.split(' ').length,
  speaker,
  text,
  words: text.split(' ').map((word, k) => ({ text: word, start: start + k, end: start + k + 0.8 })),
});

test('the word that is said is found at every moment, as a look at all words finds it', () => {
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
  const random = seeded(seed);
  const turns = Array.from({ length: 40 }, (_, at) =>
    turn(
      at,
      at * 3 + random.below(4),
      'one two three four'.split(' ').slice(random.below(3)).join(' '),
    ),
  );
  turns.push({ ...turn(40, 200, 'without times'), words: [] });
  const timeline = timelineOf(turns);
  const all = turns
    .flatMap((one, at) =>
      (one.words.length > 0 ? one.words : [one]).map(({ start }, word) => ({
        start,
        turn: at,
        word,
      })),
    )
    .toSorted((a, b) => a.start - b.start);
  for (let k = 0; k < 300; k += 1) {
    const time = random.below(2100) / 10;
    const last = all.findLast(({ start }) => start <= time);
    assert.deepEqual(
      spotAt(timeline, time),
      last === undefined ? null : { turn: last.turn, word: last.word },
      `SEED=${seed}, at ${time}`,
    );
  }
  assert.equal(spotAt(timelineOf([]), 1), null);
});

test('pauses are skipped to shortly before the next word, and talk never is', () => {
  const timeline = timelineOf([
    turn(0, 1, 'one two'),
    // Talked over: the pause begins when the longer of the two ends.
    { ...turn(1, 1.5, 'long'), words: [{ text: 'long', start: 1.5, end: 6 }] },
    turn(2, 20, 'three'),
  ]);
  assert.equal(afterPause(timeline, 2.9), null);
  assert.equal(afterPause(timeline, 5.9), null);
  assert.equal(afterPause(timeline, 6.5), 19.75);
  assert.equal(afterPause(timeline, 19.7), null);
  assert.equal(afterPause(timeline, 20.5), null);
  assert.equal(afterPause(timeline, 30), null, 'nothing comes after the last word');
  assert.equal(afterPause(timeline, 0), null, 'a second before the first word is no pause');
});

test('lanes fill the strip, none narrower than two pixels, and none beside one of the same speaker', () => {
  const random = seeded(3);
  const turns = Array.from({ length: 3000 }, (_, at) => ({
    speaker: `SPEAKER_0${random.below(4)}`,
    start: at * 3.6,
    end: at * 3.6 + 3,
  }));
  const lanes = lanesOf(turns, { duration: 10_800, width: 700 });
  assert.ok(lanes.length > 100 && lanes.length <= 350, String(lanes.length));
  let at = 0;
  for (const [k, { label, start, size }] of lanes.entries()) {
    assert.ok(Math.abs(start - at) < 1e-6);
    assert.ok((size * 700) / 10_800 >= 2 - 1e-6);
    assert.notEqual(label, lanes[k - 1]?.label);
    assert.notEqual(label, null, 'there is talk in every column');
    at = start + size;
  }
  assert.ok(Math.abs(at - 10_800) < 1e-6);
  const [first, , last] = lanesOf([{ speaker: 'A', start: 10, end: 20 }], {
    duration: 30,
    width: 300,
  });
  assert.deepEqual([first?.label, first?.size.toFixed(3)], [null, '10.000']);
  assert.equal(last?.label, null);
  assert.deepEqual(lanesOf(turns, { duration: 0, width: 700 }), []);
});

test('what is sought is found in all turns, and replaced in those alone that have it', () => {
  const turns = [
    turn(0, 0, 'The lift (old) stops.'),
    turn(1, 9, 'No hoist here.'),
    turn(2, 12, 'A Lift? The LIFT!'),
  ];
  const hits = findIn(turns, 'lift');
  assert.deepEqual(
    hits.map((hit) => hit.turn),
    ['t-0', 't-2', 't-2'],
  );
  assert.equal(findIn(turns, 'lift', { exactly: true }).length, 1);
  assert.equal(findIn(turns, '(old)').length, 1, 'what is typed is no pattern');
  assert.deepEqual(findIn(turns, '  '), []);
  assert.deepEqual(replaceIn(turns, hits, '$& elevator'), [
    {
      block: 't-0',
      from: { text: 'The lift (old) stops.' },
      to: { text: 'The $& elevator (old) stops.' },
    },
    {
      block: 't-2',
      from: { text: 'A Lift? The LIFT!' },
      to: { text: 'A $& elevator? The $& elevator!' },
    },
  ]);
  assert.deepEqual(replaceIn(turns, findIn(turns, 'hoist'), 'hoist'), []);
  const pieces = piecesOf(turns[2]!.text, byTurn(hits).get('t-2')!);
  assert.equal(pieces.map(({ text }) => text).join(''), turns[2]!.text);
  assert.deepEqual(
    pieces.map(({ hit }) => hit),
    [null, 1, null, 2, null],
  );
});

test('two versions are compared word by word; the same turns are left out', () => {
  const said = (text: string, speaker = 'Ada') => ({ speaker, text });
  const compared = compareVersions(
    [said('Good.'), said('The plasterer is dry.'), said('Gone.')],
    [said('Good.'), said('The plaster is dry.')],
  )!;
  assert.deepEqual([compared.pairs.length, compared.words], [2, 2]);
  const [changed, removed] = compared.pairs;
  const marked = (parts: { text: string; change: string }[]) =>
    parts.filter(({ change }) => change !== 'same').map(({ text }) => text.trim());
  assert.deepEqual(marked(sideOf(changed!, 'before')!.parts), ['plasterer']);
  assert.deepEqual(marked(sideOf(changed!, 'after')!.parts), ['plaster']);
  assert.deepEqual(marked(changed!.parts), ['plasterer', 'plaster']);
  assert.equal(sideOf(removed!, 'after'), null);
  assert.deepEqual(compareVersions([said('a')], [said('a')]), { pairs: [], words: 0 });
  const another = compareVersions([said('a')], [said('a', 'Ben')])!;
  assert.equal(another.pairs.length, 1, 'another speaker differs');
});

test('a correction says what it goes from, one that changes nothing is none, and a block of another time is another turn', () => {
  const [one, two] = [turn(0, 0, 'One'), turn(1, 5, 'Two', 'SPEAKER_01')];
  const draft = draftOf(two)!;
  assert.equal(editOf(draft), null);
  const edited = { ...draft, text: ' Two  too ' };
  const block = 't-1';
  assert.deepEqual(editOf(edited), { block, from: { text: 'Two' }, to: { text: 'Two too' } });
  assert.deepEqual(editOf({ ...edited, newName: 'Dora' }), {
    block,
    from: { text: 'Two', speaker: 'SPEAKER_01' },
    to: { text: 'Two too', speaker: 'Dora' },
  });
  assert.equal(turnOfDraft(draft, [one, two]), two);
  // After the recording was recognised anew an id may be that of another turn.
  assert.equal(turnOfDraft(draft, [{ ...two, start: 90, end: 95 }]), undefined);
  assert.equal(draftOf({ ...one, block: null }), null);
});

test('written words have times, also where they are not as many as were recognised', () => {
  const one = turn(0, 10, 'one two three');
  assert.deepEqual(
    writtenWords(one).map(({ start }) => start),
    [10, 11, 12],
  );
  const corrected = { ...one, text: 'one, two and then three!', end: 15 };
  const starts = writtenWords(corrected).map(({ start }) => start);
  assert.deepEqual(
    starts,
    starts.toSorted((a, b) => a - b),
  );
  assert.deepEqual([starts[0], starts.length], [10, 5]);
  assert.equal(placeInText(corrected, 2), 3);
  assert.deepEqual(
    writtenWords({ ...one, words: [], end: 16 }).map(({ start }) => start),
    [10, 12, 14],
  );
});

test('a passage is cut before the word behind the caret', () => {
  const one = turn(0, 10, 'one two three');
  assert.deepEqual(
    [1, 4, 8].map((caret) => placeInSpeech(one, caret)),
    [1, 1, 2],
  );
  assert.equal(placeInSpeech({ ...one, text: 'one – – two three' }, 12), 2);
  assert.equal(placeInSpeech({ ...one, words: [] }, 8), 2);
  // Of what is not made of its words, about there.
  assert.equal(placeInSpeech({ ...one, text: '1 – 2 – 3' }, 6), 1);
});

test('peaks are one a pixel, and as few are asked for as that takes', () => {
  assert.equal(peakRate(10_800, 700), 1);
  assert.equal(peakRate(100, 700), 10);
  assert.equal(peakRate(1, 7000), 100);
  const peaks = peaksForPixels([0, 0.1, 0.5, 0.2, 0, 0], 3);
  assert.deepEqual(
    peaks.map((peak) => peak.toFixed(1)),
    ['0.2', '1.0', '0.0'],
  );
  assert.deepEqual(peaksForPixels([], 3), [0]);
});

test('steps say what is done, what runs side by side, what failed and what is to come', () => {
  const base = { kind: 'meeting' as const, stage: null, error: null, activities: [] };
  const states = (recording: Parameters<typeof stepsOf>[0]) =>
    stepsOf(recording).map(({ state }) => state);
  assert.deepEqual(states({ ...base, status: 'AWAITING_SPEAKERS', state: 'awaiting-speakers' }), [
    'done',
    'done',
    'done',
    'waits',
    'to-come',
    'to-come',
    'to-come',
  ]);
  assert.deepEqual(
    states({
      ...base,
      kind: 'solo',
      status: 'TRANSCRIBING',
      stage: 'punctuate',
      state: 'transcribing.finishing(punctuate.running,summarise.done)',
    }),
    ['done', 'done', 'runs', 'done', 'to-come'],
  );
  const failed = { code: 'x', message: null, reason: null, retriable: true, at: '' };
  const error = { stage: 'summarise' as const, ...failed };
  assert.deepEqual(states({ ...base, status: 'ERROR', state: 'error', error }).slice(-3), [
    'done',
    'failed',
    'to-come',
  ]);
});

test('keys act on the page, and never in a field, a dialog or on what the browser does itself', () => {
  const key = (name: string, more: object = {}, state = { isFinding: false, hasUndo: true }) =>
    actOfKey(
      {
        key: name,
        ctrlKey: false,
        metaKey: false,
        altKey: false,
        shiftKey: false,
        target: null,
        defaultPrevented: false,
        ...more,
      },
      state,
    );
  assert.deepEqual(
    [' ', 'K', 'ArrowLeft', 'l', '<', '>', 'x'].map((name) => key(name)),
    ['toggle', 'toggle', -5, 10, 'slower', 'faster', null],
  );
  assert.equal(key('k', { altKey: true }), null);
  const within = (html: string) => {
    document.body.innerHTML = html;
    return { target: document.body.querySelector('[data-here]') };
  };
  const field = within('<textarea data-here></textarea>');
  assert.deepEqual(
    [key('k', field), key(' ', field), key('z', { ...field, ctrlKey: true })],
    [null, null, null],
  );
  assert.equal(key('k', within('<dialog><button data-here></button></dialog>')), null);
  const button = within('<button><b data-here></b></button>');
  assert.deepEqual([key(' ', button), key('k', button)], [null, 'toggle']);
  const slider = within('<input type="range" data-here>');
  assert.deepEqual([key(' ', slider), key('ArrowLeft', slider)], ['toggle', null]);
  assert.equal(key('f', { ctrlKey: true }), 'find');
  assert.equal(
    key('f', { ctrlKey: true }, { isFinding: true, hasUndo: false }),
    null,
    'the second is the browser’s',
  );
  assert.equal(key('z', { metaKey: true }), 'undo');
  assert.equal(key('z', { metaKey: true }, { isFinding: false, hasUndo: false }), null);
  // Keys of one character may be switched off (WCAG 2.1.4); those that are none act on.
  const off = { isFinding: false, hasUndo: true, single: false };
  assert.deepEqual(
    ['k', 'j', '>', ' ', 'ArrowLeft'].map((name) => key(name, {}, off)),
    [null, null, null, 'toggle', -5],
  );
  assert.equal(key('f', { ctrlKey: true }, off), 'find');
});

test('a name that was typed stays, the same name twice is said, and known people are offered', () => {
  const speaker = (label: string, suggested: string | null) => ({
    label,
    shown: label,
    suggested_name: suggested,
    confidence: null,
    reason: null,
    quote: null,
    seconds: 1,
    share: 0.5,
    sample: null,
    samples: [],
  });
  const speakers = [speaker('SPEAKER_00', 'Ada'), speaker('SPEAKER_01', null)];
  const first = withSuggestions({}, speakers);
  assert.deepEqual(first['SPEAKER_00'], { name: 'Ada', typed: false });
  const typed = { ...first, SPEAKER_00: { name: 'Eva', typed: true } };
  const named = (second: string) =>
    withSuggestions(typed, [speaker('SPEAKER_00', 'Ada M.'), speaker('SPEAKER_01', second)]);
  const later = named(' Eva ');
  assert.equal(later['SPEAKER_00']?.name, 'Eva');
  const emptied = { ...first, SPEAKER_00: { name: ' ', typed: true } };
  assert.deepEqual(namesToSend(emptied), { SPEAKER_00: '', SPEAKER_01: '' });
  assert.equal(later['SPEAKER_01']?.name, ' Eva ');
  assert.equal(twinOf('SPEAKER_01', later, speakers)?.label, 'SPEAKER_00');
  assert.equal(twinOf('SPEAKER_01', named(' eva '), speakers), undefined, 'that is another name');
  assert.equal(twinOf('SPEAKER_00', later, speakers), undefined, 'the first is nobody’s twin');
  assert.equal(twinOf('SPEAKER_01', first, speakers), undefined);
  const people = ['Cleo Sample', 'Ada Muster', 'Claus Platzhalter'];
  assert.deepEqual(offersFor('cl', people), ['Cleo Sample', 'Claus Platzhalter']);
  assert.deepEqual(offersFor('mus', people), ['Ada Muster']);
  assert.deepEqual(offersFor('ada muster', people), [], 'a whole name asks no more');
  assert.deepEqual(offersFor('', people), []);
});

test('who said a passage is not taken back in another transcript, where its block is another sentence', async () => {
  const said = (revision: string, speaker: string, start: number) =>
    ({
      speakers_revision: revision,
      speakers: [],
      utterances: [{ ...turn(1, start, 'one two', speaker), revision: speaker }],
    }) as unknown as Recording;
  let now = said('5', 'SPEAKER_00', 3);
  const note = { id: 'a', now: () => now, refresh: async () => true, renamed: new Map() };
  const edit = { block: 't-1', from: { speaker: 'SPEAKER_00' }, to: { speaker: 'SPEAKER_01' } };
  const plan = correcting(note, [edit]);
  now = said('5', 'SPEAKER_01', 3);
  assert.ok(plan.isDone(now));
  const back = plan.back();
  for (const other of [said('9', 'SPEAKER_01', 3), said('5', 'SPEAKER_01', 30)]) {
    now = other;
    await assert.rejects(back.send(), ChangedSince);
  }
});

test('many corrections are as many changes as the service takes at once: what was made before one is refused can be taken back', async (t) => {
  const sent: number[] = [];
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    if (request.method !== 'PATCH') return Response.json([]);
    const { edits } = (await request.json()) as { edits: object[] };
    sent.push(edits.length);
    return sent.length === 2
      ? Response.json({ type: '/problems/changed-since', title: '', status: 412 }, { status: 412 })
      : Response.json({});
  });
  const utterances = Array.from({ length: 2500 }, (_, at) => ({
    ...turn(at, at, 'one'),
    revision: 'r',
  }));
  const recording = { speakers_revision: '5', speakers: [], utterances, summary: { lines: [] } };
  const state = atom({ state: 'there', shown: { recording, heard: [], behind: null } });
  const opened = { state, saved: atom(null), refresh: async () => true, close: () => {} };
  const work = openWork('a', opened as unknown as OpenRecording);
  t.after(work.close);
  const edits = utterances.map((_, at) => ({
    block: `t-${at}`,
    from: { text: 'one' },
    to: { text: 'two' },
  }));
  assert.equal(await work.replace(edits), false);
  assert.deepEqual(sent, [limits.turnEditsMax, limits.turnEditsMax]);
  assert.deepEqual(
    work.changes.list.get().map(({ said }) => said),
    ['1000 passages corrected.'],
  );
});

test('speakers are counted on pages as in documents', () => {
  for (const label of ['SPEAKER_00', 'SPEAKER_09', 'SPEAKER_19', 'SPEAKER_1', 'SPEAKER_2'])
    assert.equal(speakerNumberOf(label), speakerNumber(label), label);
});

test('known voices: how many are measured again, cannot be, or failed; and that no model is there', (t) => {
  const measuring = {
    embedding_model: 'titanet-small',
    waiting: 0,
    without_audio: 0,
    given_up: 0,
    now: null,
  };
  const said = (change: object) =>
    show(t, Measuring, { measuring: { ...measuring, ...change } }).textContent.trim();
  assert.equal(said({}), '');
  const now = { recording_id: 'r', fraction: 0.4 };
  const all = said({ waiting: 6, without_audio: 2, given_up: 1, now });
  assert.match(
    all,
    /^The voices from 3 meetings are being analysed again, .* Current meeting: 40%/su,
  );
  assert.match(all, /from 2 meetings stay as they are because their audio was not kept/);
  assert.match(all, /from 1 meeting could not be analysed\. Mitschrift tries again/);
  assert.match(said({ embedding_model: null }), /^Voices can’t be remembered or recognised/);
});

test('attempts are counted a stage, and begin again with the next processing', () => {
  const started = (stage: string) =>
    ({ type: 'stage.started', data: { stage } }) as unknown as Fact;
  const again = { type: 'reprocessing.requested', data: {} } as unknown as Fact;
  const facts = ['transcribe', 'punctuate', 'punctuate', 'write'].map(started);
  const all = [...facts, again, started('punctuate')];
  const attempts = attemptsOf(all);
  assert.deepEqual(
    all.map((fact) => attempts.get(fact)),
    [1, 1, 2, 1, undefined, 1],
  );
});

test('attempts begin again with other audio, and at writing with each change of the note', () => {
  const fact = (type: string, more: object = {}) =>
    ({ type, data: {}, ...more }) as unknown as Fact;
  const started = (stage: string) => fact('stage.started', { data: { stage } });
  const writing = { from: 'idle.saved', to: 'transcribing.writing' };
  const all = [
    started('transcribe'),
    fact('audio.extended'),
    started('transcribe'),
    fact('audio.assembled'),
    started('transcribe'),
    started('write'),
    fact('title.changed', writing),
    started('write'),
    fact('stage.failed', { data: { stage: 'write' }, from: writing.to, to: 'error' }),
    fact('retry.requested', { from: 'error', to: writing.to }),
    started('write'),
  ];
  const attempts = attemptsOf(all);
  assert.deepEqual(
    all.flatMap((one) => attempts.get(one) ?? []),
    [1, 1, 1, 1, 1, 2],
  );
});

test('a recording whose documents are gone has no version', () => {
  const at = '2026-03-01T10:00:00Z';
  const facts = [
    { type: 'documents.saved', from: 'transcribing.writing', to: 'idle.saved', version: 2 },
    { type: 'documents.deleted', from: 'idle.saved', to: 'idle.kept' },
    { type: 'documents.saved', from: 'transcribing.writing', to: 'idle.saved', version: 3 },
    { type: 'audio.assembled', from: 'idle.saved', to: 'transcribing.recognising' },
  ].map(({ version, ...rest }) => ({ ...rest, at, data: { version } }) as unknown as Fact);
  const versions = [1, 2, 3, 4].map((count) => momentAt(chartJson(), facts, count).version);
  assert.deepEqual(versions, [2, 0, 3, 0]);
});

test('what is accepted on any condition is said without one', () => {
  const active = new Set(['idle', 'idle.saved']);
  const possible = possibleAt(chartJson(), { active } as unknown as Moment);
  const conditionsOf = (event: string) => possible.find((one) => one.event === event)?.conditions;
  assert.deepEqual(conditionsOf('documents.deleted'), []);
  assert.ok(conditionsOf('version.restored')!.length > 0);
});

test('a moment that is marked in a long passage shows what was said then, not how the passage began', () => {
  const numbers = Array.from({ length: 40 }, (_, second) => `w${second}`).join(' ');
  const long = turn(0, 100, numbers);
  assert.equal(saidAround(long, 105), numbers);
  assert.match(saidAround(long, 130), /^… w22 w23 .* w39$/u);
  // Said before a silence: its last words.
  assert.match(saidAround(long, 300), /^… w25 .* w39$/u);
  assert.equal(saidAround(turn(0, 0, 'A few words.'), 60), 'A few words.');
});

test('in lists somebody without a name is marked by the number, in the colour of the note', () => {
  assert.deepEqual(markOfName('Anna', 0), { colour: 1, initial: 'A' });
  assert.deepEqual(markOfName('Sprecher 3', 0), { colour: 3, initial: '3' });
  assert.deepEqual(markOfName('Speaker 12', 4), { colour: 4, initial: '12' });
  assert.deepEqual(markOfName('Speaker Pelosi', 1), { colour: 2, initial: 'S' });
});
