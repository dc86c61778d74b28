/** What a shell on the service's machine begins commands of Mitschrift with; for administrators. Null until it is known. */
import { answer, api } from './api.ts';
import { openReading } from './reading.ts';

export const { value: commandLine } = openReading(
  async (): Promise<string> =>
    commandLine.get() ?? (await answer(api.GET('/config/schema'))).command_line,
);
