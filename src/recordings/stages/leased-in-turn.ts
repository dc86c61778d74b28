import type { Lease } from '../../shared/shared-resource.ts';
import type { LanguageModel } from '../../language/model.ts';
import type { Job, JobQueueName } from './run-stage.ts';

/**
 * Works with what is leased once it is the job's turn: what was set while the job waited counts, and who waited
 * for an engine that was replaced by one with another queue waits there.
 */
export async function leasedInTurn<Held extends Lease<unknown> | null, Taken, Result>(
  lease: () => Promise<Held>,
  turn: {
    queueOf(held: Held): JobQueueName | Promise<JobQueueName>;
    /** Waits for a slot, and asks `again` for the queue before it counts as taken. */
    take(queue: JobQueueName, again: () => Promise<JobQueueName>): Promise<Taken>;
  },
  work: (held: Held, taken: Taken) => Promise<Result>,
): Promise<Result> {
  let held = await lease();
  try {
    const taken = await turn.take(await turn.queueOf(held), async () => {
      const waited = held;
      held = await lease();
      waited?.release();
      return await turn.queueOf(held);
    });
    return await work(held, taken);
  } finally {
    held?.release();
  }
}

/** Punctuation and summary of one recording are asked for at the same time. */
export const slotsPerModel = 2;

/** Works with the language model once it is the job's turn; where none is set up with null, in the queue `without`. */
export const modelInTurn = (
  job: Pick<Job, 'acquireSlot'>,
  lease: () => Promise<Lease<LanguageModel> | null>,
  { without }: { without: string },
  work: (model: LanguageModel | null) => Promise<void>,
): Promise<void> =>
  leasedInTurn(
    lease,
    {
      queueOf: (held) => ({ name: held?.value.queue ?? without, concurrency: slotsPerModel }),
      take: job.acquireSlot,
    },
    (held) => work(held?.value ?? null),
  );
