import { untilAborted } from '../shared/abort.ts';
import { messageOf } from '../shared/errors.ts';

/** One thing looked at, as `GET /doctor` and `mitschrift doctor --json` give it. */
export type Check = {
  /** Stable, for programs. */
  id: string;
  title: string;
  /**
   * `limited`: it works less well, or not everywhere, or something is done without it. `missing`: something
   * cannot be done until this is mended.
   */
  status: 'ok' | 'limited' | 'missing';
  /** A sentence about it, for a person. */
  detail: string;
  /** The one thing that mends it; null where nothing has to be. */
  remedy: Remedy | null;
  /** The page of this service that explains it. */
  link: string;
};

/** What mends it: in words, and, where one does it, the command or the request behind a click. */
export type Remedy = {
  text: string;
  /** For a shell on the host. */
  command?: string;
  /** For a page. */
  request?: { method: 'POST'; path: string };
};

/** What a look finds. */
export type LookedAt = Pick<Check, 'status' | 'detail' | 'remedy'>;

/** A look at one thing. */
export type Look = Pick<Check, 'id' | 'title' | 'link'> & {
  /** What it takes at most, in milliseconds. */
  limitMs: number;
  /** The signal aborts when the time is over: then the answer is no longer waited for. */
  look(signal: AbortSignal): Promise<LookedAt>;
};

export const asOk = (detail: string): LookedAt => ({ status: 'ok', detail, remedy: null });

export const asLimited = (detail: string, remedy: Remedy): LookedAt => ({
  status: 'limited',
  detail,
  remedy,
});

export const asMissing = (detail: string, remedy: Remedy): LookedAt => ({
  status: 'missing',
  detail,
  remedy,
});

type Warn = { warn(fields: object, text: string): void };

/** Looks at all things at once. One that hangs or breaks is a finding itself, and harms no other. */
export const lookAtAll = (looks: readonly Look[], log: Warn): Promise<Check[]> =>
  Promise.all(looks.map((one) => looked(one, log)));

async function looked({ id, title, link, limitMs, look }: Look, log: Warn): Promise<Check> {
  const stop = new AbortController();
  // Not `AbortSignal.timeout`, which would let a command end before it has said anything.
  const timer = setTimeout(() => stop.abort(new TimeIsOver()), limitMs);
  try {
    const found = await untilAborted(look(stop.signal), stop.signal);
    return { id, title, ...found, link };
  } catch (error) {
    const isLate = stop.signal.aborted;
    if (!isLate) log.warn({ err: error, check: id }, 'a check of the doctor failed');
    const detail = isLate
      ? `It did not come to an end within ${limitMs / 1000} seconds.`
      : `It could not be looked at: ${messageOf(error)}`;
    const text = isLate
      ? 'Something there hangs or is overloaded: look again; if it stays so, restart what is asked.'
      : 'Mend what the sentence names, and look again.';
    return { id, title, ...asMissing(detail, { text }), link };
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

class TimeIsOver extends Error {}
