/** What `<audio>` and downloads of a recording show instead of the session's token. */
import { answer, api } from '../../client/api.ts';

export type Ticket = {
  /** @throws {ApiError} */
  get(): Promise<string>;
  /** The next use asks for another one. */
  forget(): void;
};

/** A ticket is prolonged so long before it ends, milliseconds. */
const renewBeforeMs = 60_000;

/**
 * A ticket that stays good until `signal` aborts: it is prolonged before it ends, so that an address that
 * plays goes on playing.
 */
export function openTicket(id: string, signal: AbortSignal): Ticket {
  let given: Promise<string> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const forget = (): void => {
    given = undefined;
    clearTimeout(timer);
  };
  const ask = async (renew?: string): Promise<string> => {
    const { ticket, expires_at } = await answer(
      api.POST('/recordings/{id}/ticket', {
        params: { path: { id } },
        body: renew === undefined ? {} : { ticket: renew },
      }),
    );
    const wait = Math.max(1_000, Date.parse(expires_at) - Date.now() - renewBeforeMs);
    clearTimeout(timer);
    if (!signal.aborted) timer = setTimeout(() => void ask(ticket).catch(forget), wait);
    return ticket;
  };
  signal.addEventListener('abort', () => clearTimeout(timer));
  return {
    async get(): Promise<string> {
      given ??= ask();
      given.catch(forget);
      return await given;
    },
    forget,
  };
}
