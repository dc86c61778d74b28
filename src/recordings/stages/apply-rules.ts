import { isForRules, rulesApplied } from '../../../projections/rules.ts';
import type { Personal } from '../../../projections/personal.ts';
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
  if (!isForRules(await job.recording())) return;
  const ordering = await orderingOf(order, job.owner);
  const { recordingId: id } = job;
  await job.decide((recording) => rulesApplied(recording, ordering), {
    by: 'system',
    command: known === 'words' ? `rules-words-${id}` : `rules-${id}`,
  });
}
