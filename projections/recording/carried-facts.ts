import type { RecordingFact, Stage } from '../../events/facts/recording.ts';
import type { Block, SummaryLine } from '../../events/facts/transcript.ts';
import { carried } from './notes.ts';
import { spokenIn } from './edit-turns.ts';
import { channelLanes } from './join-channels.ts';
import { speakingTimes } from './join-turns.ts';
import { wordCount } from '../../src/shared/segments.ts';
import type { Said } from './said.ts';
import { labelsSpoken } from './said-speakers.ts';
import { interruptedFact, interruptionsMax } from './interruptions.ts';
import type { Sidenote } from './sidenotes.ts';
import { movedBetween } from './turn-changes.ts';
import type { Utterance } from './utterances.ts';

/** A fact that says itself of which attempt it is. */
export type CarriedFact = RecordingFact & { run?: number; attempt?: number };

/** What is made of the words anew: texts about them. */
export type TalkTexts = {
  summary: {
    text: string;
    lines: readonly SummaryLine[];
    tooShort?: boolean;
    by: { engine: string; model: string | null };
  };
  abstract: string;
  title: string;
};

/** Utterances of one recording beyond which neighbours are one: all facts are stored at once. */
const utterancesMax = 300;

/**
 * What is said, as facts of a run from the recognising up to where documents are written. Pure.
 * @param into `run` it is, in what `kind` of recording, and the version of the last fact before them
 */
export function carriedFacts(
  said: Said,
  texts: TalkTexts,
  into: { run: number; kind: Said['kind']; version: number },
): CarriedFact[] {
  const facts: CarriedFact[] = [];
  let attempt = 0;
  const { run } = into;
  const start = (stage: Stage): void => {
    attempt += 1;
    facts.push({ type: 'stage.started', data: { stage }, run });
  };
  const answer = (...answers: RecordingFact[]): void => {
    facts.push(...answers.map((one): CarriedFact => ({ ...one, run, attempt })));
  };
  start('transcribe');
  answer(...recognised(said));
  if (into.kind === 'meeting') {
    start('diarize');
    answer(toldApart(said));
    start('identify');
    answer({ type: 'identification.skipped', data: { reason: carried } });
    start('join');
    answer(turnsOf(said));
    facts.push(...correctedTurns(said, into.version + facts.length), named(said));
  }
  start('punctuate');
  answer(punctuated(said));
  start('summarise');
  answer(summarised(said, texts));
  start('entitle');
  answer(entitled(said, texts));
  const versionOf = (type: string) => {
    const index = facts.findIndex((fact) => fact.type === type);
    return index < 0 ? null : into.version + index + 1;
  };
  const [basis, turns] = [versionOf('summary.completed'), versionOf('turns.joined')];
  const corrections = corrected(said);
  if (corrections !== null) {
    start('write');
    answer(corrections, { type: 'stage.interrupted', data: { stage: 'write' } });
  }
  if (said.summary.edited && basis !== null) facts.push(editedAgain(said, { basis, turns }));
  return facts;
}

/** What stands beside what is said: when nothing was recorded, and its side notes. Pure. */
export const carriedBeside = (
  { interruptions, sidenotes }: Said,
  { had }: { had: boolean },
): CarriedFact[] => [
  ...interruptions.slice(0, interruptionsMax).map(interruptedFact),
  ...carriedNotes(sidenotes, { had }),
];

/** All its side notes as one fact, of whoever wrote them; none without any, and before. */
function carriedNotes(notes: readonly Sidenote[], { had }: { had: boolean }): CarriedFact[] {
  if (notes.length === 0 && !had) return [];
  return [
    {
      type: 'sidenotes.carried',
      data: {
        notes: notes.map(({ note, at, block, mark, by, writtenAt, editedAt }) => ({
          note,
          at,
          ...(block === null ? {} : { block }),
          ...(mark ? { mark } : {}),
          by,
          written_at: writtenAt,
          ...(editedAt === null ? {} : { edited_at: editedAt }),
        })),
      },
      content: { texts: notes.map(({ text }) => text) },
    },
  ];
}

function recognised({ utterances: all, duration, speech, language }: Said): RecordingFact[] {
  const utterances = atMost(all, utterancesMax);
  const channels = utterances.flatMap(({ channel }) => channel ?? []);
  const words = utterances.map(({ segments }) =>
    segments.reduce((sum, { text }) => sum + wordCount(text), 0),
  );
  return [
    {
      type: 'speech.detected',
      data: {
        detector: 'carried',
        duration,
        stretches: utterances.map(({ start, end }) => [start, end]),
        ...(channels.length > 0 && channels.length === utterances.length ? { channels } : {}),
        warnings: [],
      },
    },
    ...utterances.map(
      ({ start, end, language: spoken, segments, heard, probability, doubt }, index) =>
        ({
          type: 'utterance.recognised',
          data: {
            index,
            start,
            end,
            words: words[index]!,
            language: spoken,
            ...(heard === undefined ? {} : { heard }),
            ...(probability === undefined ? {} : { probability }),
            ...(doubt === undefined ? {} : { doubt }),
          },
          content: { segments },
        }) as const,
    ),
    {
      type: 'transcription.completed',
      data: {
        ...speech,
        language,
        utterances: utterances.length,
        words: words.reduce((sum, count) => sum + count, 0),
      },
    },
  ];
}

/** Neighbours of one channel as one, until there are no more than so many; channel by channel. */
function atMost(utterances: readonly Utterance[], most: number): readonly Utterance[] {
  if (utterances.length <= most) return utterances;
  const size = Math.ceil(utterances.length / most);
  const made: Utterance[] = [];
  for (const own of channelLanes(utterances)) {
    for (let at = 0; at < own.length; at += size) made.push(oneOf(own.slice(at, at + size)));
  }
  return made;
}

function oneOf(some: readonly Utterance[]): Utterance {
  const [first] = some;
  const languages = new Set(some.map(({ language }) => language));
  return {
    index: 0,
    start: first!.start,
    end: Math.max(...some.map(({ end }) => end)),
    language: languages.size === 1 ? first!.language : null,
    channel: first!.channel,
    segments: some.flatMap(({ segments, doubt }) =>
      segments.map((one) => (doubt === undefined || one.doubt ? one : { ...one, doubt })),
    ),
  };
}

function toldApart({ voices, utterances }: Said): RecordingFact {
  if (!voices) return { type: 'diarization.skipped', data: { reason: carried } };
  const told = utterances.flatMap(({ segments }) =>
    segments.flatMap(({ speaker }) => speaker ?? []),
  );
  const { labels, ...data } = voices.data;
  return {
    type: 'diarization.completed',
    data: { ...data, ...(labels ? { labels: [...new Set(told)] } : {}) },
    ...(voices.content ? { content: voices.content } : {}),
  };
}

function turnsOf(said: Said): RecordingFact {
  const seconds = new Map(speakingTimes(said.blocks).map((one) => [one.label, one.seconds]));
  return {
    type: 'turns.joined',
    data: {
      speakers: labelsSpoken(said).map((label) => ({ label, seconds: seconds.get(label) ?? 0 })),
    },
    content: { turns: [...said.heard], suggestions: [] },
  };
}

/** What people corrected while it waited for names, as one correction of all turns. */
function correctedTurns({ heard, raw }: Said, basis: number): CarriedFact[] {
  if (isSame(heard, raw) || heard.length === 0 || raw.length === 0) return [];
  return [
    {
      type: 'turns.recut',
      data: {
        basis,
        replaced: heard.map(({ id }) => id),
        by: raw.map(({ id, speaker, start, end }) => ({ id, speaker, start, end })),
        ...spokenIn(raw),
        ...movedBetween(heard, raw),
      },
      content: { turns: raw.map(({ text, words }) => ({ text, words })) },
    },
  ];
}

function named(said: Said): CarriedFact {
  const labels = labelsSpoken(said).filter((label) => said.names[label]?.trim());
  if (labels.length === 0) return { type: 'speakers.skipped', data: {} };
  // How they sound is measured again from what is left of them.
  const names = Object.fromEntries(labels.map((label) => [label, said.names[label]!]));
  const { remembered } = said;
  if (remembered === null) return { type: 'speakers.named', data: { labels }, content: { names } };
  const moved = labels.filter((label) => remembered.includes(label));
  return { type: 'speakers.named', data: { labels, moved }, content: { names, voices: [] } };
}

const punctuated = ({ recognised: blocks, punctuation }: Said): RecordingFact => ({
  type: 'transcript.punctuated',
  data: { ...punctuation, parts: 1, kept: [] },
  content: { blocks: [...blocks] },
});

function summarised({ language }: Said, { summary }: TalkTexts): RecordingFact {
  const { lines, text, tooShort, by } = summary;
  return {
    type: 'summary.completed',
    data: { ...by, parts: 1, language, ...(tooShort ? { too_short: true } : {}) },
    content: { text, ...(lines.length > 0 ? { lines: [...lines] } : {}) },
  };
}

const entitled = ({ summary }: Said, { title, abstract }: TalkTexts): RecordingFact => ({
  type: 'title.chosen',
  data: { ...summary.by, carried: true },
  content: { title, abstract },
});

/** What people made of the summary stays what they made of it. */
const editedAgain = (
  { summary: { lines, abstract } }: Said,
  of: { basis: number; turns: number | null },
): CarriedFact => ({
  type: 'summary.edited',
  data: { ...of, edits: [] },
  content: { lines: [...lines], ...(abstract === null ? {} : { abstract }) },
});

/** What people corrected, as it is carried over from a transcript to the next; null: nothing. */
function corrected({ recognised: before, blocks, unplaced }: Said): RecordingFact | null {
  if (isSame(before, blocks) && unplaced.length === 0) return null;
  const heard = new Map(before.map((block) => [block.id, block]));
  const isPlaced = (block: Block): boolean => {
    const old = heard.get(block.id);
    return old === undefined || !isSame([old], [block]);
  };
  return {
    type: 'corrections.carried_over',
    data: {
      placed: blocks.filter(isPlaced).length,
      unplaced: unplaced.length,
      labels: [],
      ...spokenIn(blocks),
      ...movedBetween(before, blocks),
    },
    content: { blocks: [...blocks], unplaced: [...unplaced], names: {} },
  };
}

const isSame = (a: readonly Block[], b: readonly Block[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
