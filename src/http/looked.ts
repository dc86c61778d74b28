import { linkTexts } from '../../projections/link-texts.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import type { Caller } from '../accounts/caller.ts';
import { type LookKind, openAccessLog } from '../storage/access-log.ts';
import { perApp } from './route.ts';
import type { RouteServices } from './services.ts';
import type { SeenRecording } from './visible-recording.ts';

const logOf = perApp(({ kept }) => openAccessLog(kept));

/** Notes for the owner that somebody else looked. Nobody waits for it. */
export function noteLook(
  services: RouteServices,
  { userId }: Pick<Caller, 'userId'>,
  { row, right }: SeenRecording,
  look: LookKind,
): void {
  if (right.role === 'owner') return;
  const who = right.role === 'link' ? userId : `u-${userId}`;
  const { recordingId } = row;
  logOf(services)
    .note(recordingId, who, look)
    .catch((err: unknown) =>
      services.log.warn({ err, recording_id: recordingId }, 'a look could not be noted'),
    );
}

/** Who looked, with the names of users, and of links as far as they are there. */
export async function looksShown(services: RouteServices, { recordingId, links }: RecordingRow) {
  const seen = await logOf(services).of(recordingId);
  const ids = links.map(({ link }) => link);
  const texts = ids.length === 0 ? [] : await linkTexts(services.storage, recordingId, ids);
  const nameOf = (who: string): string | null =>
    who.startsWith('u-')
      ? services.accounts.nameOf(who.slice(2))
      : (texts[ids.indexOf(who.slice(2))]?.name ?? null);
  return seen.map(({ who, opened, heard, exported, lastAt }) => {
    const last_at = lastAt.toISOString();
    return { who, name: nameOf(who), opened, heard, exported, last_at };
  });
}
