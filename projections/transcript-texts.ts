import type { LoggedFact } from '../events/facts/catalogue.ts';
import type { Block, Correction } from '../events/facts/transcript.ts';
import { startingWith } from './list-page.ts';
import type { Results } from './pass-results.ts';
import { type Passes, latest } from './passes.ts';
import type { ProjectionStorage, Rows } from './projection.ts';
import { recordingsName, textsOf } from './recording-keys.ts';
import type { TranscriptRow } from './recording-row.ts';

/*
 * The texts of a recording, apart from its row so that none is written twice. Rows, below `t/<id>/`:
 * `u/<run>/<index>` an utterance, until there are blocks made of them; `b/<run>` blocks and `s/<run>`
 * summary of a run (`r<version>` when restored); `e/<run>/<block>` what a person corrected of a block;
 * `x/<run>` corrections without a place.
 */

/** Writes the text a fact brings. One whose key was destroyed brings none. */
export function setText(rows: Rows, id: string, { run, shown }: Passes, fact: LoggedFact): void {
  if (fact.content === undefined) return;
  if (fact.type === 'turn.edited' && shown.blocks !== null) {
    const { block, speaker } = fact.data;
    const { text, words } = fact.content;
    rows.set(editKey(id, shown.blocks, block), { text, words, speaker } satisfies Edit);
  }
  if (fact.type === 'corrections.carried_over') {
    rows.set(blocksKey(id, run), fact.content.blocks);
    if (fact.data.unplaced > 0) rows.set(unplacedKey(id, run), fact.content.unplaced);
  }
  if (fact.type === 'version.restored') {
    rows.set(blocksKey(id, `r${fact.version}`), fact.content.blocks);
    rows.set(summaryKey(id, `r${fact.version}`), fact.content.summary);
  }
  if (fact.type === 'utterance.recognised') {
    const { index, start, end, doubt } = fact.data;
    const { segments } = fact.content;
    const utterance = { index, start, end, segments, ...(doubt === undefined ? {} : { doubt }) };
    rows.set(utteranceKey(id, run, index), utterance satisfies Utterance);
  }
  if (fact.type === 'turns.joined') rows.set(blocksKey(id, run), fact.content.turns);
  if (fact.type === 'transcript.punctuated') rows.set(blocksKey(id, run), fact.content.blocks);
  if (fact.type === 'summary.completed') rows.set(summaryKey(id, run), fact.content.text);
}

/** Deletes the texts that neither what is shown nor the present pass needs any more. */
export function dropTexts(rows: Rows, id: string, before: Passes | undefined, after: Passes): void {
  if (before === undefined || before === after) return;
  const needed = [after.shown, ...(after.pending ? [after.pending] : [])];
  for (const results of [before.shown, latest(before)]) {
    const { blocks, summary, edited } = results;
    const utterances = spokenIn(results);
    if (utterances !== null) {
      const kept = needed.find((one) => spokenIn(one)?.run === utterances.run)?.utterances;
      for (let index = kept?.count ?? 0; index < utterances.count; index += 1) {
        rows.delete(utteranceKey(id, utterances.run, index));
      }
    }
    if (blocks !== null && !needed.some((one) => one.blocks === blocks)) {
      rows.delete(blocksKey(id, blocks));
      rows.delete(unplacedKey(id, blocks));
      for (const block of edited) rows.delete(editKey(id, blocks, block));
    }
    if (summary !== null && !needed.some((one) => one.summary === summary)) {
      rows.delete(summaryKey(id, summary));
    }
  }
}

/** The texts of a recording that these results name, with what people corrected of them. */
export async function readTexts(
  storage: ProjectionStorage,
  recording_id: string,
  results: Results,
): Promise<TranscriptRow> {
  const { blocks, summary, edited, unplaced } = results;
  const utterances = spokenIn(results);
  const spoken: Utterance[] = [];
  if (utterances !== null) {
    const within = startingWith(`${textsOf(recording_id)}u/${utterances.run}/`);
    for await (const [, row] of storage.range<Utterance>(recordingsName, within)) spoken.push(row);
  }
  const [blockRow, summaryRow, unplacedRow, ...editRows] = await storage.getMany(recordingsName, [
    blocksKey(recording_id, blocks ?? 0),
    summaryKey(recording_id, summary ?? 0),
    unplacedKey(recording_id, blocks ?? 0),
    ...edited.map((block) => editKey(recording_id, blocks ?? 0, block)),
  ]);
  const edits = new Map(edited.map((block, index) => [block, editRows[index] as Edit | undefined]));
  return {
    recording_id,
    utterances: spoken,
    blocks: ((blockRow as Block[] | undefined) ?? []).map((block) => ({
      ...block,
      ...edits.get(block.id),
    })),
    unplaced: unplaced > 0 ? ((unplacedRow as Correction[] | undefined) ?? []) : [],
    summary: (summaryRow as string | null | undefined) ?? null,
  };
}

/** Whether the same texts are named: if not, what was read in between may be of both. */
export const sameTexts = (a: Results, b: Results): boolean =>
  a.utterances?.run === b.utterances?.run &&
  a.blocks === b.blocks &&
  a.summary === b.summary &&
  a.edited.length === b.edited.length;

type Utterance = TranscriptRow['utterances'][number];
/** What a correction puts in the place of a block's own. */
type Edit = Pick<Block, 'text' | 'words' | 'speaker'>;

/** The utterances that are still needed: none once there are blocks made of them. */
const spokenIn = ({ utterances, blocks }: Results): Results['utterances'] =>
  blocks === null ? utterances : null;

/** Nine digits sort as numbers do. */
const utteranceKey = (id: string, run: number, index: number): string =>
  `${textsOf(id)}u/${run}/${String(index).padStart(9, '0')}`;
const blocksKey = (id: string, run: number | string): string => `${textsOf(id)}b/${run}`;
const summaryKey = (id: string, run: number | string): string => `${textsOf(id)}s/${run}`;
const unplacedKey = (id: string, run: number | string): string => `${textsOf(id)}x/${run}`;
const editKey = (id: string, run: number | string, block: string): string =>
  `${textsOf(id)}e/${run}/${block}`;
