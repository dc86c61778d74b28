import { eventually } from '../support/eventually.ts';
import type { Door } from './door.ts';

/** A recording as `GET /recordings/{id}` and the export say it. */
export type Shown = {
  recording_id: string;
  state: string;
  error: unknown;
  title: string | null;
  started_at: string;
  duration: number;
  version: number;
  utterances: { block: string; start: number; end: number; speaker: string | null; text: string }[];
  sidenotes: { note: number; at: number; text: string; mark: boolean }[];
  speakers: { label: string; name: string | null }[];
  speakers_pending: { label: string }[];
  summary: {
    lines: { id: string; kind: string; text: string; done: boolean; edited_by: string | null }[];
  };
  documents: Record<'index' | 'transcript' | 'summary', string> | null;
};

/** What a node left is another's when it was not heard of for a while. */
const settledWithinMs = 60_000;

export const readTalk = async (door: Door, id: string): Promise<Shown | null> => {
  const { status, body } = await door.get<Shown>(`/recordings/${id}`);
  if (status === 404) return null;
  if (status !== 200) throw new Error(`GET /recordings/${id}: ${status} ${JSON.stringify(body)}`);
  return body;
};

/** Resolves when nothing more happens to it by itself: with what it is, or null where it is gone. @throws where it failed */
export async function atRest(door: Door, id: string, states = ['idle.saved']) {
  let found: Shown | null = null;
  const isThere = async () => {
    await door.whole();
    found = await readTalk(door, id);
    if (found?.error) throw new Error(`${id} failed: ${JSON.stringify(found.error)}`);
    return found === null || states.some((state) => found!.state.startsWith(state));
  };
  await eventually(`${id} is at rest`, isThere, settledWithinMs).catch((error: Error) => {
    throw new Error(`${error.message} (${found?.state})`, { cause: error });
  });
  return found as Shown | null;
}

export async function isGone(door: Door, id: string): Promise<void> {
  await eventually(
    `${id} is gone`,
    async () => (await readTalk(door, id)) === null,
    settledWithinMs,
  );
}

/** The persons' lines of its summary. */
export const linesOf = ({ summary }: Shown) =>
  summary.lines.filter((line) => line.edited_by !== null);

/** The words of a turn, as a person corrected them. */
export const wordsIn = (text: string): string[] =>
  text.split(/\s+/u).flatMap((word) => word.replaceAll(/[^\w-]/gu, '') || []);
