/** The password that the service asks for again, once for all requests that wait for it. */
import { atom } from 'nanostores';

type Asked = { answer: (isConfirmed: boolean) => void };

/** What is asked now; null: nothing. `ConfirmPassword.svelte` shows it. */
export const passwordAsked = atom<Asked | null>(null);

let asking: Promise<boolean> | undefined;

/** Asks the person for the password. Resolves when the service has taken it, or with false when they leave it. */
export function confirmPassword(): Promise<boolean> {
  asking ??= new Promise<boolean>((resolve) => {
    passwordAsked.set({
      answer(isConfirmed) {
        asking = undefined;
        passwordAsked.set(null);
        resolve(isConfirmed);
      },
    });
  });
  return asking;
}
