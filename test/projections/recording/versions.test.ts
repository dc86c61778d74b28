import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoggedRecordingFact } from '../../../events/facts/catalogue.ts';
import { leading } from '../../../events/facts/counting.ts';
import type { RecordingFactType } from '../../../events/facts/recording.ts';
import { recordingMachine } from '../../../machines/recording.ts';
import { evolve, noRecording } from '../../../projections/recording/recording.ts';
import { versionsOf } from '../../../projections/recording/versions.ts';
import { sampleFact } from '../../support/sample-facts.ts';

/** What the machine takes where nothing runs, and then works: without it there are no other documents. */
test('every fact that leads to documents is named as one, and nothing else', () => {
  const { idle, error, 'awaiting-speakers': awaiting } = recordingMachine.states;
  const settled = [...Object.values(idle?.states ?? {}), awaiting, error];
  const work = /^recording\.(?:recording|transcribing)/u;
  const found = new Set<string>();
  for (const state of settled) {
    for (const [type, transitions] of state?.transitions ?? [])
      if (transitions.some(({ target }) => target?.some(({ id }) => work.test(id))))
        found.add(type);
  }
  // Says nothing: the run goes on for the same reason.
  found.delete('retry.requested');
  // What it leads to are documents of another; its own are written again only where that will not have it.
  found.delete('recording.continued');
  assert.deepEqual([...found].toSorted(), Object.keys(leading).toSorted());
});

const types = Object.keys(leading) as (keyof typeof leading)[];
const begins = (type: string) => type === 'recording.started' || type === 'audio.imported';

test('a version says which fact led to it, and whose that was', () => {
  for (const type of types.filter((one) => !begins(one))) {
    const whys = told(['audio.imported', 'ada'], saved(1), [type, 'ben'], saved(2));
    assert.deepEqual(whys, [
      [['audio.imported'], 'ada'],
      [[type], 'ben'],
    ]);
  }
  assert.deepEqual(told(['recording.started', 'ada'], saved(1)), [[['recording.started'], 'ada']]);
});

test('what was made again since names changed has the reason of the version before; nothing else has', () => {
  const renamed = ['speakers.renamed', 'ben', { labels: [], texts: 'again' }] as const;
  const before = [['audio.imported', 'ada'], saved(1), renamed, saved(2)] as const;
  const [, ...again] = told(...before, saved(3));
  assert.deepEqual(again, [
    [['speakers.renamed'], 'ben'],
    [['speakers.renamed'], 'ben'],
  ]);
  // Tried again after a failure, for instance.
  assert.deepEqual(told(['audio.imported', 'ada'], saved(1), saved(2)).at(-1), [[], 'system']);
});

test('a run that was given up is no reason; what was said meanwhile is one', () => {
  const whys = told(
    ['audio.imported', 'ada'],
    saved(1),
    ['reprocessing.requested', 'ada'],
    ['title.changed', 'ben'],
    ['processing.cancelled', 'ada'],
    ['start.changed', 'cem'],
    saved(2),
  );
  assert.deepEqual(whys.at(-1), [['title.changed', 'start.changed'], 'cem']);
});

test('a naming that was thrown away with its run is no reason; one that stayed is', () => {
  const named = ['speakers.named', 'ada', { labels: [] }] as const;
  const cancelled = ['processing.cancelled', 'ada'] as const;
  const titled = ['title.changed', 'ben'] as const;
  const again = ['reprocessing.requested', 'ada', { from: 'diarize' }] as const;
  const first = [['audio.imported', 'ada'], saved(1)] as const;
  assert.deepEqual(told(...first, again, named, cancelled, titled, saved(2)).at(-1), [
    ['title.changed'],
    'ben',
  ]);
  assert.deepEqual(told(...first, again, named, saved(2)).at(-1), [
    ['reprocessing.requested', 'speakers.named'],
    'ada',
  ]);
  // Before there were documents nothing is returned to: what was named still holds.
  const model = ['reprocessing.requested', 'ada', { from: 'language-model' }] as const;
  assert.deepEqual(told(['audio.imported', 'ada'], named, cancelled, model, saved(1)), [
    [['speakers.named', 'reprocessing.requested'], 'ada'],
  ]);
});

type Told = readonly [type: RecordingFactType, by: string, data?: object];

const saved = (version: number): Told => ['documents.saved', 'system', { version }];

/** Reason and person of each version. */
function told(...facts: readonly Told[]): [why: string[], by: string][] {
  const recording = facts.reduce((before, [type, by, data], index) => {
    const fact = sampleFact(type);
    return evolve(before, {
      ...fact,
      data: { ...fact.data, ...data },
      by,
      at: '2026-11-20T09:00:00Z',
      version: index + 1,
      position: index + 1,
      stream: 'recording-R1',
    } as unknown as LoggedRecordingFact);
  }, noRecording('R1'));
  return versionsOf(recording).map(({ why, by }) => [why, by]);
}
