import { isForRules, rulesApplied } from '../../../projections/rules.ts';
import type { Personal } from '../../../projections/personal.ts';
import type { Recording } from '../../../projections/recording/recording.ts';
import { orderingOf } from '../ordering.ts';
import type { Job } from './run-stage.ts';

/**
 * Once in a recording's life what was said decides where it is put, before its first documents say that: `words` before
 * its first summary, whose template they may choose, `title` when that is known too.
 */
export async function applyRules(
  job: Job,
  known: 'words' | 'title',
  { order }: { order: { of(owner: string): Promise<Personal> } },
): Promise<void> {
  const before = await job.recording();
  if (!isForRules(before)) return;
  // It may have been handed over while it waited, and be again before this is decided.
  const { owner } = before.files;
  const ordering = await orderingOf(order, owner ?? job.owner);
  const { recordingId: id } = job;
  const applied = (recording: Recording) =>
    recording.files.owner === owner ? rulesApplied(recording, ordering) : [];
  await job.decide(applied, {
    by: 'system',
    command: known === 'words' ? `rules-words-${id}` : `rules-${id}`,
  });
}
