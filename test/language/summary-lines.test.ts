import assert from 'node:assert/strict';
import test from 'node:test';
import { type DraftLine, linesIn } from '../../src/language/draft-lines.ts';
import { withEvidence } from '../../src/language/summary-lines.ts';
import { summarise } from '../../src/language/summarise.ts';
import { openOn } from '../support/language-servers-open.ts';
import { talk } from '../support/language-servers-talk.ts';

const { signal } = new AbortController();
const names = { SPEAKER_00: 'Anna Berg', SPEAKER_01: 'Ben' };
const meeting = talk(
  [
    'Who writes the report about the workshop budget?',
    'I can do that until Friday, the numbers are almost ready.',
    'Good. Then we order 12 chairs from Siemens.',
    'Nice weather today.',
    'We could also ask the landlord about the parking spaces.',
    'Let us see.',
  ],
  ['SPEAKER_00', 'SPEAKER_01'],
);
const draft = (about: Partial<DraftLine> & { text: string }): DraftLine => ({
  kind: 'point',
  person: null,
  due: null,
  turn: null,
  note: null,
  ...about,
});
const checked = (about: Partial<DraftLine> & { text: string }, blocks = meeting) =>
  withEvidence([draft(about)], blocks, { names, language: 'en' })[0]!;

test('lines are read from JSON in every shape and wrapping that models answer with', () => {
  const right = draft({ kind: 'task', text: 'writes it', person: 'Ben', due: 'Friday', turn: 2 });
  const json = JSON.stringify({ lines: [right] });
  const shapes = [
    json,
    `<think>{"lines": []}</think>Sure!\n\`\`\`json\n${json}\n\`\`\`\nI hope this helps!`,
    json.replace('}]', ',}],'),
    `[${JSON.stringify(right)}]`,
    json.replaceAll('"', "'"),
    JSON.stringify({
      tasks: [{ text: '- **writes** it', person: 'Ben', due: 'Friday', turn: '[2]' }],
    }),
    JSON.stringify({
      Aufgaben: [{ text: 'Ben writes it', person: ['Ben'], due: 'Friday', turn: [2] }],
    }),
    JSON.stringify({
      lines: [{ ...right, kind: 'Action item', text: 'Ben: writes it' }, { text: '…' }, 7, null],
    }),
  ];
  for (const shape of shapes) {
    const [first] = linesIn(shape) ?? [];
    assert.deepEqual(first, right, shape);
  }
  for (const none of ['', 'They met.', '{"lines": "none"}', '{"lines": [{"text": "a"'])
    assert.equal(linesIn(none), undefined, none);
  assert.deepEqual(linesIn('{"decisions": ["We meet."], "open": ["Who pays?"]}'), [
    draft({ kind: 'decision', text: 'We meet.' }),
    draft({ kind: 'open', text: 'Who pays?' }),
  ]);
  for (const nobody of ['null', 'Unknown', 'n/a', '', null, 'everyone', 'we', 'x'.repeat(61)]) {
    const [line] = linesIn(JSON.stringify({ lines: [{ ...right, person: nobody, due: nobody }] }))!;
    assert.equal(line!.person, null, String(nobody));
  }
  const both = linesIn(JSON.stringify({ lines: [{ ...right, person: 'Anna and Ben' }] }))!;
  assert.deepEqual(
    both.map(({ person }) => person),
    ['Anna', 'Ben'],
  );
});

test('people of a line are told apart by commas, but in names that are known; none is left out', () => {
  const peopleOf = (person: unknown, names: string[] = []) =>
    linesIn(JSON.stringify({ lines: [{ text: 'Writes it', person }] }), { names })!.map(
      (line) => line.person,
    );
  const names = ['Schmidt, Anna', 'Ben', 'Schmidt'];
  assert.deepEqual(peopleOf('Schmidt, Anna', names), ['Schmidt, Anna']);
  assert.deepEqual(peopleOf('Ben, Schmidt, Anna und Carla', names), [
    'Ben',
    'Schmidt, Anna',
    'Carla',
  ]);
  const many = ['Annabella Ahrensburg', 'Bernadette Brandenburg', 'Carla', 'Dora', 'Emil'];
  assert.deepEqual(peopleOf(many.join(', ')), many);
  assert.deepEqual(peopleOf('n/a'), [null]);
});

test('a long line stays, and what is longer than people may write ends with a sentence', () => {
  const paragraph = 'They talked about the budget. '.repeat(100).trim();
  const textOf = (text: string) => linesIn(JSON.stringify({ lines: [{ text }] }))![0]?.text;
  assert.equal(textOf(paragraph), paragraph);
  const cut = textOf(`${paragraph} ${paragraph}`)!;
  assert.ok(cut.length <= 4000 && cut.length > 3900);
  assert.match(cut, /budget\. …$/u);
  const many = Array.from({ length: 80 }, (_, at) => ({ text: `Line ${at}` }));
  assert.equal(linesIn(JSON.stringify({ lines: many }))!.length, 80);
});

test('a line keeps its link only with a name, a number or two content words in that turn or beside it', () => {
  const linked = {
    'Chairs were ordered from the shop: twelve.': null,
    'There are 12 of them.': 3,
    'Something of Siemens is bought.': 3,
    'The budget report was spoken about.': 1,
    'Reports on budgets are discussed.': 1,
    'It is about a report.': null,
    'That we do it, and then so.': null,
  };
  for (const [text, turn] of Object.entries(linked)) {
    const at = turn ?? 1;
    const block = turn === null ? null : meeting[at - 1]!.id;
    assert.equal(checked({ text, turn: at }).block, block, text);
    if (turn === null) continue;
    assert.equal(checked({ text, turn: turn + 1 }).block, meeting[turn]!.id, 'a neighbour');
    assert.equal(checked({ text, turn: 6 }).block, null, 'far from it');
  }
  for (const turn of [0, 7, 99, null])
    assert.equal(checked({ text: 'The budget report.', turn }).block, null);
});

test('a task is its speaker’s by label; in none of whose turns it was found, it says so', () => {
  const task = { kind: 'task' as const, text: 'writes the budget report', turn: 1 };
  assert.deepEqual(checked({ ...task, person: 'Ben' }), {
    kind: 'task',
    text: task.text,
    speaker: 'SPEAKER_01',
    person: null,
    due: null,
    block: 't-0001',
  });
  assert.equal(checked({ ...task, person: 'Anna' }).speaker, 'SPEAKER_00');
  assert.equal(checked({ ...task, person: 'Frau Berg' }).speaker, 'SPEAKER_00');
  const stranger = checked({ ...task, person: 'Anna Schmidt' });
  assert.deepEqual([stranger.speaker, stranger.person], [null, 'Anna Schmidt']);
  assert.deepEqual([stranger.unfounded, stranger.block], [true, null]);

  const parking = { kind: 'decision' as const, text: 'asks about parking spaces', turn: 5 };
  assert.equal(checked({ ...parking, person: 'Anna Berg' }).block, 't-0005');
  // Ben speaks beside it, but nobody says it to him.
  assert.equal(checked({ ...parking, person: 'Ben' }).unfounded, true);
  const told = talk(
    ['Ben, please ask about the parking spaces.', 'Yes.', 'I will send the contract to the bank.'],
    ['SPEAKER_00', 'SPEAKER_01', 'SPEAKER_00'],
  );
  assert.equal(checked({ ...parking, turn: 1, person: 'Ben' }, told).unfounded, undefined);
  const contract = { kind: 'task' as const, text: 'sends the contract to the bank', turn: 3 };
  assert.equal(checked({ ...contract, person: 'Ben' }, told).unfounded, true);
  assert.equal(checked({ ...contract, person: 'Anna Berg' }, told).unfounded, undefined);
  const far = talk(
    ['We ask about the parking spaces.', 'Yes.', 'I agree.', 'Thank you all.'],
    ['SPEAKER_00', 'SPEAKER_00', 'SPEAKER_00', 'SPEAKER_01'],
  );
  const unfounded = checked({ ...parking, turn: 1, person: 'Ben' }, far);
  assert.deepEqual([unfounded.unfounded, unfounded.block], [true, null]);
  assert.equal(checked({ ...parking, kind: 'point', turn: 1, person: 'Ben' }, far).block, 't-0001');
});

const renting = talk(
  [
    'wir haben das für den herbst noch nicht bestellt und es ist auch nicht im plan',
    'dann müsstest du die halle mieten und das mit dem vermieter klären',
    'ja',
  ],
  ['SPEAKER_00', 'SPEAKER_00', 'SPEAKER_01'],
);

test('in another language than the talk no task is said to be nobody’s own, and its date stays', async (t) => {
  const task = { kind: 'task', person: 'Ben', text: 'Vermietung ansprechen', turn: 2 };
  const about = { lines: [{ ...task, due: 'bis 14. Mai' }] };
  const brain = () => JSON.stringify(about);
  const { model } = await openOn(t, { flavour: 'llama.cpp', brain });
  const english = talk(
    [
      'We have not called the landlord and that is what they want from us by the 14 of May.',
      'Yes.',
    ],
    ['SPEAKER_00', 'SPEAKER_01'],
  );
  const pattern = { sections: [], instructions: '', provedOnly: true };
  for (const spoken of ['en', null]) {
    const options = { signal, names, language: 'de', spoken, pattern, onProgress() {} };
    const { lines } = await summarise(english, model, options);
    const [{ unfounded, due, text } = {}] = lines;
    assert.deepEqual([unfounded, due, text], [undefined, 'bis 14. Mai', task.text]);
  }
});

test('whom one speaks to is found in a German talk of which nobody told the language', async (t) => {
  const task = { kind: 'task', person: 'Ben', text: 'die Halle mieten, Vermieter klären' };
  const brain = () => JSON.stringify({ lines: [{ ...task, turn: 2 }] });
  const { model } = await openOn(t, { flavour: 'llama.cpp', brain });
  const options = { signal, names, language: null, onProgress() {} };
  const { lines } = await summarise(renting, model, options);
  assert.deepEqual(
    lines.map(({ block, unfounded }) => [block, unfounded]),
    [['t-0002', undefined]],
  );
});

test('a speaker without a name is meant by their label, however a model writes it', () => {
  for (const written of [
    'SPEAKER_01',
    'Speaker_01',
    'SPEAKER 01',
    'speaker-01',
    '**SPEAKER_01**',
  ]) {
    const text = `${written} writes the budget report`;
    const json = JSON.stringify({
      lines: [{ kind: 'task', text, person: written, due: null, turn: 2 }],
    });
    const known = { names: { SPEAKER_00: 'Anna Berg' }, language: 'en' };
    assert.deepEqual(
      withEvidence(linesIn(json)!, meeting, known),
      [
        {
          kind: 'task',
          text: 'writes the budget report',
          speaker: 'SPEAKER_01',
          person: null,
          due: null,
          block: 't-0002',
        },
      ],
      written,
    );
  }
});

test('a date stays only when it was said, and nobody is named where one person dictates', () => {
  const task = { kind: 'task' as const, text: 'writes the budget report', person: 'Ben', turn: 1 };
  assert.equal(checked({ ...task, due: 'by Friday' }).due, 'by Friday');
  for (const due of ['Monday', '2026-11-27', 'by the end'])
    assert.equal(checked({ ...task, due }).due, null, due);
  const dictated = talk(['Ben writes the budget report.']);
  const solo = checked(task, dictated);
  assert.deepEqual(solo, {
    kind: 'task',
    text: 'Ben: writes the budget report',
    speaker: null,
    person: null,
    due: null,
    block: 't-0001',
  });
});

test('a date that was said in words stays by its month or weekday', () => {
  const blocks = talk(
    ['Ich schicke das Angebot bis zum fünfzehnten März.', 'Danke.'],
    ['SPEAKER_01', 'SPEAKER_00'],
  );
  const task = { kind: 'task' as const, text: 'schickt das Angebot', person: 'Ben', turn: 1 };
  const due = (date: string) =>
    withEvidence([draft({ ...task, due: date })], blocks, { names, language: 'de' })[0]!.due;
  assert.equal(due('bis zum 15. März'), 'bis zum 15. März');
  assert.equal(due('bis zum 15. April'), null);
});

test('stop words of French are no evidence in a French talk', () => {
  const blocks = talk(
    ['Le chat dort dans la maison avec les enfants.', 'Oui.'],
    ['SPEAKER_00', 'SPEAKER_01'],
  );
  const french = (text: string) =>
    withEvidence([draft({ text, turn: 1 })], blocks, { names, language: 'fr' })[0]!.block;
  assert.equal(french('Les offres sont dans la semaine à la banque.'), null);
  assert.equal(french('Le chat dort à la maison.'), 't-0001');
});

test('stop words of the language alone are no evidence; German works as English does', () => {
  const blocks = talk(
    [
      'Also dann machen wir das so bis Freitag mit dem Angebot für die Lieferanten.',
      'Gut.',
      'Ja.',
      'Na ja.',
    ],
    ['SPEAKER_00', 'SPEAKER_01'],
  );
  const german = (text: string) =>
    withEvidence([draft({ text, turn: 1 })], blocks, { names, language: 'de' })[0]!.block;
  assert.equal(german('Das Angebot geht an den Lieferanten.'), 't-0001');
  assert.equal(german('Wir machen das dann so mit dem und für die.'), null);
});

test('a model that gives no JSON is asked for prose, and from then on only for that', async (t) => {
  const prose = 'They talked about the report on the budget, and that Ben writes it until Friday.';
  const { model, server } = await openOn(t, {
    flavour: 'llama.cpp',
    brain: ({ system }) => (system.includes('JSON') ? '{"lines": [{"text": "cut' : prose),
  });
  const options = { signal, language: 'en', names, onProgress() {} };
  assert.deepEqual(await summarise(meeting, model, options), { text: prose, lines: [], parts: 1 });
  assert.equal(server.chats().length, 3);
  const long = Array.from({ length: 40 }, () => meeting).flat();
  const small = await openOn(t, {
    flavour: 'llama.cpp',
    contextTokens: 2048,
    brain: () => prose,
  });
  const { parts, lines } = await summarise(long, small.model, options);
  assert.ok(parts > 2);
  assert.deepEqual(lines, []);
  assert.equal(
    small.server.chats().length,
    parts + 2,
    'one more of the first part, and the merging',
  );
});

test('a greeting is no point of a summary, unless there is nothing else', () => {
  const lines = (...texts: string[]) =>
    withEvidence(
      texts.map((text) => draft({ text })),
      meeting,
      { names, language: 'en' },
    ).map(({ text }) => text);
  assert.deepEqual(lines('Good morning everyone.', 'They order 12 chairs.', 'Thanks for coming.'), [
    'They order 12 chairs.',
  ]);
  assert.deepEqual(lines('Thank you all.'), ['Thank you all.']);
});

test('what the talk does not say rests on the side note that a line names, if that says it', () => {
  const noted = [
    { note: 2, text: 'Caterer wants a deposit by 14 June' },
    { note: 5, text: 'Ask Ben' },
  ];
  const resting = (about: Partial<DraftLine> & { text: string }) =>
    withEvidence([draft(about)], meeting, { names, language: 'en', noted })[0]!;
  const deposit = { text: 'The caterer wants a deposit.' };
  assert.deepEqual(
    [resting({ ...deposit, note: 2 }).note, resting({ ...deposit, note: 2 }).block],
    [2, null],
  );
  for (const note of [5, 1, null])
    assert.equal(resting({ ...deposit, note }).note, undefined, `${note}`);
  // The talk's own words come first.
  const report = resting({ text: 'The budget report.', turn: 1, note: 2 });
  assert.deepEqual([report.block, report.note], [meeting[0]!.id, undefined]);
  const task = { kind: 'task', person: 'Ben', text: 'pays the deposit to the caterer' } as const;
  assert.equal(resting(task).unfounded, true);
  const noted14 = resting({ ...task, due: '14 June', note: 2 });
  assert.deepEqual([noted14.unfounded, noted14.due, noted14.note], [undefined, '14 June', 2]);
  assert.equal(resting({ ...task, due: '15 July', note: 2 }).due, null);
  // As models answer: its mark, or its number, or its mark where a line’s number belongs.
  for (const place of [{ note: 'N2' }, { note: 2 }, { turn: 'N2' }, { turn: '[N2]' }]) {
    const answer = JSON.stringify({ lines: [{ kind: 'point', ...deposit, ...place }] });
    const [line] = linesIn(answer)!;
    assert.deepEqual([line?.turn, line?.note], [null, 2], answer);
  }
});
