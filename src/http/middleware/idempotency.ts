import { createHash } from 'node:crypto';
import { Stream } from 'node:stream';
import { fieldFault } from '../../words/field-faults.ts';
import { LRUCache } from 'lru-cache';
import type { Context, Middleware, Next, ParameterizedContext } from 'koa';
import { ulid } from 'ulid';
import { jsonIn } from '../body.ts';
import { limits } from '../limits.ts';
import { Problem, invalid, notFound } from '../problems.ts';
import type { HttpServices } from '../services.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { State } from '../state.ts';
import type { LoggedFact } from '../../../events/facts/catalogue.ts';
import type { RecordingFact } from '../../../events/facts/recording.ts';
import { type Done, commands, doneBy, lastDoneBy } from '../../../projections/commands.ts';
import { commandOf, loggedAt, upToDate } from '../written.ts';
import {
  type RightsServices,
  isStillTold,
  type Right,
  isEnough,
  rightsIn,
  ulidPattern,
} from '../visible-recording.ts';
import { detail } from '../../words/details.ts';
import { callerOf } from './authenticate.ts';

/**
 * `Idempotency-Key` on any POST, and on what says so (`isRepeatable`): a repetition gets the first answer, and does nothing twice. The key also
 * becomes the command's id, by which the log knows a repetition even after a restart (`doneBefore`);
 * what is kept here only makes the answer the very same. Refusals are not kept: what was in the way may be gone; nor is
 * repeated what the caller may not be told any more.
 */
export function rememberAnswers(services: RightsServices): Middleware<State> {
  const answers = new LRUCache<string, Remembered>({ max: limits.rememberedAnswersMax });

  const answerOnce = async (ctx: Asked, caller: Caller, next: Next): Promise<void> => {
    const { userId } = caller;
    const key = idempotencyKey(ctx.get('Idempotency-Key'));
    const command = `${userId}:${key === undefined ? ulid() : shortKey(key)}`;
    ctx.state.command = command;
    ctx.state.repeatable = key !== undefined;
    if (key === undefined) {
      await next();
      return;
    }

    const fingerprint = await fingerprintOf(ctx);
    for (let earlier = answers.get(command); earlier; earlier = answers.get(command)) {
      if (earlier.fingerprint !== fingerprint) throw usedDifferently();
      const answer = await earlier.answer;
      // A file is compared where it is received.
      if (answer && !isFile(ctx) && (await isStillDue(services, caller, answer.told))) {
        ctx.set(answer.headers);
        ctx.status = answer.status;
        ctx.body = answer.body;
        return;
      }
      if (answer) break;
      // It was refused. Of all who waited for it one tries again, and the others wait for that.
      if (answers.get(command) === earlier) answers.delete(command);
    }
    // Nothing else runs between the look above and `answers.set`.
    const work = next();
    const remembered = {
      fingerprint,
      // What cannot be kept, because the database is away for a moment, is looked up again, as what was refused is tried.
      answer: work
        .then(async () => (ctx.status < 300 ? await answerOf(services, ctx, caller) : null))
        .catch(() => null),
    };
    answers.set(command, remembered);
    if ((await remembered.answer) === null && answers.get(command) === remembered) {
      answers.delete(command);
    }
    await work;
  };

  return (ctx, next) => {
    const { caller } = ctx.state;
    return caller ? answerOnce(ctx, caller, next) : next();
  };
}

/** What makes a request another one: where it goes and what it asks for; the file of a form apart. */
async function fingerprintOf(ctx: Asked): Promise<string> {
  const body = ctx.is('application/json') ? await jsonIn(ctx) : undefined;
  const upload = [ctx.get('Upload-Length'), ctx.get('Upload-Metadata')];
  return createHash('sha256')
    .update(JSON.stringify([ctx.path, ctx.querystring, body ?? {}, upload]))
    .digest('base64');
}

const isFile = (ctx: Asked): boolean => Boolean(ctx.is('multipart/form-data'));

/** Headers that are part of an answer. */
const answerHeaders = ['Location', 'Tus-Resumable', 'Upload-Expires'];

/**
 * What this command led to before, according to the log. A repetition whose first answer is not
 * remembered, because of a restart or because there was none, is answered with it. By
 * then the state may not allow the command any more, and another recording may be the one that waits.
 * Null for a command that is new, or has no `Idempotency-Key` and cannot be repeated.
 *
 * Whether the request is the same is told by the fact itself. A digest of the request beside the fact would
 * outlive the words in it (names of speakers, titles), which erasing makes unreadable.
 * @param expected what a command of this kind leads to; with `asks`, whether the fact is what is asked for now
 * @throws {Problem} 409 `key-used-differently` when it led to anything else; 404 where the caller may not read the
 *   recording any more
 */
export async function doneBefore(
  services: RightsServices & Pick<HttpServices, 'projections' | 'store'>,
  state: State,
  expected: {
    types: readonly RecordingFact['type'][];
    recordingId?: string | undefined;
    asks?: (fact: LoggedFact) => boolean | Promise<boolean>;
  },
): Promise<Done | null> {
  if (!state.repeatable) return null;
  const { storage, store, accounts } = services;
  const command = commandOf(state);
  await upToDate(services, commands.name);
  const done = (await doneBy(storage, command)) ?? (await lastDoneBy(storage, command));
  if (done === null) {
    if (accounts.hasCreated(command)) throw usedDifferently();
    return null;
  }
  const { types, recordingId = done.recordingId, asks } = expected;
  if (done.recordingId !== recordingId || !types.some((type) => type === done.type)) {
    throw usedDifferently();
  }
  const fact = asks && (await loggedAt(store, done.position));
  if (fact && !(await asks(fact))) throw usedDifferently();
  if (!(await isStillTold(services, callerOf(state), done.recordingId)))
    throw notFound(detail('recording-not-found'));
  return done;
}

export const usedDifferently = (): Problem => new Problem('key-used-differently');

type Asked = ParameterizedContext<State>;

type Answer = { status: number; body: unknown; headers: Record<string, string>; told: RightsThen };
type Remembered = { fingerprint: string; answer: Promise<Answer | null> };

async function answerOf(
  services: RightsServices,
  { status, body, res, path }: Context,
  caller: Caller,
): Promise<Answer | null> {
  // Read once, it has nothing left to be repeated; what answers with one changes nothing.
  if (body instanceof Stream) return null;
  const headers: Record<string, string> = {};
  for (const name of answerHeaders) {
    const value = res.getHeader(name);
    if (typeof value === 'string') headers[name] = value;
  }
  return { status, body, headers, told: await toldIn(services, caller, [path, body]) };
}

/** Ids of commands have an end: of a long key its digest is in them. */
const shortKey = (key: string): string =>
  key.length <= 128 ? key : `sha256-${createHash('sha256').update(key).digest('base64url')}`;

function idempotencyKey(header: string): string | undefined {
  if (header === '') return undefined;
  const { idempotencyKeyCharactersMax: max } = limits;
  if (header.length > max || !/^[\x21-\x7e]+$/.test(header)) {
    throw invalid([
      { path: 'Idempotency-Key', fault: fieldFault('ascii-characters', { most: max }) },
    ]);
  }
  return header;
}

/** Recordings that an answer tells of, and what its caller might do with each then; those that they could not read are left out. */
type RightsThen = ReadonlyMap<string, Right>;

/** @param parts of the answer, and the path that was asked for */
async function toldIn(
  services: RightsServices,
  caller: Caller,
  parts: readonly unknown[],
): Promise<RightsThen> {
  const told = new Map<string, Right>();
  for (const id of new Set(parts.flatMap(idsIn))) {
    const right = await rightsIn(services, caller, id);
    if (right) told.set(id, right);
  }
  return told;
}

/**
 * Whether the caller may be given the same answer again: who could read a recording then still may, as far as then. Where
 * the request itself took the right (erased, handed over), its answer was given without one, and is due.
 */
async function isStillDue(
  services: RightsServices,
  caller: Caller,
  told: RightsThen,
): Promise<boolean> {
  for (const [id, { role, audio }] of told) {
    const now = await rightsIn(services, caller, id);
    if (!now || !isEnough(now, role) || (audio && !now.audio)) return false;
  }
  return true;
}

/** Ids of recordings in a path, or anywhere in an answer. */
function idsIn(part: unknown): string[] {
  if (typeof part === 'string') return part.split('/').filter((id) => ulidPattern.test(id));
  if (typeof part !== 'object' || part === null) return [];
  const isPlain = Array.isArray(part) || Object.getPrototypeOf(part) === Object.prototype;
  return isPlain ? Object.values(part).flatMap(idsIn) : [];
}
