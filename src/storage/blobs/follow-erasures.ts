import { followOnwards } from '../../../events/follow-streams.ts';
import type { EventStore } from '../../../events/store.ts';
import { recordingOf } from '../../../events/facts/recording.ts';
import { type FactOutline, groupSubject, userSubjects } from '../../../events/facts/catalogue.ts';
import type { Log } from '../../shared/log.ts';
import { keepDoing } from '../../shared/retry.ts';

/** The subjects that a fact erases. */
function erasedBy(fact: FactOutline): string[] {
  const endsUser = fact.type === 'user.deleted' || fact.type === 'user.invitation_withdrawn';
  if (endsUser) return userSubjects(fact.data.user_id);
  if (fact.type === 'group.deleted') return [groupSubject(fact.data.group_id)];
  const recordingId = fact.type === 'recording.erased' ? recordingOf(fact.stream) : undefined;
  return recordingId === undefined ? [] : [recordingId];
}

/**
 * Follows the log from its present end: of what any node erases, nothing stays in memory or on this machine. What was
 * erased before is in neither, as both begin empty.
 * @returns how to stop
 */
export function followErasures(
  store: Pick<EventStore, 'head' | 'follow'>,
  { leave }: { leave(subject: string): Promise<void> },
  log: Pick<Log, 'error'>,
): () => Promise<void> {
  const follow = followOnwards(store, async (facts) => {
    for (const subject of facts.flatMap(erasedBy)) {
      await leave(subject).catch((error: unknown) =>
        log.error(
          { err: error, subject },
          'local copies of erased data could not be removed; trying again',
        ),
      );
    }
  });
  return keepDoing(follow, {
    pauseMs: 500,
    onFailure: (err) => log.error({ err }, 'erasures of other nodes could not be followed'),
  });
}
