/** What a shell on the service's machine begins commands of Mitschrift with; for administrators. Empty until it is known. */
import { atom, onMount } from 'nanostores';
import { answer, api } from './api.ts';

export const commandLine = atom('');

onMount(commandLine, () => {
  if (commandLine.get() !== '') return;
  answer(api.GET('/config/schema')).then(
    ({ command_line: begins }) => commandLine.set(begins),
    // The page that shows a command says itself that the service does not answer; the next one asks again.
    () => undefined,
  );
});
