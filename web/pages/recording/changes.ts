/** What a person changes of a recording, each with its way back. */
import { ApiError, answer, api } from '../../client/api.ts';
import type { Edit } from './find.ts';
import type { Shown, Turn } from './recording.ts';

/** A turn that is being corrected. */
export type Draft = {
  /** Its place in the transcript. */
  at: number;
  index: number;
  text: string;
  /** Label of the speaker. */
  speaker: string | null;
  /** Name of a person who is none of the speakers yet. */
  newName?: string | undefined;
  before: { text: string; speaker: string | null };
  /** What it says now, when it was changed meanwhile. */
  meanwhile?: string | undefined;
};

/** A change that was made, and how to take it back. */
export type Change = { undo: () => Promise<void> };

/** The edit that a draft is; null when nothing was changed. */
export function editOf({ index, text, speaker, newName, before }: Draft): Edit | null {
  const tidy = text.replaceAll(/\s+/g, ' ').trim();
  const wanted = newName?.trim() || speaker;
  const edit: Edit = { index };
  if (tidy !== before.text) edit.text = tidy;
  if (wanted !== null && wanted !== before.speaker) edit.speaker = wanted;
  return edit.text === undefined && edit.speaker === undefined ? null : edit;
}

/** Edits that bring back what turns said before others were made. */
export const inverseOf = (edits: readonly Edit[], turns: readonly Turn[]): Edit[] =>
  edits.map(({ index, text, speaker }) => {
    const before = turns.find((turn) => turn.index === index)!;
    return {
      index,
      ...(text === undefined ? {} : { text: before.text }),
      ...(speaker === undefined || before.speaker === null ? {} : { speaker: before.speaker }),
    };
  });

/** So many the service takes at once. */
const editsMax = 2000;

/**
 * Corrects turns, all or none as far as the service takes them at once.
 * @throws {ApiError} 412 when turns were changed since they were shown
 */
export async function correctTurns(
  id: string,
  { recording, etag }: Shown,
  edits: readonly Edit[],
): Promise<Change> {
  const after = await sendEdits(id, edits, etag);
  const back = inverseOf(edits, recording.utterances);
  return { undo: async () => void (await sendEdits(id, back, after)) };
}

async function sendEdits(id: string, edits: readonly Edit[], etag: string): Promise<string> {
  let tag = etag;
  for (let at = 0; at < edits.length; at += editsMax) {
    const asked = api.PATCH('/recordings/{id}/utterances', {
      params: { path: { id }, header: { 'If-Match': tag } },
      body: { edits: edits.slice(at, at + editsMax) },
    });
    await answer(asked);
    tag = (await asked).response.headers.get('ETag') ?? '';
  }
  return tag;
}

/** Cuts a turn before a word. @throws {ApiError} */
export async function splitTurn(id: string, index: number, word: number): Promise<Change> {
  await cut(id, index, word);
  return { undo: () => join(id, index) };
}

/**
 * Joins a turn with the next one, whose words then are its speaker's.
 * @throws {ApiError}
 */
export async function mergeTurns(id: string, turn: Turn, next: Turn): Promise<Change> {
  await join(id, turn.index);
  const words = turn.words.length > 0 ? turn.words.length : turn.text.split(/\s+/).length;
  return { undo: () => cut(id, turn.index, words, next.speaker ?? undefined) };
}

async function cut(id: string, index: number, word: number, speaker?: string): Promise<void> {
  const path = { id, index: String(index) };
  const body = { word, ...(speaker === undefined ? {} : { speaker }) };
  await answer(api.POST('/recordings/{id}/utterances/{index}/split', { params: { path }, body }));
}

async function join(id: string, index: number): Promise<void> {
  const path = { id, index: String(index) };
  await answer(api.POST('/recordings/{id}/utterances/{index}/merge', { params: { path } }));
}

/** Gives speakers other names, by label; an empty one takes a name away. @throws {ApiError} */
export async function renameSpeakers(
  id: string,
  { recording }: Shown,
  names: Record<string, string>,
): Promise<Change> {
  const send = async (speakers: Record<string, string>): Promise<void> => {
    const params = { path: { id } };
    await answer(api.PATCH('/recordings/{id}/speakers', { params, body: { speakers } }));
  };
  await send(names);
  const before = Object.keys(names).map((label) => [
    label,
    recording.speakers.find((speaker) => speaker.label === label)?.name ?? '',
  ]);
  return { undo: () => send(Object.fromEntries(before) as Record<string, string>) };
}

/** @throws {ApiError} */
export async function changeTitle(
  id: string,
  { recording }: Shown,
  title: string,
): Promise<Change> {
  const send = async (wanted: string): Promise<void> => {
    await answer(
      api.PATCH('/recordings/{id}', { params: { path: { id } }, body: { title: wanted } }),
    );
  };
  await send(title);
  return { undo: () => send(recording.title ?? title) };
}

export const isChangedMeanwhile = (error: unknown): boolean =>
  error instanceof ApiError && error.problem.status === 412;
