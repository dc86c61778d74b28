import { detail } from '../../src/words/details.ts';
import { fieldFault } from '../../src/words/field-faults.ts';
import { type Decision, type Refusal, isRefusal, refuse } from '../../events/command-handler.ts';
import { hashedKey } from '../../events/key-store.ts';
import type { RecordingFactOf } from '../../events/facts/recording.ts';
import type { Block } from '../../events/facts/transcript.ts';
import { corrected, newLabel } from './carry-over.ts';
import { type CorrectedPair, correctedPairs } from './corrected-pairs.ts';
import { speakingTimes } from './join-turns.ts';
import { cutTurn, joinedTurns, movedBetween } from './turn-changes.ts';
import { type Reading, type Sample, draft, isRestoring, published } from './reading.ts';
import { type Recording, factAt } from './recording.ts';
import { voiceSamples } from './voices.ts';

/** What a person wants of one block: other words, or another speaker (a label, a name, or a new one). */
export type BlockChange = {
  block: string;
  text?: string | undefined;
  speaker?: string | undefined;
};
/** A label as the documents show it: without a name `SPEAKER_00` is `Speaker 1`. */
export type ShownName = (
  input: { speakers: Reading['speakers']; uiLanguage: 'de' | 'en' },
  label: string,
) => string;

export type EditRefusal =
  | (Refusal<'NO_DOCUMENTS'> & {
      type:
        | 'turn.edited'
        | 'turns.recut'
        | 'speakers.renamed'
        | 'document.edited'
        | 'summary.edited';
    })
  | Refusal<'NO_SUCH_TURN'>
  | Refusal<'TURNS_CHANGED'>
  | Refusal<'NO_SUCH_WORD'>
  | Refusal<'NO_SPEAKERS'>;
type TurnEdit = RecordingFactOf<'turn.edited'>;
type Recut = RecordingFactOf<'turns.recut'>;

/** A turn by the id of its block, or by its place in what people are shown. */
export type TurnRef = string | number;

/**
 * The state that a person saw and changed: `turnsTag` of all turns, or `turnTag` of one; of names also `speakersRevision`.
 * Undefined: any state.
 */
export type Seen = readonly string[] | undefined;

/** Corrects a turn. @param seen the state that the turn must still have */
export const editTurn =
  (turn: TurnRef, change: Omit<BlockChange, 'block'>, shownName: ShownName, seen?: Seen) =>
  (recording: Recording, state: string): Decision<TurnEdit, EditRefusal> => {
    const shown = correctable(recording, state, 'turn.edited');
    if (isRefusal(shown)) return shown;
    const [reading] = shown;
    const found = turnIn(reading.blocks, turn, seen);
    if (isRefusal(found)) return found;
    const [block] = found;
    return editsOf(recording, reading, [{ block: block.id, ...change }], shownName);
  };

/** A change of one of many turns. `seen`: as for one alone. */
type EditAt = { turn: TurnRef; seen: Seen } & Omit<BlockChange, 'block'>;

/** Corrects many turns at once, all or none: find and replace, and taking that back. */
export const editTurns =
  (edits: readonly EditAt[], shownName: ShownName) =>
  (recording: Recording, state: string): Decision<TurnEdit, EditRefusal> => {
    const shown = correctable(recording, state, 'turn.edited');
    if (isRefusal(shown)) return shown;
    const [reading] = shown;
    const tagOf = tagOfAll(reading.blocks);
    const changes: BlockChange[] = [];
    for (const { turn, seen, ...change } of edits) {
      const found = turnIn(reading.blocks, turn, seen, tagOf);
      if (isRefusal(found)) return found;
      changes.push({ block: found[0].id, ...change });
    }
    return editsOf(recording, reading, changes, shownName);
  };

/** Differs whenever turns say something else, or another one says it: the ETag of what is corrected. */
export const turnsTag = (turns: readonly Said[]): string =>
  hashedKey(JSON.stringify(turns.map(({ id, speaker, text }) => [id, speaker, text])));

/** The same of one turn. Short, since each of thousands has one: it tells what a turn says from what it said before. */
export const turnTag = (turn: Said): string => turnsTag([turn]).slice(0, 12);

type Said = Pick<Block, 'id' | 'speaker' | 'text'>;

/** `turnsTag` of the same turns, computed when it is first asked for. */
function tagOfAll(blocks: readonly Block[]): () => string {
  let tag: string | undefined;
  return () => (tag ??= turnsTag(blocks));
}

/** The turn that is meant, if it says what was seen. Ids may come back: of a block only its tag tells which it was. */
function turnIn(
  blocks: readonly Block[],
  turn: TurnRef,
  seen: Seen,
  tagOf = tagOfAll(blocks),
): [Block] | Refusal<'NO_SUCH_TURN'> | Refusal<'TURNS_CHANGED'> {
  const block = typeof turn === 'number' ? blocks[turn] : blocks.find(({ id }) => id === turn);
  if (!block) return noSuchTurn;
  const isSeen = seen === undefined || seen.includes(turnTag(block)) || seen.includes(tagOf());
  return isSeen ? [block] : turnsChanged;
}

/**
 * Cuts a turn in two before a word of it, counted from 0 as its words are shown (without any: as
 * white space separates them). The second half is the same speaker's unless another is given.
 */
export const splitTurn =
  (
    turn: TurnRef,
    { word, speaker }: { word: number; speaker?: string | undefined },
    shownName: ShownName,
    seen?: Seen,
  ) =>
  (recording: Recording, state: string): Decision<Recut, EditRefusal> => {
    const shown = correctable(recording, state, 'turns.recut');
    if (isRefusal(shown)) return shown;
    const [reading] = shown;
    const found = reading.basis === null ? noSuchTurn : turnIn(reading.blocks, turn, seen);
    if (isRefusal(found)) return found;
    const [block] = found;
    if (speaker !== undefined && block.speaker === null) return noSpeakers;
    const parts = cutTurn(block, word, reading.blocks);
    if (!parts) return noSuchWord;
    const [first, second] = parts;
    const { label, name } = labelsIn(recording, reading, shownName).of(speaker, block);
    const by = [first, { ...second, speaker: label }];
    return [recutFact(recording, reading, { replaced: [block], by }, name)];
  };

/** Joins a turn with the next one, under its own speaker. @param wanted block that has to be the next one */
export const mergeTurn =
  (turn: TurnRef, wanted?: string, seen?: Seen) =>
  (recording: Recording, state: string): Decision<Recut, EditRefusal> => {
    const shown = correctable(recording, state, 'turns.recut');
    if (isRefusal(shown)) return shown;
    const [reading] = shown;
    const { blocks } = reading;
    const found = reading.basis === null ? noSuchTurn : turnIn(blocks, turn, seen);
    if (isRefusal(found)) return found;
    const [block] = found;
    const next = blocks[blocks.indexOf(block) + 1];
    if (!next) return wanted === undefined ? noSuchTurn : turnsChanged;
    if (wanted !== undefined && next.id !== wanted) return turnsChanged;
    const by = [joinedTurns(block, next)];
    return [recutFact(recording, reading, { replaced: [block, next], by })];
  };

/** What people see and may correct: the documents; before there are any, what waits for names. */
function correctable(
  recording: Recording,
  state: string,
  type: 'turn.edited' | 'turns.recut',
): [Reading] | EditRefusal {
  if (isRestoring(recording)) return turnsChanged;
  const reading = published(recording) ?? (state === 'awaiting-speakers' ? draft(recording) : null);
  return reading ? [reading] : noDocuments(type);
}

const recutFact = (
  recording: Recording,
  reading: Reading,
  { replaced, by }: { replaced: readonly Block[]; by: readonly Block[] },
  name?: string,
): Recut => ({
  type: 'turns.recut',
  data: {
    basis: reading.basis!,
    replaced: replaced.map(({ id }) => id),
    by: by.map(({ id, speaker, start, end }) => ({ id, speaker, start, end })),
    ...spokenIn(blocksWith(reading.blocks, replaced, by)),
    ...movedBetween(replaced, by),
  },
  content: {
    turns: by.map(({ text, words }) => ({ text, words })),
    ...(name === undefined ? {} : { name }),
    ...samplesIn(recording, reading, blocksWith(reading.blocks, replaced, by)),
  },
});

const blocksWith = (
  blocks: readonly Block[],
  replaced: readonly Block[],
  by: readonly Block[],
): Block[] => [...blocks.filter((block) => !replaced.includes(block)), ...by];

/** What tells who each label is, while the meeting waits for that to be said. */
function samplesIn(
  recording: Recording,
  { source: { results }, basis, speakers }: Reading,
  blocks: readonly Block[],
): { samples?: Record<string, Sample[]> } {
  if (basis === null || basis !== results.turns) return {};
  const diarized = factAt(recording, results.diarization, 'diarization.completed')?.data.turns;
  const labels = new Set([
    ...speakers.map(({ label }) => label),
    ...blocks.flatMap(({ speaker }) => speaker ?? []),
  ]);
  return {
    samples: Object.fromEntries(
      [...labels].map((label) => [label, voiceSamples(label, blocks, diarized ?? [])]),
    ),
  };
}

/**
 * The facts for changes of blocks in what people are shown; none where nothing changes. A speaker
 * without a name yet gets a new label; blocks that do not exist are left out. Pure.
 */
export function editsOf(
  recording: Recording,
  reading: Reading,
  changes: readonly BlockChange[],
  shownName: ShownName,
): Decision<TurnEdit, Refusal<'NO_SPEAKERS'>> {
  const { basis } = reading;
  const blocks = new Map(reading.blocks.map((block) => [block.id, block]));
  const labels = labelsIn(recording, reading, shownName);
  const facts: TurnEdit[] = [];
  for (const change of changes) {
    const block = blocks.get(change.block);
    if (!block || basis === null) continue;
    if (change.speaker !== undefined && block.speaker === null) return noSpeakers;
    const text = change.text ?? block.text;
    const { label, name } = labels.of(change.speaker, block);
    if (text === block.text && label === block.speaker) continue;
    const words = text === block.text ? { text, words: block.words } : corrected(block, text);
    const after = { ...block, ...words, speaker: label };
    blocks.set(block.id, after);
    facts.push({
      type: 'turn.edited',
      data: {
        basis,
        block: block.id,
        speaker: label,
        ...movedBetween([block], [after]),
      },
      content: { ...words, ...correctedIn(block, text), ...(name === undefined ? {} : { name }) },
    });
  }
  // The last one says it for all.
  const last = facts.at(-1);
  if (last) {
    const after = [...blocks.values()];
    Object.assign(last.data, spokenIn(after));
    Object.assign(last.content!, samplesIn(recording, reading, after));
  }
  return facts;
}

function correctedIn(block: Block, text: string): { corrected?: CorrectedPair[] } {
  const corrected = text === block.text ? [] : correctedPairs(block, text);
  return corrected.length === 0 ? {} : { corrected };
}

/** How long each speaks in these turns, as facts have it. */
export function spokenIn(blocks: readonly Block[]): { spoken?: Record<string, number> } {
  const times = speakingTimes(blocks);
  return times.length === 0
    ? {}
    : { spoken: Object.fromEntries(times.map(({ label, seconds }) => [label, seconds])) };
}

export const noDocuments = <T extends (EditRefusal & { type: unknown })['type']>(type: T) => ({
  refused: 'NO_DOCUMENTS' as const,
  said: detail('documents-not-ready'),
  type,
});

const noSuchTurn = refuse('NO_SUCH_TURN', detail('passage-not-found'));

export const turnsChanged = refuse('TURNS_CHANGED', detail('passages-changed'));

const noSuchWord = refuse('NO_SUCH_WORD', fieldFault('not-a-word'));

const noSpeakers = refuse('NO_SPEAKERS', fieldFault('no-speakers'));

function labelsIn(recording: Recording, { speakers, source }: Reading, shownName: ShownName) {
  const named = factAt(recording, source.results.named, 'documents.named');
  const uiLanguage = named?.data.ui_language ?? 'en';
  return speakerLabels(speakers, (label) => shownName({ speakers, uiLanguage }, label));
}

/** Finds labels by label, by name, or as the documents show them; one that is not found is new. */
function speakerLabels(speakers: Reading['speakers'], shownName: (label: string) => string) {
  const added = new Map<string, string>();
  return {
    of(wanted: string | undefined, block: Block): { label: string | null; name?: string } {
      if (wanted === undefined) return { label: block.speaker };
      const found =
        speakers.find(({ label }) => label === wanted) ??
        speakers.find(({ name }) => name === wanted) ??
        speakers.find(({ label }) => shownName(label) === wanted);
      if (found) return { label: found.label };
      const label =
        added.get(wanted) ??
        newLabel(new Set([...speakers.map((one) => one.label), ...added.values()]));
      added.set(wanted, label);
      return { label, name: wanted };
    },
  };
}
