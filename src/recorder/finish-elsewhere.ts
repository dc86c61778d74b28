import { type LinkNote, openDeskLink } from './desk-link.ts';
import type { Login } from './logins.ts';

/**
 * Ends a recording whose recorder will not come back, with what that has sent. Should it come back, the rest is added.
 * @returns how much there is. @throws {Error} with why the service does not do it
 */
export async function finishElsewhere(
  server: string,
  id: string,
  login: () => Promise<Login | null>,
): Promise<{ samples: number }> {
  const note: LinkNote = {
    id,
    recordingId: id,
    server,
    kind: 'solo',
    people: [],
    startedAt: new Date().toISOString(),
  };
  const nothing = { read: async () => Buffer.alloc(0) };
  return await new Promise((resolve, reject) => {
    let samples = 0;
    const over = (settle: () => void) => {
      link.close();
      settle();
    };
    const link = openDeskLink(note, nothing, {
      login,
      ready() {},
      acknowledged: (acknowledged) => (samples = acknowledged),
      ended: () => over(() => resolve({ samples })),
      refused: (_code, detail) => over(() => reject(new Error(detail))),
      resumed() {},
      stopped() {},
      away(why) {
        if (why !== null) over(() => reject(new Error(why)));
      },
    });
    link.stop(0);
    link.begin();
  });
}
