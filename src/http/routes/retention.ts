import * as z from 'zod';
import { retentionTerms } from '../../../events/facts/retention.ts';
import { forgottenAt, forgottenOf } from '../../../projections/forgotten.ts';
import { entriesOf, newestFirst, pageRowsDefault } from '../../../projections/list-page.ts';
import type { Personal } from '../../../projections/personal.ts';
import { confirmRetention, setRetention } from '../../../projections/personal-retention.ts';
import { graceMs } from '../../../projections/retention.ts';
import { recordingsListed, recordingsName } from '../../../projections/recording-row.ts';
import type { DuePart } from '../../retention/due.ts';
import type { Caller } from '../../accounts/caller.ts';
import { detail } from '../../words/details.ts';
import { localTime } from '../../shared/time.ts';
import { holdShown } from '../holds.ts';
import { changedIn } from '../made.ts';
import { usedDifferently } from '../middleware/idempotency.ts';
import { Problem } from '../problems.ts';
import { routesOf } from '../route.ts';
import type { HttpServices } from '../services.ts';
import { sees, seesLeft } from '../visible-recording.ts';
import { kindSchema } from '../../../events/facts/recording.ts';

const days = z.int().nullable();
const effect = {
  takes_effect_at: z
    .string()
    .nullable()
    .describe('a change waits for 24 hours before it takes anything; null: none waits'),
};
const counts = {
  notes: z.int().describe('whole notes'),
  audio: z.int().describe('those that lose their audio alone'),
};
const rule = {
  rule: z.enum(['folder', 'user', 'server']).describe('whose period it is'),
  days: z.int(),
  folder: z.string().nullable().describe('id of the folder whose period it is'),
};
const part = z.enum(['notes', 'audio']).describe('the whole note, or its audio alone');
const held = z.object({ until: z.string().nullable(), by: z.string().nullable() }).nullable();

/** What is set, what goes soon, what waits for a yes. */
const retentionAnswer = z.object({
  server: z.object({
    audio_days: days,
    notes_days: days,
    longest: z.boolean().describe('nobody keeps anything longer'),
    ...effect,
  }),
  own: z.object({ ...retentionTerms.shape, ...effect }),
  folders: z
    .array(z.object({ id: z.string(), name: z.string(), ...retentionTerms.shape, ...effect }))
    .describe('folders with a period of their own, by name'),
  soon: z
    .object({ at: z.string(), ...counts })
    .nullable()
    .describe('what goes on the first day within a week on which something goes'),
  waiting: z
    .object({
      ...counts,
      shared: z.int().describe('how many of them others may read'),
      began_before: z.string().describe('when the newest of them began'),
      before: z.string().describe('what to confirm'),
    })
    .nullable()
    .describe('what is due, and is deleted only after `POST /retention/confirm`'),
  protected: z
    .array(
      z.object({
        recording_id: z.string(),
        title: z.string().nullable(),
        until: z.string().nullable(),
        by: z.string().nullable(),
        reason: z.string().nullable(),
      }),
    )
    .describe('what is protected from deletion, newest first, at most 100'),
  last_backup_at: z
    .string()
    .nullable()
    .describe('of this server: what is deleted may still be in it'),
});

const previewAnswer = z.object({
  items: z
    .array(
      z.object({
        recording_id: z.string(),
        title: z.string().nullable(),
        part,
        at: z.string(),
        ...rule,
        shared: z.boolean().describe('others may read it'),
        hold: held.describe('protected then: it stays'),
      }),
    )
    .describe('the first 200, the longest due first'),
  ...counts,
  shared: z.int(),
  protected: z.int().describe('not counted among the others'),
});

const logAnswer = z.object({
  removed: z.array(
    z.object({
      at: z.string(),
      part,
      ...rule,
      started_at: z.string(),
      kind: kindSchema,
      seconds: z.number().nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
});

const route = routesOf({ tag: 'Retention' });

/** Who gives no yes themselves. */
const ofOthers =
  '`owner=guest`, or the id of a deleted user: to administrators, of what tray and hotkey recorded or a deleted user left.';
const ownerSchema = z.strictObject({ owner: z.string().max(64).optional() });

const dayMs = 86_400_000;
const previewedMax = 200;
const protectedMax = 100;

/** How long audio and notes are kept, what goes when, and what went. */
export const retentionRoutes = [
  route('get', '/retention', {
    id: 'getRetention',
    summary:
      'How long the caller’s audio and notes are kept, and what goes soon or waits for a yes',
    description: ofOthers,
    query: ownerSchema,
    answers: { 200: { description: 'As it is now.', json: retentionAnswer } },
    problems: ['not-admin'],
    run: ({ query, caller }, services) => shown(services, caller, ownerOf(services, query, caller)),
  }),
  route('put', '/retention', {
    id: 'setRetention',
    summary: 'Says how long the caller’s audio and notes are kept',
    description:
      'null: for ever; what is left out is as the server has it. A folder may have its own (`PATCH /folders/{folder}`). ' +
      'Nothing is deleted within 24 hours after a change.',
    body: { json: retentionTerms },
    answers: { 200: { description: 'As it is now.', json: retentionAnswer } },
    command: true,
    async run({ body, caller, onBehalf }, services) {
      await services.order.change(onBehalf.by, onBehalf, setRetention(body));
      return await shown(services, caller, caller.userId);
    },
  }),
  route('post', '/retention/confirm', {
    id: 'confirmRetention',
    summary: 'Lets go what is due before a moment and waited for a yes',
    description: `It is deleted within the hour, and what became due later waits for another yes. ${ofOthers}`,
    query: ownerSchema,
    body: {
      json: z.strictObject({
        before: z.iso.datetime({ offset: true }).describe('as `waiting.before`; now at most'),
      }),
    },
    answers: { 200: { description: 'As it is now.', json: retentionAnswer } },
    problems: ['not-admin'],
    command: true,
    async run({ query, body, caller, onBehalf }, services) {
      const { order, retention, log } = services;
      const owner = ownerOf(services, query, caller);
      const before = new Date(Math.min(Date.parse(body.before), retention.now())).toISOString();
      const facts = await changedIn({ order }, owner, onBehalf, confirmRetention(before));
      if (facts.some(({ type }) => type !== 'retention.confirmed')) throw usedDifferently();
      log.info({ category: 'security', by: onBehalf.by, owner, before }, 'retention confirmed');
      return await shown(services, caller, owner);
    },
  }),
  route('get', '/retention/preview', {
    id: 'previewRetention',
    summary: 'What would go within some days, by which period',
    query: z.object({ days: z.coerce.number().int().min(1).max(90).default(30) }),
    answers: { 200: { description: 'As it would be now.', json: previewAnswer } },
    async run({ query, caller: { userId } }, services) {
      const { retention, order } = services;
      const parts = await retention.dueUntil(userId, retention.now() + query.days * dayMs);
      const personal = await order.of(userId);
      const going = parts.filter(({ isHeld }) => !isHeld);
      return {
        items: await itemsOf(services, personal, parts.slice(0, previewedMax)),
        ...countsOf(going),
        shared: going.filter((one) => hasReaders(one, personal)).length,
        protected: parts.length - going.length,
      };
    },
  }),
  route('get', '/retention/log', {
    id: 'listForgotten',
    summary: 'What periods deleted of the caller’s, newest first: nothing of what was said',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(pageRowsDefault),
      cursor: z.string().max(200).optional(),
    }),
    answers: { 200: { description: 'A page.', json: logAnswer } },
    async run({ query, caller: { userId } }, { storage }) {
      const { entries, nextCursor } = await newestFirst(forgottenOf(storage, userId), query);
      return { removed: await forgottenAt(storage, userId, entries), next_cursor: nextCursor };
    },
  }),
];

/** Moments in an answer. */
const timeOf = (ms: number): string => new Date(ms).toISOString();

/** @throws {Problem} `not-admin` */
function ownerOf(
  services: HttpServices,
  { owner }: z.output<typeof ownerSchema>,
  caller: Caller,
): string {
  if (owner === undefined || seesLeft(services, caller, owner)) return owner ?? caller.userId;
  throw new Problem('not-admin', { said: detail('recordings-of-others') });
}

async function shown(
  services: HttpServices,
  caller: Caller,
  owner: string,
): Promise<z.output<typeof retentionAnswer>> {
  const { retention, order, backups } = services;
  const now = retention.now();
  const [{ server, user }, personal] = [await retention.rulesOf(owner), await order.of(owner)];
  const effectOf = (changedAt: number) => ({
    takes_effect_at:
      changedAt > 0 && changedAt + graceMs > now ? timeOf(changedAt + graceMs) : null,
  });
  const { waiting } = await retention.dueNow(owner);
  const week = (await retention.dueUntil(owner, now + 7 * dayMs)).filter(
    ({ at, isHeld }) => at > now && !isHeld,
  );
  const backup = await backups.now();
  return {
    server: {
      audio_days: server.terms.audio_days ?? null,
      notes_days: server.terms.notes_days ?? null,
      longest: server.longest,
      ...effectOf(server.changedAt),
    },
    own: { ...user.terms, ...effectOf(user.changedAt) },
    folders: (sees(caller, owner) ? [...personal.folders.values()] : [])
      .flatMap(({ id, name, retention: terms, retentionAt }) =>
        terms === null ? [] : [{ id, name, ...terms, ...effectOf(Date.parse(retentionAt ?? '')) }],
      )
      .toSorted((a, b) => a.name.localeCompare(b.name)),
    soon: firstDay(week),
    waiting: waiting.length === 0 ? null : waitingShown(waiting, personal, now),
    protected: await heldOf(services, owner, sees(caller, owner)),
    last_backup_at: backup?.state === 'done' ? backup.ended_at : null,
  };
}

function waitingShown(waiting: readonly DuePart[], personal: Personal, now: number) {
  const began = waiting.map(({ startedAt }) => startedAt).toSorted();
  return {
    ...countsOf(waiting),
    shared: waiting.filter((one) => hasReaders(one, personal)).length,
    began_before: began.at(-1)!,
    // What is due at this very moment, too.
    before: timeOf(now + 1),
  };
}

/** What goes on the day of the first, by the server's clock. */
function firstDay(parts: readonly DuePart[]) {
  const [first] = parts;
  if (!first) return null;
  const dayOf = (at: number): string => localTime(new Date(at)).slice(0, 10);
  const same = parts.filter(({ at }) => dayOf(at) === dayOf(first.at));
  return { at: timeOf(first.at), ...countsOf(same) };
}

const countsOf = (parts: readonly DuePart[]) => ({
  notes: parts.filter(({ part }) => part === 'notes').length,
  audio: parts.filter(({ part }) => part === 'audio').length,
});

/** Whether others may read it. */
const hasReaders = (one: DuePart, { folders }: Pick<Personal, 'folders'>): boolean =>
  one.hasReaders || (one.in !== null && (folders.get(one.in)?.access.length ?? 0) > 0);

async function itemsOf(services: HttpServices, personal: Personal, parts: readonly DuePart[]) {
  const rows = await recordingsListed(
    services.storage,
    parts.map(({ recordingId }) => `/${recordingId}`),
  );
  const known = new Map(rows.map((row) => [row.recordingId, row]));
  return parts.flatMap((one) => {
    const { recordingId, part, at, rule, days, folder, isHeld } = one;
    const row = known.get(recordingId);
    if (!row) return [];
    const { until, by } = (isHeld && holdShown(services, row)) || { until: null, by: null };
    return [
      {
        recording_id: recordingId,
        title: row.title,
        part,
        at: timeOf(at),
        rule,
        days,
        folder,
        shared: hasReaders(one, personal),
        hold: isHeld ? { until, by } : null,
      },
    ];
  });
}

async function heldOf(services: HttpServices, owner: string, words: boolean) {
  const read = entriesOf(services.storage, recordingsName, `h/${owner}/`);
  const entries = await read({ gte: '', lt: '~', reverse: true, limit: protectedMax });
  return (await recordingsListed(services.storage, entries)).flatMap((row) => {
    const hold = holdShown(services, row);
    if (!hold) return [];
    const said = words ? { title: row.title } : { title: null, reason: null };
    return [{ recording_id: row.recordingId, ...hold, ...said }];
  });
}
