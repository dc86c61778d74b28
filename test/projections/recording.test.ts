import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestAfter, noDigest } from '../../projections/recording/digest.ts';
import { noteCodes } from '../../projections/recording/notes.ts';
import { draft, published, shown } from '../../projections/recording/reading.ts';
import {
  evolve,
  noRecording,
  type ReadFact,
  type Recording,
} from '../../projections/recording/recording.ts';
import { noteWords } from '../../src/words/notes.ts';
import { liveThrough } from '../support/histories.ts';
import { sampleFact } from '../support/sample-facts.ts';
import { seed, seeded, seeds } from '../support/seeded.ts';

const folded = (facts: readonly ReadFact[]): Recording => facts.reduce(evolve, noRecording('r1'));

/** A recording up to its first documents, as stored. */
const saved = (
  [
    'audio.imported',
    'speech.detected',
    'utterance.recognised',
    'transcription.completed',
    'transcript.punctuated',
    'summary.completed',
    'title.chosen',
    'documents.named',
    'documents.saved',
  ] as const
).map(
  (type, index) =>
    ({
      ...sampleFact(type),
      by: 'anna',
      version: index + 1,
      at: '2026-11-20T09:00:00Z',
    }) as unknown as ReadFact,
);

test('facts whose content cannot be read are said to be so, and fold like all others', () => {
  const lost = saved.map(({ content, ...fact }) =>
    content === undefined ? fact : { ...fact, unreadable: true },
  ) as ReadFact[];
  const reading = published(folded(lost));
  assert.deepEqual(reading?.blocks, []);
  assert.equal(reading?.title, null);
  assert.ok(reading?.notes.some(({ code }) => code === 'unreadable'));
  assert.ok(!published(folded(saved))?.notes.some(({ code }) => code === 'unreadable'));
  const digest = lost.reduce((now, fact) => digestAfter(now, fact as never), noDigest('r1'));
  assert.ok(shown(digest).notes.some(({ code }) => code === 'unreadable'));
});

test('every note has its place in the order in which notes are told', () => {
  assert.deepEqual(Object.keys(noteWords).toSorted(), [...noteCodes].toSorted());
});

test('a language asked for by a run that is cancelled was not asked for', () => {
  const asked = { type: 'reprocessing.requested', data: { from: 'entitle', language: 'fr' } };
  const cancelled = { type: 'processing.cancelled', data: {} };
  const then = (facts: readonly object[]) =>
    folded([
      ...saved,
      ...facts.map((fact, index) => ({ ...fact, version: saved.length + 1 + index })),
    ] as ReadFact[]);
  assert.equal(then([asked]).asked.draft, 'fr');
  assert.equal(published(then([asked]))?.language, published(folded(saved))?.language);
  assert.equal(then([asked, cancelled]).asked.draft, folded(saved).asked.draft);
});

test(`a digest says what the whole stream says, but for long texts (SEED=${seed})`, async () => {
  for (const one of seeds({ short: 12, long: 500 })) await compareDigest(one);
});

async function compareDigest(one: number): Promise<void> {
  let digest = noDigest('01ARZ3NDEKTSV4RRFFQ69G5FAV');
  await liveThrough(seeded(one), async (history, fact) => {
    digest = JSON.parse(JSON.stringify(digestAfter(digest, fact))) as typeof digest;
    const whole = folded(history.facts());
    for (const [of, other] of [
      [draft(digest), draft(whole)],
      [shown(digest), shown(whole)],
    ] as const) {
      const { title, abstract, language, speakers, notes, duration } = other;
      if (fact.to === 'idle.erased') return;
      assert.deepEqual(
        [of.title, of.abstract, of.language, of.speakers, of.notes, of.duration],
        [title, abstract, language, speakers, notes, duration],
        `SEED=${one}, version ${fact.version}, ${fact.type}`,
      );
    }
  });
}
