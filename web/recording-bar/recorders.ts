/** What of the server this person may record with; asked for when it is first shown. */
import { atom, onMount } from 'nanostores';
import { answer, api } from '../client/api.ts';
import { session } from '../client/session.ts';

export type Recorders = Awaited<ReturnType<typeof ask>>;

export const recorders = atom<Recorders | null>(null);

const ask = () => answer(api.GET('/recorders'));

/** Asks again: who holds what changes. Without an answer what this browser has is there. */
export const readRecorders = (): Promise<void> =>
  ask().then(
    (found) => recorders.set(found),
    () => undefined,
  );

onMount(recorders, () =>
  session.subscribe((login) => {
    if (login === null || login.limited !== undefined) recorders.set(null);
    else void readRecorders();
  }),
);
