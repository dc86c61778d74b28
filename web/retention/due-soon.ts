/** Which of one's notes periods take within a week. */
import { atom, onMount } from 'nanostores';
import { ApiError } from '../client/api.ts';
import { type PreviewItem, type Retention, readPreview, retention } from './retention.ts';

const weekDays = 7;

/** By the id of the note; what is protected stays, and is not among them. */
export const dueSoon = atom<ReadonlyMap<string, PreviewItem>>(new Map());
onMount(dueSoon, () => retention.subscribe((now) => void read(now)));

async function read(now: Retention | null): Promise<void> {
  if (now === null) return;
  // Mostly nothing goes, and nothing more has to be asked.
  if (now.soon === null && now.waiting === null) return dueSoon.set(new Map());
  try {
    const { items } = await readPreview(weekDays);
    const going = items.filter(({ hold }) => hold === null);
    // A note that goes takes its audio along.
    const inOrder = going.toSorted(
      (a, b) => Number(a.part === 'notes') - Number(b.part === 'notes'),
    );
    dueSoon.set(new Map(inOrder.map((item) => [item.recording_id, item])));
  } catch (error) {
    // It is only a hint: what was known stays.
    if (!(error instanceof ApiError)) throw error;
  }
}
