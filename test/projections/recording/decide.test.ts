import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefusal } from '../../../events/command-handler.ts';
import type { RecordingFact } from '../../../events/facts/recording.ts';
import {
  cancel,
  changeRecording,
  erase,
  nameSpeakers,
  postponeSpeakers,
  renameSpeakers,
  restoreVersion,
  skipSpeakers,
  type DecideRecording,
} from '../../../projections/recording/decide.ts';
import { editDocument } from '../../../projections/recording/edit-document.ts';
import { editSummary } from '../../../projections/recording/edit-summary.ts';
import { editTurn, editTurns, splitTurn } from '../../../projections/recording/edit-turns.ts';
import { draft, published } from '../../../projections/recording/reading.ts';
import { evolve, noRecording } from '../../../projections/recording/recording.ts';
import { speakerName } from '../../../src/documents/documents.ts';

const worker = { engine: 'local', model: null };
const turn = (id: string, speaker: string | null, text: string) => ({
  id,
  speaker,
  start: 0,
  end: 2,
  text,
  words: [],
});
const turns = [turn('t-1', 'SPEAKER_1', 'good morning'), turn('t-2', 'SPEAKER_2', 'hello')];
const imported: RecordingFact = {
  type: 'audio.imported',
  data: {
    owner: 'anna',
    kind: 'meeting',
    language: null,
    speakers: null,
    path: 'audio.wav',
    bytes: 1,
    sha256: 'a',
    duration: 4,
    started_at: '2026-03-01T10:00:00Z',
  },
  content: { title: 'Asked for' },
};
const joined: RecordingFact = {
  type: 'turns.joined',
  data: { speakers: ['SPEAKER_1', 'SPEAKER_2'].map((label) => ({ label, seconds: 2 })) },
  content: { turns, suggestions: [] },
};
const named = (names: Record<string, string>): RecordingFact => ({
  type: 'speakers.named',
  data: { labels: Object.keys(names) },
  content: { names },
});
const heard: RecordingFact = {
  type: 'transcription.completed',
  data: { ...worker, language: 'en', utterances: 2, words: 3 },
};
const punctuated: RecordingFact = {
  type: 'transcript.punctuated',
  data: { ...worker, parts: 1, kept: [] },
  content: { blocks: turns },
};
const summary: RecordingFact = {
  type: 'summary.completed',
  data: { ...worker, parts: 1, language: 'en' },
  content: { text: 'They greet.' },
};
const title: RecordingFact = {
  type: 'title.chosen',
  data: worker,
  content: { title: 'A greeting', abstract: 'Two people greet.' },
};
const saved = (version: number): RecordingFact => ({
  type: 'documents.saved',
  data: {
    version,
    renderer: 1,
    sha256: { index: 'i', transcript: 't', summary: 's' },
    kept: [],
  },
  content: { paths: { index: 'i', transcript: 't', summary: 's' } },
});
const waiting = [imported, heard, joined];
const meeting = [...waiting, named({ SPEAKER_1: 'Anna' }), punctuated, summary, title, saved(1)];
/** Version of the fact whose turns these are. */
const basis = meeting.indexOf(punctuated) + 1;

const recordingAfter = (facts: readonly RecordingFact[]) =>
  facts.reduce(
    (recording, fact, index) =>
      evolve(recording, {
        ...fact,
        version: index + 1,
        at: '2026-03-01T10:00:00Z',
        by: 'anna',
      }),
    noRecording('r1'),
  );
const given = (facts: readonly RecordingFact[], state = 'idle.saved') => ({
  when: (decide: DecideRecording) => ({
    expect(expected: unknown) {
      const decision = decide(recordingAfter(facts), state);
      assert.deepEqual(isRefusal(decision) ? decision.refused : decision, expected);
    },
  }),
});
const edit = (index: number, change: { text?: string; speaker?: string }) =>
  editTurn(index, change, speakerName);
/** Each turn takes two seconds. @param spoken how long each speaks after it; null: the last of several says it */
const edited = (
  block: string,
  speaker: string | null,
  spoken: Record<string, number> | null,
  { from, ...content }: { from: string; text: string; words: []; name?: string },
) => ({
  type: 'turn.edited',
  data: {
    basis,
    block,
    speaker,
    ...(spoken && { spoken }),
    moved: { from: [from], to: [speaker] },
  },
  content,
});

/** Voices are not remembered, and no language model is set. */
const asSet = { remember: false, hasLanguageModel: false };

test('a meeting is put off once, and again when it waits anew', () => {
  const postponed: RecordingFact = { type: 'speakers.postponed', data: {} };
  const again: RecordingFact[] = [
    { type: 'processing.cancelled', data: {} },
    { type: 'reprocessing.requested', data: { from: 'language-model' } },
  ];
  const later = (facts: RecordingFact[], expected: RecordingFact[]) =>
    given([...waiting, ...facts], 'awaiting-speakers')
      .when(postponeSpeakers)
      .expect(expected);
  later([], [postponed]);
  later([postponed], []);
  later([postponed, ...again], [postponed]);
  later([postponed, ...again, postponed], []);
});

test('a title, a kind, a language and an owner are one fact each, and none where it is so already', () => {
  const all = { title: 'Mine', kind: 'solo', language: 'de', owner: 'bert' } as const;
  const facts: RecordingFact[] = [
    { type: 'title.changed', data: {}, content: { title: 'Mine', previous: 'A greeting' } },
    { type: 'kind.changed', data: { kind: 'solo' } },
    { type: 'language.set', data: { language: 'de' } },
    { type: 'recording.handed_over', data: { owner: 'bert' } },
  ];
  given(meeting).when(changeRecording(all)).expect(facts);
  given([...meeting, ...facts])
    .when(changeRecording(all))
    .expect([]);
  given(meeting).when(changeRecording({})).expect([]);
});

test('before there are documents a title replaces the one that was asked for', () => {
  const content = { title: 'Mine', previous: 'Asked for' };
  given([imported], 'transcribing.recognising')
    .when(changeRecording({ title: 'Mine' }))
    .expect([{ type: 'title.changed', data: {}, content }]);
});

test('a language is set also to what was heard, and back to it', () => {
  const set = (language: string | null) => ({ type: 'language.set', data: { language } });
  given(meeting)
    .when(changeRecording({ language: 'en' }))
    .expect([set('en')]);
  const german = { type: 'language.set', data: { language: 'de' } } as const;
  given([...meeting, german])
    .when(changeRecording({ language: null }))
    .expect([set(null)]);
});

test('a turn is corrected: its words, its speaker by label, by name, as shown, or a new one', () => {
  const words = { text: 'hello there', words: [] };
  const corrected = edit(1, { text: 'hello there' })(recordingAfter(meeting), 'idle.saved');
  assert.ok(!isRefusal(corrected));
  assert.equal(corrected[0]?.content?.text, words.text);
  const same: Parameters<typeof edited>[3] = { from: 'SPEAKER_2', text: 'hello', words: [] };
  for (const speaker of ['SPEAKER_1', 'Anna']) {
    given(meeting)
      .when(edit(1, { speaker }))
      .expect([edited('t-2', 'SPEAKER_1', { SPEAKER_1: 4 }, same)]);
  }
  given(meeting)
    .when(edit(0, { speaker: 'Speaker 2' }))
    .expect([
      edited(
        't-1',
        'SPEAKER_2',
        { SPEAKER_2: 4 },
        { from: 'SPEAKER_1', text: 'good morning', words: [] },
      ),
    ]);
  given(meeting)
    .when(edit(1, { speaker: 'Bo' }))
    .expect([edited('t-2', 'SPEAKER_3', { SPEAKER_1: 2, SPEAKER_3: 2 }, { ...same, name: 'Bo' })]);
  given(meeting)
    .when(edit(1, { text: 'hello', speaker: 'Speaker 2' }))
    .expect([]);
});

test('a turn in a script without blanks is corrected, and can be cut before any letter after that', () => {
  const said = '我们今天和张先生开会。';
  const words = Array.from('我们今天和张先生开会', (text, start) => ({
    text,
    start,
    end: start + 1,
  }));
  const block = { ...turn('t-1', 'SPEAKER_1', said), end: 10, words };
  const facts = meeting.map((fact) =>
    fact === punctuated ? { ...punctuated, content: { blocks: [block] } } : fact,
  );
  const decided = edit(0, { text: '我们今天和章先生开会。' })(recordingAfter(facts), 'idle.saved');
  assert.ok(!isRefusal(decided));
  const split = splitTurn(0, { word: 5 }, speakerName);
  const cut = split(recordingAfter([...facts, ...decided]), 'idle.saved');
  assert.ok(!isRefusal(cut));
  assert.deepEqual(
    cut.map(({ data, content }) => [
      data.by.map(({ start }) => start),
      content?.turns.map(({ text }) => text),
    ]),
    [
      [
        [0, 5],
        ['我们今天和', '章先生开会。'],
      ],
    ],
  );
});

test('while a version is restored nothing is said of what it replaces', () => {
  const again = [...meeting, { ...punctuated }, summary, title, saved(2)];
  const decided = restoreVersion(1)(recordingAfter(again));
  assert.ok(!isRefusal(decided));
  const restoring = given([...again, ...decided]);
  const about = { document: 'transcript', markdown: '# mine', replaces: 'hash' } as const;
  restoring.when(edit(0, { text: 'good evening' })).expect('TURNS_CHANGED');
  restoring
    .when(editDocument(about, () => ({ changes: [], own: true }), speakerName, 'anna'))
    .expect('TURNS_CHANGED');
  restoring.when(editSummary([{ add: { text: 'A point' } }], 'anna')).expect('SUMMARY_CHANGED');
  const restored = recordingAfter([...again, ...decided, saved(3)]);
  assert.ok(!isRefusal(edit(0, { text: 'good evening' })(restored, 'idle.saved')));
});

test('of many corrections at once the last says how long each speaks after them', () => {
  const edits = [0, 1].map((turn) => ({ turn, seen: undefined, speaker: 'Bo' }));
  const decided = editTurns(edits, speakerName)(recordingAfter(meeting), 'idle.saved');
  assert.ok(!isRefusal(decided));
  assert.deepEqual(
    decided.map(({ data }) => data.spoken),
    [undefined, { SPEAKER_3: 4 }],
  );
  const { speakers } = published(recordingAfter([...meeting, ...decided]))!;
  assert.deepEqual(
    speakers.map(({ seconds }) => seconds),
    [0, 0, 4],
  );
});

test('a turn that does not exist, or has no speaker, or no documents, is not corrected', () => {
  given(meeting)
    .when(edit(2, { text: 'x' }))
    .expect('NO_SUCH_TURN');
  given(meeting)
    .when(edit(-1, { text: 'x' }))
    .expect('NO_SUCH_TURN');
  given(waiting)
    .when(edit(0, { text: 'x' }))
    .expect('NO_DOCUMENTS');
  const spoken: RecordingFact = {
    type: 'transcript.punctuated',
    data: { ...worker, parts: 1, kept: [] },
    content: { blocks: [turn('t-1', null, 'hello')] },
  };
  const solo = [imported, heard, spoken, summary, title, saved(1)];
  given(solo)
    .when(edit(0, { speaker: 'Bo' }))
    .expect('NO_SPEAKERS');
  given(solo)
    .when(splitTurn(0, { word: 1, speaker: 'Bo' }, speakerName))
    .expect('NO_SPEAKERS');
});

test('an edited document corrects turns, one new speaker for all of them; the rest is kept as a whole', () => {
  const about = { document: 'transcript', markdown: '# mine', replaces: 'hash' } as const;
  const changes = [
    { block: 't-1', speaker: 'Bo' },
    { block: 't-2', speaker: 'Bo' },
    { block: 't-9', text: 'gone' },
  ];
  const data = { document: 'transcript', replaces: 'hash' };
  given(meeting)
    .when(editDocument(about, () => ({ changes, own: true }), speakerName, 'anna'))
    .expect([
      edited('t-1', 'SPEAKER_3', null, {
        from: 'SPEAKER_1',
        text: 'good morning',
        words: [],
        name: 'Bo',
      }),
      edited(
        't-2',
        'SPEAKER_3',
        { SPEAKER_3: 4 },
        { from: 'SPEAKER_2', text: 'hello', words: [], name: 'Bo' },
      ),
      {
        type: 'document.edited',
        data: { ...data, own: true },
        content: { markdown: '# mine' },
      },
    ]);
  given(meeting)
    .when(editDocument(about, () => ({ changes: [], own: false }), speakerName, 'anna'))
    .expect([{ type: 'document.edited', data: { ...data, own: false }, content: {} }]);
  given(waiting)
    .when(editDocument(about, () => ({ changes: [], own: false }), speakerName, 'anna'))
    .expect('NO_DOCUMENTS');
});

test('speakers are renamed all at once; an empty name takes a name away', () => {
  const renamed = (names: Record<string, string>) => ({
    type: 'speakers.renamed',
    data: { labels: Object.keys(names) },
    content: { names },
  });
  given(meeting)
    .when(renameSpeakers({ SPEAKER_2: 'Bo' }, asSet))
    .expect([renamed({ SPEAKER_1: 'Anna', SPEAKER_2: 'Bo' })]);
  given(meeting)
    .when(renameSpeakers({ SPEAKER_1: '' }, asSet))
    .expect([renamed({})]);
  given(meeting)
    .when(renameSpeakers({ SPEAKER_1: 'Anna', SPEAKER_2: '' }, asSet))
    .expect([]);
  given(meeting)
    .when(renameSpeakers({ SPEAKER_9: 'Bo' }, asSet))
    .expect('UNKNOWN_LABELS');
  given(waiting)
    .when(renameSpeakers({ SPEAKER_1: 'Bo' }, asSet))
    .expect('NO_DOCUMENTS');
});

test('what a language model wrote is changed with a name that it mentions, where it is certain who is meant', () => {
  const line = { kind: 'task', speaker: null, person: null, due: null, block: 't-1' } as const;
  const written = (text: string, lines: string[] = [], engine = 'language-model') => [
    { ...imported, content: {} } as RecordingFact,
    ...waiting.slice(1),
    named({ SPEAKER_1: 'Anna', SPEAKER_2: 'Anna Maier' }),
    punctuated,
    {
      ...summary,
      data: { ...summary.data, engine },
      content: {
        text,
        ...(lines.length > 0 ? { lines: lines.map((one) => ({ ...line, text: one })) } : {}),
      },
    } as RecordingFact,
    {
      ...title,
      data: { ...worker, engine },
      content: { title: 'Anna asks', abstract: text },
    } as RecordingFact,
    saved(1),
  ];
  const after = (
    facts: readonly RecordingFact[],
    names: Record<string, string>,
    hasLanguageModel = false,
  ) => {
    const decision = renameSpeakers(names, { ...asSet, hasLanguageModel })(recordingAfter(facts));
    assert.ok(!isRefusal(decision));
    const [fact] = decision;
    assert.ok(fact?.type === 'speakers.renamed');
    return fact;
  };
  const text = 'Anna greets Anna Maier. Annas Hund, Annalena: *Anna*.';
  const replaced = 'SPEAKER_1 greets Anna Maier. Annas Hund, Annalena: *SPEAKER_1*.';
  const eva = after(written(text), { SPEAKER_1: '[[Eva]]' }, true);
  assert.equal(eva.data.texts, 'again');
  assert.deepEqual(
    [eva.content?.summary, eva.content?.abstract, eva.content?.title],
    [replaced, replaced, '[[Eva]] asks'],
  );
  // Both change at once, each to what the other was.
  const swapped = after(written(text), { SPEAKER_1: 'Anna Maier', SPEAKER_2: 'Anna' });
  assert.deepEqual(
    [swapped.data.texts, swapped.content?.summary],
    ['replaced', replaced.replace('Anna Maier', 'SPEAKER_2')],
  );
  // Two were called so, and one still is: it may be either.
  const two = [
    ...written('Anna greets.').slice(0, 3),
    named({ SPEAKER_1: 'Anna', SPEAKER_2: 'Anna' }),
  ];
  const either = after([...two, ...written('Anna greets.').slice(4)], { SPEAKER_1: 'Eva' });
  assert.deepEqual([either.data.texts, either.content?.summary], ['replaced', 'Anna greets.']);
  // Lines are shown in place of the text; the name before each is that of its label.
  const lines = after(written('Anna: greets', ['greets Anna', 'greets']), { SPEAKER_1: 'Eva' });
  assert.deepEqual(
    lines.content?.lines?.map((one) => one.text),
    ['greets SPEAKER_1', 'greets'],
  );
  // A name that goes in part; one that is not mentioned; an extract, which people said.
  assert.equal(
    after(written('Maier greets.'), { SPEAKER_2: 'Anna Koch' }, true).data.texts,
    'again',
  );
  for (const facts of [written('They greet.'), written(text, [], 'built-in')]) {
    const none = after(facts, { SPEAKER_2: 'Bo' }, true);
    assert.deepEqual([none.data.texts, Object.keys(none.content ?? {})], [undefined, ['names']]);
  }
  // A later change that nothing mentions keeps what the first one made.
  const first = [...written(text), eva, saved(2)];
  const later = after(first, { SPEAKER_1: 'Ida' }, true);
  assert.deepEqual(
    [later.data.texts, later.content?.summary],
    ['again', replaced],
    'the title has the name',
  );
  // What was made again meanwhile is what the next documents are made of: it is not replaced by what was before.
  const told = [...first, { ...summary, content: { text: 'Eva greets.' } }, title];
  assert.equal(after(told, { SPEAKER_2: 'Bo' }).data.texts, undefined);
});

test('no speaker is renamed while other turns are about to replace those that are shown', () => {
  const writing = (facts: readonly RecordingFact[], expected: unknown) =>
    given(facts, 'transcribing.writing')
      .when(renameSpeakers({ SPEAKER_1: 'Eva' }, asSet))
      .expect(expected);
  const again: RecordingFact = {
    type: 'reprocessing.requested',
    data: { from: 'speech-to-text' },
  };
  // The same labels, each of the other voice.
  const other = [again, heard, joined, named({ SPEAKER_1: 'Ben', SPEAKER_2: 'Anna' }), punctuated];
  writing([...meeting, ...other, summary, title], 'NO_DOCUMENTS');
  const restored = restoreVersion(1)(recordingAfter([...meeting, saved(2)]));
  assert.ok(!isRefusal(restored));
  writing([...meeting, saved(2), ...restored], 'NO_DOCUMENTS');
  // Once they are shown, they are.
  given([...meeting, ...other, summary, title, saved(2)])
    .when(renameSpeakers({ SPEAKER_1: 'Eva' }, asSet))
    .expect([
      {
        type: 'speakers.renamed',
        data: { labels: ['SPEAKER_1', 'SPEAKER_2'] },
        content: { names: { SPEAKER_1: 'Eva', SPEAKER_2: 'Anna' } },
      },
    ]);
});

test('a line that a person edited has the last name that its speaker had in the turns it was made on', () => {
  const line = { kind: 'task', text: 'brings cake', due: null, block: 't-1' } as const;
  const edited: RecordingFact = {
    type: 'summary.edited',
    data: { basis: 6, turns: waiting.length, edits: [] },
    content: { lines: [{ ...line, speaker: 'SPEAKER_1', person: 'Anna' }] },
  };
  const renamed = (name: string): RecordingFact => ({
    type: 'speakers.renamed',
    data: { labels: name === '' ? [] : ['SPEAKER_1'] },
    content: { names: name === '' ? {} : { SPEAKER_1: name } },
  });
  const again: RecordingFact = { type: 'reprocessing.requested', data: { from: 'speech-to-text' } };
  const other = [again, heard, joined];
  const told = [named({ SPEAKER_1: 'Cleo' }), punctuated, summary, title, saved(3)];
  const lines = (...facts: readonly RecordingFact[]) =>
    draft(recordingAfter([...meeting, edited, ...facts])).lines.map(({ speaker, person }) => [
      speaker,
      person,
    ]);
  assert.deepEqual(lines(...other, ...told), [[null, 'Anna']]);
  assert.deepEqual(lines(renamed('Bea'), saved(2), ...other, ...told), [[null, 'Bea']]);
  assert.deepEqual(lines(renamed(''), saved(2), ...other, ...told), [[null, null]]);
  // Not that of another voice with the same label; a run that was given up ends nothing.
  assert.deepEqual(lines(...other, ...told, renamed('Dora'), saved(4), ...other), [[null, 'Anna']]);
  const cancelled: RecordingFact = { type: 'processing.cancelled', data: {} };
  assert.deepEqual(lines(...other, cancelled, renamed('Bea'), saved(2), ...other, ...told), [
    [null, 'Bea'],
  ]);
});

test('a meeting that waits is named by known labels; elsewhere the machine refuses', () => {
  given(waiting, 'awaiting-speakers')
    .when(nameSpeakers({ SPEAKER_1: 'Anna', SPEAKER_2: '' }, asSet))
    .expect([named({ SPEAKER_1: 'Anna' })]);
  // Whom a correction named keeps that name, until it is emptied.
  const clara: RecordingFact = {
    type: 'turn.edited',
    data: { basis: waiting.length, block: 't-2', speaker: 'SPEAKER_3' },
    content: { text: 'hello', words: [], name: 'Clara' },
  };
  for (const [given3, names] of [
    [{}, { SPEAKER_3: 'Clara', SPEAKER_1: 'Anna' }],
    [{ SPEAKER_3: '' }, { SPEAKER_1: 'Anna' }],
  ] as const) {
    given([...waiting, clara], 'awaiting-speakers')
      .when(nameSpeakers({ SPEAKER_1: 'Anna', ...given3 }, asSet))
      .expect([named(names)]);
  }
  assert.equal(draft(recordingAfter([...waiting, clara, named({})])).speakers[2]?.name, null);
  given(waiting, 'awaiting-speakers')
    .when(nameSpeakers({ SPEAKER_9: 'x' }, asSet))
    .expect('UNKNOWN_LABELS');
  given(meeting)
    .when(nameSpeakers({ SPEAKER_9: 'x' }, asSet))
    .expect([named({ SPEAKER_9: 'x' })]);
  given(waiting, 'awaiting-speakers')
    .when(skipSpeakers)
    .expect([{ type: 'speakers.skipped', data: {} }]);
});

test('a version is restored with its texts, and one that never was is not', () => {
  const other: RecordingFact = {
    type: 'title.changed',
    data: {},
    content: { title: 'Mine', previous: null },
  };
  const decision = restoreVersion(1)(recordingAfter([...meeting, other, saved(2)]));
  assert.ok(!isRefusal(decision));
  const [fact] = decision;
  assert.ok(fact?.type === 'version.restored');
  assert.equal(fact.data.version, 1);
  assert.deepEqual(fact.content, {
    blocks: turns,
    title: 'A greeting',
    abstract: 'Two people greet.',
    summary: 'They greet.',
    names: { SPEAKER_1: 'Anna' },
  });
  for (const version of [-1, 0, 2]) {
    given(meeting).when(restoreVersion(version)).expect('NO_SUCH_VERSION');
  }
});

test('what goes on is ended before a recording is erased, and left alone where it is captured', () => {
  const [cancelled, discarded, erased] = [
    { type: 'processing.cancelled', data: {} },
    { type: 'recording.discarded', data: {} },
    { type: 'recording.erased', data: {} },
  ];
  for (const [state, whenCancelled, whenErased] of [
    ['transcribing.recognising', [cancelled], [cancelled, erased]],
    ['awaiting-speakers', [cancelled], [erased]],
    ['recording.active', [], [discarded]],
    ['idle.saved', [], [erased]],
    ['error', [], [erased]],
  ] as const) {
    given(meeting, state).when(cancel).expect(whenCancelled);
    given(meeting, state).when(erase).expect(whenErased);
  }
});
