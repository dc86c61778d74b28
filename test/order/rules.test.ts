import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordingFact } from '../../events/facts/recording.ts';
import type { RuleThen, RuleWhen } from '../../events/facts/rules.ts';
import { personalStream } from '../../events/facts/personal.ts';
import { type Rule, personalAggregate } from '../../projections/personal.ts';
import { orderOf } from '../../projections/recording/order.ts';
import { type Recording, evolve, noRecording } from '../../projections/recording/recording.ts';
import { startedWith } from '../../src/recordings/beginnings.ts';
import { type Ordering, begunBy, fits, rulesApplied } from '../../projections/rules.ts';
import { block } from '../support/fact-teller.ts';
import { type Random, seed, seeded, times } from '../support/seeded.ts';

const nobody = personalAggregate.initial(personalStream('anna'));
const folders = ['F1', 'F2', 'F3'];
const templates = ['V1', 'V2', 'V3'];
const tags = Array.from({ length: 40 }, (_, n) => `T${n}`);
const having = (rules: readonly Rule[]): Ordering => ({
  ...nobody,
  folders: new Map(
    folders.map((id) => [
      id,
      {
        id,
        name: id,
        kind: id === 'F3' ? 'meeting' : null,
        language: null,
        template: id === 'F2' ? 'V9' : null,
        retention: null,
        retentionAt: null,
        access: [],
      },
    ]),
  ),
  tags: new Map(tags.map((id) => [id, { id, name: id, colour: 1 }])),
  rules: new Map(rules.map((rule) => [rule.id, rule])),
  hasTemplate: (id) => templates.includes(id) || id === 'V9',
});

const talk = {
  kind: 'solo',
  source: 'upload',
  device: null,
  fileName: 'Interview Köln 3.m4a',
  language: 'de',
  // A Sunday.
  startedAt: '2026-03-01T18:30:00+01:00',
  title: 'Weekly planning',
  speakers: ['Änne Müller'],
  passages: ['Die Rechnung kam gestern.', 'Wir zahlen sie.'],
} as const;

test('each condition holds or not, all of them have to, and without any a rule fits nothing', () => {
  const cases: [RuleWhen, boolean][] = [
    [{}, false],
    [{ kind: 'solo' }, true],
    [{ kind: 'meeting' }, false],
    [{ source: 'upload', language: 'de' }, true],
    [{ source: 'upload', language: 'en' }, false],
    [{ device: '*' }, false],
    [{ file_name: 'interview*.M4A' }, true],
    [{ file_name: 'interview köln 3.m4a' }, true],
    [{ file_name: '*köln*3*' }, true],
    [{ file_name: 'interview' }, false],
    [{ file_name: '*3*3.m4a' }, false],
    [{ file_name: '*' }, true],
    [{ weekdays: [7] }, true],
    [{ weekdays: [1, 6] }, false],
    [{ from: '18:30', to: '19:00' }, true],
    [{ from: '18:00', to: '18:30' }, false],
    [{ from: '18:00', to: '06:00' }, true],
    [{ from: '22:00', to: '06:00' }, false],
    [{ title: 'PLANNING weekly' }, true],
    [{ title: 'weekly budget' }, false],
    [{ title: '…' }, false],
    [{ speaker: 'änne müller' }, true],
    [{ speaker: 'Änne' }, false],
    [{ said: 'rechnung GESTERN' }, true],
    [{ said: 'Rechnung zahlen' }, false],
    [{ said: 'Rechnung', weekdays: [7], title: 'weekly' }, true],
    [{ said: 'Rechnung', weekdays: [6] }, false],
  ];
  for (const [when, expected] of cases)
    assert.equal(fits(when, talk), expected, JSON.stringify(when));
});

const rule = (id: string, when: RuleWhen, then: RuleThen, enabled = true): Rule => ({
  id,
  enabled,
  when,
  then,
});
const known = { source: 'upload', device: null, fileName: 'a.m4a', title: null } as const;

test('at the beginning a rule gives what nobody has given; what was chosen, and the folder that was, hold', () => {
  const personal = having([
    rule('R0', { source: 'upload' }, { folder: 'F2', kind: 'solo' }, false),
    rule('R1', { file_name: '*.m4a' }, { folder: 'gone', tags: ['T1', 'gone'], kind: 'meeting' }),
    rule('R2', { kind: 'meeting' }, { folder: 'F1', tags: ['T1', 'T2'], language: 'de' }),
    rule('R3', { source: 'upload' }, { folder: 'F2', language: 'en' }),
  ]);
  const at = { ...known, startedAt: '2026-03-01T10:00:00Z' };
  assert.deepEqual(begunBy({}, personal, at), {
    kind: 'meeting',
    language: 'en',
    facts: [
      { type: 'recording.filed', data: { folder: 'F1', rule: 'R2' } },
      { type: 'tags.changed', data: { tags: ['T1', 'T2'], rules: ['R1', 'R2'] } },
    ],
  });
  const given = begunBy({ kind: 'solo', language: null, folder: 'F3' }, personal, at);
  assert.deepEqual([given.kind, given.language], ['solo', null]);
  assert.deepEqual(given.facts[0], { type: 'recording.filed', data: { folder: 'F3' } });
  const chosen = begunBy(
    { folder: 'F3' },
    having([rule('R', { source: 'upload' }, { kind: 'solo' })]),
    at,
  );
  assert.equal(chosen.kind, 'meeting', 'a person chose the folder');
  assert.deepEqual(begunBy({}, personal, null), { kind: 'solo', language: null, facts: [] });
});

const told = (
  recording: Recording,
  facts: readonly RecordingFact[],
  at = '2026-03-01T10:00:00Z',
): Recording =>
  facts.reduce(
    (folded, fact) =>
      evolve(folded, {
        ...fact,
        version: folded.facts.length + 1,
        at,
        by: 'anna',
      }),
    recording,
  );

const worker = { engine: 'local', model: null };

test('what a person has chosen, no rule changes: a folder, none, a tag that was taken away', () => {
  const personal = having([
    rule('R1', { kind: 'solo' }, { folder: 'F1', tags: ['T1', 'T2'], template: 'V1' }),
  ]);
  const start = { recordingId: 'r', owner: 'anna', by: 'anna', command: 'c', speakers: null };
  const begun = told(
    noRecording('r'),
    startedWith({ ...start, device: null, trigger: 'browser' }, personal),
  );
  assert.deepEqual(orderOf(begun), { folder: 'F1', tags: ['T1', 'T2'], template: 'V1' });
  assert.deepEqual(rulesApplied(begun, personal), []);
  const moved = told(begun, [
    { type: 'recording.filed', data: { folder: null } },
    { type: 'tags.changed', data: { tags: ['T2', 'T9'] } },
  ]);
  assert.deepEqual(rulesApplied(moved, personal), []);
  // Whoever gets it has chosen nothing yet.
  const given = told(moved, [{ type: 'recording.handed_over', data: { owner: 'ben' } }]);
  assert.deepEqual(
    rulesApplied(given, personal).map(({ type }) => type),
    ['recording.filed', 'tags.changed', 'template.chosen'],
  );
  const full = told(begun, [{ type: 'tags.changed', data: { tags: tags.slice(8) } }]);
  assert.deepEqual(rulesApplied(full, having([rule('R', { kind: 'solo' }, { tags: ['T3'] })])), []);
});

test('a template of a rule is one that there is; none is chosen where a person chose one, or a folder that has one', () => {
  const personal = having([
    rule('R1', { source: 'browser' }, { template: 'gone', tags: ['T1'] }),
    rule('R2', { source: 'browser' }, { template: 'V2' }),
    rule('R3', { kind: 'solo' }, { template: 'V3' }),
  ]);
  const start = { recordingId: 'r', owner: 'anna', by: 'anna', command: 'c', speakers: null };
  const begin = (folder?: string) =>
    told(
      noRecording('r'),
      startedWith({ ...start, folder, device: null, trigger: 'browser' }, personal),
    );
  const by = (recording: Recording) =>
    recording.facts.flatMap((fact) => (fact.type === 'template.chosen' ? fact.data : []));
  const begun = begin();
  assert.deepEqual(by(begun), [{ template: 'V2', rule: 'R2' }]);
  assert.deepEqual(by(begin('F1')), by(begun));
  assert.deepEqual(by(begin('F2')), [], 'a person chose a folder with a template');
  const ofTemplates = (recording: Recording) =>
    rulesApplied(recording, personal).filter(({ type }) => type === 'template.chosen');
  const asked = told(begun, [
    { type: 'reprocessing.requested', data: { from: 'summary', template: null } },
    { type: 'template.chosen', data: { template: 'V1', rule: 'R' } },
  ]);
  assert.deepEqual(ofTemplates(asked), []);
  assert.deepEqual(
    ofTemplates(told(begun, [{ type: 'template.chosen', data: { template: null } }])),
    [],
  );
  const filed = told(begin('F1'), [
    { type: 'template.chosen', data: { template: 'V1', rule: 'R' } },
    { type: 'recording.filed', data: { folder: 'F2' } },
  ]);
  assert.deepEqual(ofTemplates(filed), []);
  const out = told(filed, [{ type: 'recording.filed', data: { folder: null } }]);
  assert.deepEqual(ofTemplates(out), [
    { type: 'template.chosen', data: { template: 'V2', rule: 'R2' } },
  ]);
});

const words = ['budget', 'lift', 'choir', 'Straße'];

function randomRule(random: Random, n: number): Rule {
  const when: RuleWhen = {};
  const conditions: (() => void)[] = [
    () => (when.kind = random.pick(['solo', 'meeting'])),
    () => (when.source = random.pick(['upload', 'browser', 'device'])),
    () => (when.file_name = random.pick(['*.wav', 'talk*', '*x*'])),
    () => (when.device = random.pick(['*mic*', 'Line'])),
    () => (when.language = random.pick(['de', 'en'])),
    () => (when.weekdays = [1 + random.below(7)]),
    () => (when.title = random.pick(words)),
    () => (when.speaker = random.pick(['Anna', 'Ben'])),
    () => (when.said = random.pick(words)),
  ];
  for (let count = 1 + random.below(2); count > 0; count -= 1) random.pick(conditions)();
  const isLate = when.title !== undefined || when.speaker !== undefined || when.said !== undefined;
  return rule(
    `R${n}`,
    when,
    {
      ...(random.chance(0.6) ? { folder: random.pick([...folders, 'gone']) } : {}),
      tags: Array.from({ length: random.below(8) }, () => random.pick(tags)),
      ...(when.title !== undefined || random.chance(0.5)
        ? {}
        : { template: random.pick([...templates, 'gone']) }),
      ...(isLate || random.chance(0.7) ? {} : { kind: random.pick(['solo', 'meeting'] as const) }),
      ...(isLate || random.chance(0.7) ? {} : { language: random.pick(['de', 'en']) }),
    },
    random.chance(0.85),
  );
}

/** What is said of it between its beginning and its documents. */
function processed(
  recording: Recording,
  random: Random,
  given: { language: string | null; title: string | undefined },
): Recording {
  const names = ['VOICE_1', 'VOICE_2'];
  const { language, title } = given;
  return told(recording, [
    {
      type: 'transcription.completed',
      data: { ...worker, language: language ?? random.pick(['de', 'en']), utterances: 1, words: 1 },
    },
    {
      type: 'transcript.punctuated',
      data: { ...worker, parts: 1, kept: [] },
      content: { blocks: names.map((label, n) => block(`t-${n}`, random.pick(words), label)) },
    },
    // What a person calls it, it is called.
    ...(title === undefined
      ? [
          {
            type: 'title.chosen' as const,
            data: worker,
            content: { title: `About ${random.pick(words)}`, abstract: '' },
          },
        ]
      : []),
  ]);
}

test(`rules at the import do what the same rules do to the same recording later (SEED=${seed})`, () => {
  const random = seeded(seed);
  let filed = 0;
  let templated = 0;
  for (let round = 0; round < times({ short: 500, long: 5000 }); round += 1) {
    const rules = Array.from({ length: 1 + random.below(8) }, (_, n) => randomRule(random, n));
    const personal = having(rules);
    const about = {
      title: random.chance(0.3) ? random.pick(words) : undefined,
      device: random.pick([null, 'USB Mic', 'Line']),
      now: new Date(Date.UTC(2026, 2, 1 + random.below(7), 12)),
    };
    const start = { recordingId: 'r', owner: 'anna', by: 'anna', command: 'c', speakers: null };
    const begin = (by: Ordering, given: object) =>
      startedWith(
        { ...start, ...given, title: about.title, device: about.device, trigger: 'api' },
        by,
        about.now,
      );
    const first = begin(personal, {});
    const [{ data }] = first as [RecordingFact & { type: 'recording.started' }];
    const talkSeed = random.below(1_000_000);
    const known = (facts: RecordingFact[]) =>
      processed(told(noRecording('r'), facts, about.now.toISOString()), seeded(talkSeed), {
        language: data.language,
        title: about.title,
      });
    const atOnce = known(first);
    const sorted = told(atOnce, rulesApplied(atOnce, personal));
    const { kind, language } = data;
    const plain = known(begin(having([]), { kind, language }));
    const later = told(plain, rulesApplied(plain, personal));
    const asSet = (recording: Recording) => {
      const { folder, tags: ids, template } = orderOf(recording);
      return { folder, tags: ids.toSorted(), template };
    };
    assert.deepEqual(asSet(sorted), asSet(later), JSON.stringify({ round, rules, about }));
    assert.deepEqual(rulesApplied(later, personal), [], 'once more they find nothing to do');
    if (orderOf(later).folder !== null) filed += 1;
    if (orderOf(later).template !== null) templated += 1;
  }
  assert.ok(filed > 50 && templated > 50, `${filed}, ${templated}`);
});
