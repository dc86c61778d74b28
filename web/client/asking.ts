/** What a part of a page asks of the service: one thing at a time, and what was refused. */
import { type ReadableAtom, type WritableAtom, atom } from 'nanostores';
import { type Problem, problemIn } from './api.ts';
import { connection } from './feed.ts';

export type Asking = {
  busy: ReadableAtom<boolean>;
  /** Why the last thing that was asked was refused; null once something else is asked, or it is forgotten. */
  problem: WritableAtom<Problem | null>;
  /** @returns false when it was refused, or when something is asked already: then `work` is not begun */
  ask(work: () => Promise<unknown>): Promise<boolean>;
};

/** @param problem where several say what was refused in one place */
export function openAsking(problem: Asking['problem'] = atom<Problem | null>(null)): Asking {
  const busy = atom(false);
  return {
    busy,
    problem,
    async ask(work) {
      if (busy.get()) return false;
      busy.set(true);
      problem.set(null);
      try {
        await work();
        return true;
      } catch (failure) {
        problem.set(problemIn(failure));
        return false;
      } finally {
        busy.set(false);
      }
    },
  };
}

/** Reads what a part of a page shows: now, and again when the service is back that did not answer. @returns how to stop */
export function readUntilAnswered(
  problem: Asking['problem'],
  read: () => Promise<unknown>,
): () => void {
  void read();
  return connection.listen(({ state }) => {
    if (state === 'open' && problem.get()?.status === 0) void read();
  });
}

/** What is wrong with a field of what was sent, in the service's words. */
export const faultAt = (problem: Problem | null, field: string): string | undefined =>
  problem?.errors?.find(({ path }) => path === field)?.message;

/** Asks with a form: when it is refused, the first field that is wrong gets the focus. */
export async function submit(
  { ask }: Asking,
  event: SubmitEvent,
  work: () => Promise<unknown>,
): Promise<boolean> {
  event.preventDefault();
  const form = event.currentTarget as HTMLFormElement;
  const isDone = await ask(work);
  if (!isDone) focusFault(form);
  return isDone;
}

/** Gives the focus to the first field that is wrong, once it is shown; a heading that gets the focus meanwhile loses it. */
export function focusFault(within: ParentNode): void {
  requestAnimationFrame(() => within.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
