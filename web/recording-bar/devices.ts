/** The microphones of the server's computer that this person may record with; asked for when they are first shown. */
import { atom, onMount } from 'nanostores';
import { answer, api } from '../client/api.ts';
import { session } from '../client/session.ts';

export const devices = atom<{
  devices: string[];
  default: string | null;
  here: boolean;
} | null>(null);

onMount(devices, () =>
  session.subscribe((login) => {
    if (login === null || login.limited !== undefined) return devices.set(null);
    // Only for the choice; without it what this browser has is there.
    void answer(api.GET('/audio/devices')).then(
      (found) => devices.set(found),
      () => undefined,
    );
  }),
);
