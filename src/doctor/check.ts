import * as z from 'zod';
import { untilAborted } from '../shared/abort.ts';
import { messageOf } from '../shared/errors.ts';
import { type CheckId, check } from '../words/checks.ts';
import type { Language, Sentence } from '../words/params.ts';
import { say } from '../words/say.ts';

/** One thing looked at, as it is found. */
export type Check = {
  /** Stable, for programs; its title is in the catalogue. */
  id: CheckId;
  /**
   * `limited`: it works less well, or not everywhere, or something is done without it. `missing`: something
   * cannot be done until this is mended.
   */
  status: 'ok' | 'limited' | 'missing';
  /** What was found; the `todo` of the first says what mends it, unless `remedy` has a text of its own. */
  said: readonly [Sentence, ...Sentence[]];
  /** The one thing that mends it, where more than words does; null where words or nothing have to. */
  remedy: Remedy | null;
  /** The page of this service that explains it. */
  link: string;
};

/** What mends it: in other words than the finding's own, and, where one does it, the command or the request behind a click. */
export type Remedy = {
  text?: Sentence | readonly Sentence[];
  /** For a shell on the host. */
  command?: string;
  /** For a page. */
  request?: { method: 'POST'; path: string };
};

/** A check as `GET /doctor` and `mitschrift doctor --json` give it: in a language, with code and parameters beside. */
export const checked = z.object({
  id: z.string().describe('stable, for programs'),
  title: z.string(),
  status: z
    .enum(['ok', 'limited', 'missing'])
    .describe('`limited`: less well or not everywhere; `missing`: something cannot be done'),
  detail: z.string().describe('for a person'),
  code: z.string().describe('of what was found, for programs'),
  params: z.record(z.string(), z.unknown()).optional(),
  remedy: z
    .object({
      text: z.string(),
      command: z.string().optional().describe('for a shell on the host'),
      request: z
        .object({ method: z.literal('POST'), path: z.string() })
        .optional()
        .describe('what a click sends'),
    })
    .nullable()
    .describe('the one thing that mends it'),
  link: z.string().describe('the page of this server that explains it'),
});
export type CheckAnswer = z.output<typeof checked>;

/** What a look finds. */
export type LookedAt = Pick<Check, 'status' | 'said' | 'remedy'>;

/** A look at one thing. */
export type Look = Pick<Check, 'id' | 'link'> & {
  /** What it takes at most, in milliseconds. */
  limitMs: number;
  /** The signal aborts when the time is over: then the answer is no longer waited for. */
  look(signal: AbortSignal): Promise<LookedAt>;
  /** What it means that the time is over, where it is no fault. @param limit seconds */
  late?(limit: number): LookedAt;
};

export const asOk = (...said: LookedAt['said']): LookedAt => ({ status: 'ok', said, remedy: null });

export const asLimited = (said: Sentence, remedy: Remedy | null = null): LookedAt => ({
  status: 'limited',
  said: [said],
  remedy,
});

export const asMissing = (said: Sentence, remedy: Remedy | null = null): LookedAt => ({
  status: 'missing',
  said: [said],
  remedy,
});

/**
 * A check in the words of a language. Only administrators read checks, so all that there is to say is said.
 */
export function checkIn(language: Language, { said, remedy, ...check }: Check): CheckAnswer {
  const first = said[0];
  const own = remedy?.text === undefined ? [] : [remedy.text].flat();
  const text =
    own.length > 0
      ? own.map((one) => say(one, language)?.detail ?? one.code).join(' ')
      : say(first, language)?.todo;
  const { command, request } = remedy ?? {};
  return {
    ...check,
    title: say({ area: 'check-title', code: check.id }, language)?.detail ?? check.id,
    detail: said.map((one) => whole(one, language)).join(' '),
    code: first.code,
    ...(Object.keys(first.params ?? {}).length > 0 && { params: first.params }),
    remedy:
      text === undefined
        ? null
        : { text, ...(command !== undefined && { command }), ...(request && { request }) },
  };
}

/** What it says, and what only administrators are told. What is to be done stands in the remedy. */
function whole(sentence: Sentence, language: Language): string {
  const found = say(sentence, language);
  return found ? [found.detail, found.admin].filter(Boolean).join(' ') : sentence.code;
}

type Warn = { warn(fields: object, text: string): void };

/** Looks at all things at once. One that hangs or breaks is a finding itself, and harms no other. */
export const lookAtAll = (looks: readonly Look[], log: Warn): Promise<Check[]> =>
  Promise.all(looks.map((one) => looked(one, log)));

async function looked({ id, link, limitMs, look, late }: Look, log: Warn): Promise<Check> {
  const stop = new AbortController();
  // Not `AbortSignal.timeout`, which would let a command end before it has said anything.
  const timer = setTimeout(() => stop.abort(new TimeIsOver()), limitMs);
  try {
    const found = await untilAborted(look(stop.signal), stop.signal);
    return { id, ...found, link };
  } catch (error) {
    const isLate = stop.signal.aborted;
    if (!isLate) log.warn({ err: error, check: id }, 'health check failed');
    const limit = limitMs / 1000;
    if (isLate && late) return { id, ...late(limit), link };
    const said = isLate
      ? check('check-late', { limit })
      : check('check-failed', { cause: messageOf(error) });
    return { id, ...asMissing(said), link };
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

class TimeIsOver extends Error {}
