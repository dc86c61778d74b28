/** What of the server this person may record with; asked for when it is first shown. */
import { answer, api } from '../client/api.ts';
import { openReading } from '../client/reading.ts';
import { session } from '../client/session.ts';

/** Asks again: who holds what changes. Without an answer what this browser has is there. */
export const { value: recorders, read: readRecorders } = openReading(
  async () => {
    const login = session.get();
    if (login === null || login.limited !== undefined) return null;
    return await answer(api.GET('/recorders'));
  },
  (again) => session.listen(again),
);
