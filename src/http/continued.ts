import { recordingById } from '../../projections/recordings.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import type { Start } from '../recordings/beginnings.ts';
import type { HttpServices } from './services.ts';

/**
 * What a recording says of itself that goes on into another: that one's kind, title and people, unless others are given. It
 * is put into no folder: its place is that one's.
 */
export type Continuing = Pick<Start, 'continues' | 'kind' | 'title' | 'people' | 'folder'>;

/** What is recorded behind a recording. Pure. */
export function recordedBehind(
  {
    recordingId,
    kind,
    title,
    speakers,
  }: Pick<RecordingRow, 'recordingId' | 'kind' | 'title' | 'speakers'>,
  given: Partial<Pick<Start, 'title' | 'people'>>,
): Omit<Continuing, 'folder'> {
  const names = speakers.flatMap(({ name }) => name ?? []);
  return {
    continues: recordingId,
    kind,
    title: given.title || title || undefined,
    people: [...new Set([...(given.people ?? []), ...names])],
  };
}

/**
 * The same for a browser, whose audio is taken in any case: of what is not this user's, or is gone, it says nothing, and is
 * a recording of its own.
 */
export async function recordedBehindIfThere(
  { storage }: Pick<HttpServices, 'storage'>,
  userId: string,
  { continues, ...given }: Continuing,
): Promise<Continuing> {
  const row = continues === undefined ? undefined : await recordingById(storage, continues);
  return row?.owner === userId && row.status !== 'recording' ? recordedBehind(row, given) : given;
}
