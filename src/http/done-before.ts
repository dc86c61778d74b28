import type { RecordingFact } from '../../events/recording-facts.ts';
import { commands, doneBy, lastDoneBy, type Done } from '../../projections/commands.ts';
import { commandOf } from './commands.ts';
import { limits } from './limits.ts';
import { Problem } from './problems.ts';
import type { HttpServices } from './services.ts';
import type { State } from './state.ts';

/**
 * What this very command led to before, as the log tells: a repetition whose first answer nobody
 * remembers any more, because of a restart or because it never came to one, is answered with it. By
 * then the state may not allow the command any more, and another recording may be the one that waits.
 * Null for a command that is new, or has no `Idempotency-Key` and cannot be repeated.
 * @param expected what a command of this kind leads to
 * @throws {Problem} 409 `key-used-differently` when it led to anything else
 */
export async function doneBefore(
  { projections, storage, store }: Pick<HttpServices, 'projections' | 'storage' | 'store'>,
  state: State,
  expected: { types: readonly RecordingFact['type'][]; recordingId?: string | undefined },
): Promise<Done | null> {
  if (!state.repeatable) return null;
  const command = commandOf(state);
  await projections.applied(commands.name, store.head(), { timeoutMs: limits.readYourWritesMs });
  const done = (await doneBy(storage, command)) ?? (await lastDoneBy(storage, command));
  if (done === null) return null;
  const { types, recordingId = done.recordingId } = expected;
  if (done.recordingId !== recordingId || !(types as readonly string[]).includes(done.type)) {
    throw new Problem('key-used-differently', 'Take a new key for another request.');
  }
  return done;
}
