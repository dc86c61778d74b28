/** What a person saves where it stands: carried out once, and what came of it shown beside it. */
import type { WritableAtom } from 'nanostores';
import { ApiError, type Problem, isUnanswered } from '../../client/api.ts';
import { ChangedSince, type Plan } from './changes.ts';
import type { queue } from '../../client/queue.ts';
import type { Drafts } from './drafts.ts';
import type { MyChanges } from './my-changes.ts';

/** Why something could not be saved, by the block of its draft. `look` reads it again, where that is not known. */
export type Refusal = { block: string; problem: Problem; look?: () => Promise<boolean> };

type Parts = {
  changes: MyChanges;
  /** Of the desk: what is pressed while it is looked goes by what the look led to. */
  inTurn: ReturnType<typeof queue>;
  refusal: WritableAtom<Refusal | null>;
  /** With the toast of a change that was made. */
  onmade: (id: number, said: string) => void;
};
type Change = {
  block: string;
  said: string;
  plan: Plan;
  /** It is made. */
  done: () => void;
  /** Others changed it: what came of that is shown. */
  elsewhere: () => void;
};

/** Makes a change, or looks whether it was made. @returns whether it is */
export async function attempt(
  parts: Parts,
  change: Change,
  work = () => parts.changes.make(change.said, change.plan),
): Promise<boolean> {
  const { changes, inTurn, refusal, onmade } = parts;
  const { block, said, plan, done, elsewhere } = change;
  refusal.set(null);
  try {
    const { id } = await work();
    done();
    onmade(id, said);
    return true;
  } catch (error) {
    if (error instanceof ChangedSince) elsewhere();
    else if (error instanceof ApiError) {
      const { problem } = error;
      const again = () => attempt(parts, change, () => changes.look(said, plan, error));
      // Another press may have told meanwhile.
      const look = () => inTurn(async () => refusal.get() === refused && (await again()));
      const refused: Refusal = { block, problem, ...(isUnanswered(error) ? { look } : {}) };
      refusal.set(refused);
    } else throw error;
    return false;
  }
}

/**
 * Asked when a save is pressed, which may have to wait for the one before. @returns whether the person had seen then
 * what stands in its way when it is its turn: what others wrote, or why that one failed
 */
export function seenBy(
  { drafts, refusal }: { drafts: Drafts; refusal: Parts['refusal'] },
  block: string,
): () => boolean {
  const now = () => {
    const refused = refusal.get();
    return {
      theirs: drafts.all.get().get(block)?.meanwhile,
      refused: refused?.block === block ? refused : null,
    };
  };
  const then = now();
  return () => {
    const { theirs, refused } = now();
    return [undefined, then.theirs].includes(theirs) && [null, then.refused].includes(refused);
  };
}
