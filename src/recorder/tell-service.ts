import { commandLine } from '../shared/command-line.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CaptureOutcome } from '../capture/follow-capture.ts';
import { messageOf } from '../shared/errors.ts';
import { pauseAfter } from '../shared/pauses.ts';
import { ServiceRefusal, askAs } from './ask-service.ts';
import type { DeskNote } from './desk-folder.ts';
import { loggedOut } from './desk-link.ts';
import type { Login } from './logins.ts';

type Telling = { login(): Promise<Login | null>; say(text: string): void };

/** How far a start may be off before the service is told, in milliseconds. */
const startOffMs = 60_000;
const triesMax = 5;
/** Whom it has not reached by then it asks no more, in milliseconds: a last try ends before the command gives up. */
const tellMs = 10_000;
/** Between two tries, in milliseconds. */
const pauses = { first: 1000, max: 8000 };

/** Whose recording it is, and no one else. @throws {Error} another person is logged in */
export async function loginOf(
  { server, username }: Pick<DeskNote, 'server' | 'username'>,
  known: () => Promise<Login | null>,
): Promise<Login | null> {
  const login = await known();
  if (login === null || login.username === username) return login;
  throw new Error(
    `This recording belongs to ${username}. Log in as ${username}: ${commandLine(`login --server ${server} --user ${username}`)}`,
  );
}

/** Whether a service that takes it for begun at this moment knows when it began. */
export const isStart = ({ startedAt }: Pick<DeskNote, 'startedAt'>, at: number): boolean =>
  Math.abs(at - Date.parse(startedAt)) < startOffMs;

/** A recording that began without a network began earlier than the service knows. @returns false: it has to be said later */
export async function correctStart(note: DeskNote, deps: Telling): Promise<boolean> {
  const { recordingId: id, startedAt } = note;
  type Known = { started_at?: string } | null | undefined;
  const known = (await tell(note, deps, 'GET', `/recordings/${id}`)) as Known;
  if (known === undefined) return false;
  if (isStart(note, Date.parse(known?.started_at ?? startedAt))) return true;
  const said = await tell(note, deps, 'PATCH', `/recordings/${id}`, { started_at: startedAt });
  return said !== undefined;
}

/**
 * Sends a request, a few times. A failure is printed, but does not keep audio that was sent.
 * @returns the answer; null: it is rejected for good; undefined: the service could not be asked
 */
export async function tell(
  note: DeskNote,
  { login, say }: Telling,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
): Promise<unknown> {
  const began = performance.now();
  for (let tries = 1; ; tries += 1) {
    try {
      const session = await loginOf(note, login);
      if (session === null) throw new Error(loggedOut(note.server));
      return await askAs(session, method, path, body);
    } catch (error) {
      const isAnswer = error instanceof ServiceRefusal;
      // Who is logged out may log in again.
      const isFinal = isAnswer && error.status < 500 && error.status !== 401;
      if (isFinal || tries >= triesMax || performance.now() - began >= tellMs) {
        const rejected = isAnswer ? `The server rejected ${method} ${path}: ` : '';
        say(`${rejected}${messageOf(error)}`);
        return isFinal ? null : undefined;
      }
      await sleep(pauseAfter(pauses, tries - 1));
    }
  }
}

/** Why nothing more is captured. */
export function outcomeInWords(reason: CaptureOutcome['reason']): string {
  const words: Partial<Record<CaptureOutcome['reason'], string>> = {
    'device-unavailable': 'The device stopped sending audio, so the recording has ended.',
    'limit-hours': 'The recording reached the maximum length and has ended.',
    'disk-low': 'The disk of this computer is almost full, so the recording has ended.',
    'disk-failed': 'The disk of this computer can’t be written to, so the recording has ended.',
    'service-and-capture-died':
      'The recording stopped unexpectedly; everything recorded is being sent.',
  };
  return words[reason] ?? `The recording has ended (${reason}).`;
}
