import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { Completion, LanguageModel } from '../../src/language/model.ts';
import { openAskedAhead } from '../../src/recordings/stages/asked-ahead.ts';
import { slotsPerModel } from '../../src/recordings/stages/leased-in-turn.ts';
import { openJobQueue } from '../../src/recordings/stages/job-queue.ts';
import { punctuatedAhead } from '../../src/recordings/stages/punctuate-ahead.ts';
import type { Job } from '../../src/recordings/stages/run-stage.ts';
import { eventually } from '../support/eventually.ts';

const heard = Array.from({ length: 300 }, (_, index) => {
  const [start, end] = [index * 10, index * 10 + 4];
  const text = `this is what number ${index} says about the lift in the hall`;
  return { index, start, end, language: 'en', segments: [{ start, end, text, words: [] }] };
});

/** A model with the slots of a real one, and what was asked of it ahead. */
function world() {
  const queue = openJobQueue();
  const [recordingId, name] = ['one', 'the model'];
  const acquire = (signal: AbortSignal) =>
    queue.acquire({
      queue: name,
      concurrency: slotsPerModel,
      owner: 'ada',
      alone: false,
      signal,
      onWaiting: () => {},
    });
  const questions: { user: string; answer: (text: string) => void }[] = [];
  const model: LanguageModel = {
    queue: name,
    model: 'scripted',
    contextTokens: async () => 2048,
    complete: (completion) =>
      new Promise((answer) => questions.push({ user: JSON.stringify(completion), answer })),
  };
  const asked = openAskedAhead();
  let waiting = 0;
  const job = {
    recordingId,
    turn(_queue: object, signal: AbortSignal) {
      waiting += 1;
      return acquire(signal);
    },
  } as unknown as Job;
  const languageModel = async () => ({ value: model, release() {} });
  const log = pino({ level: 'silent' });
  const ahead = punctuatedAhead(job, { isOn: () => true, languageModel, asked, log }, () => false);
  return { asked, model, questions, acquire, ahead, recordingId, waiting: () => waiting };
}

test('what only waits for its turn when the stage begins is asked by the stage, with the slot that it has', async () => {
  const { asked, model, questions, acquire, ahead, recordingId, waiting } = world();
  const { signal } = new AbortController();
  const summary = await acquire(signal);
  const other = await acquire(signal);
  ahead.grown(heard, 'en');
  await eventually('asked ahead', () => waiting() > 0);
  other.release();
  await eventually('the first is answered', () => questions.length === 1);
  questions[0]!.answer('no lines');
  await eventually('the next waits or is asked', () => questions.length === 2);
  // The stage has a slot, the summary the other: what is asked ahead would wait for that to end.
  asked.begin(recordingId);
  const completion = JSON.parse(questions[1]!.user) as Completion;
  const used = asked.of(recordingId, model).complete(completion, signal);
  questions[1]!.answer('answered ahead');
  assert.equal(await used, 'answered ahead', 'what was being answered is used');
  await eventually('its slot is free', async () => {
    const slot = await acquire(AbortSignal.timeout(1000)).catch(() => null);
    slot?.release();
    return slot !== null;
  });
  assert.equal(questions.length, 2, 'nothing more is asked ahead');
  summary.release();
});

test('the stage waits for no question that waits for its turn, and leaves when it is cancelled', async () => {
  const { signal } = new AbortController();
  const before = world();
  before.ahead.grown(heard, 'en');
  await eventually('it is asked', () => before.questions.length === 1);
  const completion = JSON.parse(before.questions[0]!.user) as Completion;
  before.asked.forget(before.recordingId);

  const { asked, model, questions, acquire, ahead, recordingId, waiting } = world();
  const slots = await Promise.all([acquire(signal), acquire(signal)]);
  ahead.grown(heard, 'en');
  await eventually('asked ahead', () => waiting() > 0);
  const stage = new AbortController();
  const cancelled = asked.of(recordingId, model).complete(completion, stage.signal);
  stage.abort(new Error('cancelled'));
  await assert.rejects(cancelled, /cancelled/u);
  const used = asked.of(recordingId, model).complete(completion, signal);
  asked.begin(recordingId);
  await eventually('the stage asks it', () => questions.length === 1);
  questions[0]!.answer('asked by the stage');
  assert.equal(await used, 'asked by the stage');
  for (const slot of slots) slot.release();
  asked.forget(recordingId);
});
