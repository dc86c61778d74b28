import type { LoggedFact } from '../events/facts/catalogue.ts';
import type { Block, Correction } from '../events/facts/transcript.ts';
import { startingWith } from './list-page.ts';
import type { Results } from './pass-results.ts';
import { type Passes, latest } from './passes.ts';
import type { ProjectionStorage, Rows } from './projection.ts';
import type { TranscriptRow } from './recording-row.ts';

/** Writes the text a fact brings. One whose key was destroyed brings none. */
export function setText(rows: Rows, id: string, { run, shown }: Passes, fact: LoggedFact): void {
  if (fact.content === undefined) return;
  if (fact.type === 'turn.edited' && shown.blocks !== null) {
    const { block, speaker } = fact.data;
    const { text, words } = fact.content;
    rows.set(editKey(id, shown.blocks, block), { text, words, speaker } satisfies Edit);
  }
  if (fact.type === 'corrections.carried_over') {
    rows.set(`b/${id}/${run}`, fact.content.blocks);
    if (fact.data.unplaced > 0) rows.set(`x/${id}/${run}`, fact.content.unplaced);
  }
  if (fact.type === 'version.restored') {
    rows.set(`b/${id}/r${fact.version}`, fact.content.blocks);
    rows.set(`s/${id}/r${fact.version}`, fact.content.summary);
  }
  if (fact.type === 'utterance.recognised') {
    const { index, start, end, doubt } = fact.data;
    const { segments } = fact.content;
    const utterance = { index, start, end, segments, ...(doubt === undefined ? {} : { doubt }) };
    rows.set(utteranceKey(id, run, index), utterance satisfies Utterance);
  }
  if (fact.type === 'turns.joined') rows.set(`b/${id}/${run}`, fact.content.turns);
  if (fact.type === 'transcript.punctuated') rows.set(`b/${id}/${run}`, fact.content.blocks);
  if (fact.type === 'summary.completed') rows.set(`s/${id}/${run}`, fact.content.text);
}

/** Deletes the texts that neither what is shown nor the present pass needs any more. */
export function dropTexts(rows: Rows, id: string, before: Passes, after: Passes): void {
  if (before === after) return;
  const needed = [after.shown, ...(after.pending ? [after.pending] : [])];
  for (const { utterances, blocks, summary, edited } of [before.shown, latest(before)]) {
    if (utterances !== null) {
      const kept = needed.find((one) => one.utterances?.run === utterances.run)?.utterances;
      for (let index = kept?.count ?? 0; index < utterances.count; index += 1) {
        rows.delete(utteranceKey(id, utterances.run, index));
      }
    }
    if (blocks !== null && !needed.some((one) => one.blocks === blocks)) {
      rows.delete(`b/${id}/${blocks}`);
      rows.delete(`x/${id}/${blocks}`);
      for (const block of edited) rows.delete(editKey(id, blocks, block));
    }
    if (summary !== null && !needed.some((one) => one.summary === summary)) {
      rows.delete(`s/${id}/${summary}`);
    }
  }
}

/** The texts of a recording that these results name, with what people corrected of them. */
export async function readTexts(
  storage: ProjectionStorage,
  projection: string,
  recording_id: string,
  { utterances, blocks, summary, edited, unplaced }: Results,
): Promise<TranscriptRow> {
  const spoken: Utterance[] = [];
  if (utterances !== null) {
    const within = startingWith(`u/${recording_id}/${utterances.run}/`);
    for await (const [, row] of storage.range<Utterance>(projection, within)) spoken.push(row);
  }
  const [blockRow, summaryRow, unplacedRow, ...editRows] = await storage.getMany(projection, [
    `b/${recording_id}/${blocks ?? 0}`,
    `s/${recording_id}/${summary ?? 0}`,
    `x/${recording_id}/${blocks ?? 0}`,
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

/** Nine digits sort as numbers do. */
const utteranceKey = (id: string, run: number, index: number): string =>
  `u/${id}/${run}/${String(index).padStart(9, '0')}`;

const editKey = (id: string, blocks: number | string, block: string): string =>
  `e/${id}/${blocks}/${block}`;
