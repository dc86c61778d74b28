import type { RecordingFact, RecordingFactType, Stage } from '../../events/facts/recording.ts';
import { type AnswerType, sampleData, stageOfAnswer } from '../support/plausible-events.ts';
import type { Random } from '../support/seeded.ts';

/** Seconds of one talk, shortest and longest; all between are as frequent. */
export const talkSeconds = { shortest: 900, longest: 2700 };
/** A pause ends a stretch so often: two facts each make 300 facts an hour with those of the stages. */
const stretchSeconds = 26;
const wordsASecond = 2.5;

/** What comes next of a recording, in seconds since its start; `stage` when it is an answer of that stage. */
export type Step = { at: number; fact: RecordingFact; stage?: Stage };

/**
 * A recording's facts when engines answer in time: recognised while it is recorded, then its stages one after
 * another. It is under way at `from` (seconds): what was said before is left out, and nothing comes of one that is over.
 */
export function* simulatedTalk(random: Random, owner: string, from: number): Generator<Step> {
  const seconds = talkSeconds.shortest + random.below(talkSeconds.longest - talkSeconds.shortest);
  if (seconds <= from) return;
  const kind = random.chance(0.5) ? 'meeting' : 'solo';
  yield { at: from, fact: factOf('recording.started', { owner, kind }) };
  yield* started(from, 'capture', 'follow');
  const stretches: [number, number][] = [];
  // Of one under way, in the midst of a stretch.
  const first = Math.max(0, from - random.next() * stretchSeconds);
  for (let start = first; start + stretchSeconds < seconds; start += stretchSeconds) {
    stretches.push([start, start + stretchSeconds - 1]);
    yield* recognised(stretches);
  }
  yield { at: seconds, fact: factOf('audio.captured', { duration: seconds }) };
  const blocks = stretches.map(([start, end], index) => ({
    id: `t-${index}`,
    speaker: null,
    ...blockOf(start, end),
  }));
  const live = { utterances: stretches.length };
  let at = seconds;
  const answers = function* (after: number, ...types: [AnswerType, object?, object?][]) {
    at += after * (0.5 + random.next());
    for (const [type, data, content] of types) yield answered(at, type, data, content);
  };
  yield* started(at, 'transcribe');
  const plan = { duration: seconds, stretches, live };
  yield* answers(3, ['speech.detected', plan], ['transcription.completed']);
  if (kind === 'meeting') {
    yield* started(at, 'diarize');
    yield* answers(40, ['diarization.completed']);
    yield* started(at, 'identify');
    yield* answers(5, ['identification.skipped']);
    yield* started(at, 'join');
    yield* answers(1, ['turns.joined', {}, { turns: [], suggestions: [] }]);
    yield { at: (at += 20), fact: factOf('speakers.named', {}, { names: { SPEAKER_1: 'Anna' } }) };
  }
  yield* started(at, 'punctuate', 'summarise');
  yield* answers(20, ['transcript.punctuated', {}, { blocks }]);
  yield* answers(10, ['summary.completed', {}, { text: textOf(250) }]);
  yield* started(at, 'entitle');
  yield* answers(4, ['title.chosen', {}, { title: textOf(6), abstract: textOf(30) }]);
  yield* started(at, 'write');
  const named = { base: `2026-01-02 10.00 ${textOf(6)}`, title: textOf(6) };
  const paths = { index: 'index.md', transcript: 'transcript.md', summary: 'summary.md' };
  yield* answers(1, ['documents.named', {}, named], ['documents.saved', {}, { paths }]);
}

/** The last stretch, known when it has ended and recognised a little later. */
function* recognised(stretches: [number, number][]): Generator<Step> {
  const [start, end] = stretches.at(-1)!;
  const index = stretches.length - 1;
  const followed = factOf('speech.followed', { stretches: [[start, end]] });
  yield { at: end + 1, fact: followed, stage: 'follow' };
  const data = { index, start, end, words: Math.round((end - start) * wordsASecond) };
  const content = { segments: [blockOf(start, end)] };
  const fact = factOf('utterance.recognised', data, content);
  yield { at: end + 2, fact, stage: 'follow' };
}

function* started(at: number, ...stages: Stage[]): Generator<Step> {
  for (const stage of stages) yield { at, fact: factOf('stage.started', { stage }), stage };
}

const answered = (at: number, type: AnswerType, data = {}, content?: object): Step => ({
  at,
  fact: factOf(type, data, content),
  stage: stageOfAnswer[type],
});

const factOf = (type: RecordingFactType, data: object = {}, content?: object): RecordingFact =>
  ({
    type,
    data: { ...sampleData[type], ...data },
    ...(content === undefined ? {} : { content }),
  }) as RecordingFact;

const blockOf = (start: number, end: number) => ({
  start,
  end,
  text: textOf(Math.round((end - start) * wordsASecond)),
  words: [],
});

const vocabulary = 'good morning everyone and welcome to the weekly planning meeting'.split(' ');
const textOf = (words: number): string =>
  Array.from({ length: words }, (_, at) => vocabulary[at % vocabulary.length]).join(' ');
