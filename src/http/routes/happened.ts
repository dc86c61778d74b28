import { Readable } from 'node:stream';
import * as z from 'zod';
import { type HappenedFilter, happened } from '../../../projections/happened.ts';
import { type PageRequest, pageRowsMax } from '../../../projections/list-page.ts';
import { pageSchema, timeBoundSchema } from '../body.ts';
import { type HappenedEntry, happenedPage, shownKinds } from '../happened-page.ts';
import { limits } from '../limits.ts';
import { unknownPerson } from '../../storage/daily-counts.ts';
import { routesOf } from '../route.ts';
import type { RouteServices } from '../services.ts';
import { ownerName } from '../visible-recording.ts';
import { time } from '../openapi/activity-answers.ts';

const id = z.string().nullable();
const name = z.string().nullable().describe('null: there is none, or it is gone');

/** One thing that happened. */
const happenedAnswer = z.object({
  id: z.string().describe('of the entry'),
  n: z.int().nullable().describe('position of its fact in the log; null: it is only counted'),
  at: time,
  kind: z.enum(shownKinds),
  type: z.string().describe('of the fact, or of what is counted'),
  by: z
    .string()
    .describe(
      'id of the user who did it, `guest`, `system`: the server, or `unknown`: who failed to log in',
    ),
  by_name: name,
  user_id: id.describe('to whom it was done'),
  user: name,
  group_id: id,
  group: name,
  recording_id: id,
  folder_id: id,
  link_id: id,
  setting: z.string().nullable().describe('its name, never its value'),
  role: z.string().nullable(),
  audio: z.boolean().nullable().describe('whether the audio is shared, too'),
  is_admin: z.boolean().nullable().describe('whether a new user is an administrator'),
  count: z
    .int()
    .nullable()
    .describe('how often on that day (UTC), since `at`; null: it is one fact'),
  last_at: time.nullable().describe('the last time on that day'),
});

const filter = {
  kind: z.enum(shownKinds).optional(),
  user: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'name or id of who did it, or to whom it was done; `system`: the server; `unknown`: nobody known',
    ),
  from: timeBoundSchema.optional().describe('then or later'),
  to: timeBoundSchema.optional().describe('then or earlier'),
};
const filterSchema = z.strictObject(filter);
type Filter = z.output<typeof filterSchema>;

const route = routesOf({ tag: 'Watching', access: 'admin', needs: [happened.name] });

/** For administrators: who changed what about users, rights, shares and settings. Not a word of what people said. */
export const happenedRoutes = [
  route('get', '/happened', {
    id: 'whatHappened',
    summary:
      'What happened to users, rights, shares and settings, what was erased, logins and backups',
    description:
      'Newest first, from the log. Ids, names of users, groups and settings: no titles, nothing that was said, no values. ' +
      'Logins and backups are counted by day (UTC) and person for 400 days; no backup has these counts.',
    query: z.strictObject({ ...pageSchema.shape, ...filter }),
    answers: {
      200: {
        description: 'A page.',
        json: z.object({
          happened: z.array(happenedAnswer),
          next_cursor: z.string().nullable().describe('null: this is the end'),
        }),
      },
    },
    problems: ['invalid'],
    async run({ query: { limit, cursor, ...wanted } }, services) {
      services.projections.assertRunning(happened.name);
      const { entries: page, nextCursor } = await found(services, wanted, { limit, cursor });
      return { happened: page.map((one) => shown(services, one)), next_cursor: nextCursor };
    },
  }),
  route('get', '/happened/export', {
    id: 'exportWhatHappened',
    summary: 'The same as one file',
    description: `At most ${limits.happenedExportedMax} entries, the newest.`,
    query: filterSchema.extend({ format: z.enum(['csv', 'json']).default('csv') }),
    answers: { 200: { description: 'The file.', media: ['text/csv', 'application/json'] } },
    async run({ ctx, query: { format, ...wanted } }, services) {
      services.projections.assertRunning(happened.name);
      const lines = format === 'csv' ? csvOf : jsonOf;
      await services.accounts.takeIn();
      ctx.body = Readable.from(lines(entries(services, wanted)), { objectMode: false });
      ctx.attachment(`mitschrift-happened.${format}`);
      ctx.type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8';
    },
  }),
];

async function found(services: RouteServices, wanted: Filter, page: PageRequest) {
  const { user, ...rest } = wanted;
  await services.accounts.takeIn();
  const given: HappenedFilter = user === undefined ? {} : { user: idOf(services, user) };
  return await happenedPage(services, { ...page, ...rest, ...given });
}

/** A user's id by name or id. What nobody is called is in no list. */
function idOf({ accounts }: RouteServices, user: string): string {
  const isId =
    accounts.isUser(user) ||
    accounts.wasUser(user) ||
    ['guest', 'system', unknownPerson].includes(user);
  return isId ? user : (accounts.findUser(user)?.userId ?? '-');
}

async function* entries(services: RouteServices, wanted: Filter): AsyncGenerator<Shown> {
  let cursor: string | undefined;
  let left = limits.happenedExportedMax;
  do {
    const page = { limit: Math.min(left, pageRowsMax), cursor };
    const { entries: some, nextCursor } = await found(services, wanted, page);
    for (const one of some) yield shown(services, one);
    left -= page.limit;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined && left > 0);
}

type Shown = z.input<typeof happenedAnswer>;

/** With the names of users and groups as they are now; null of what is gone. */
function shown({ accounts }: RouteServices, row: HappenedEntry): Shown {
  const { by, user, group } = row;
  const nameOf = (id: string | undefined) => (id === undefined ? null : ownerName(accounts, id));
  return {
    id: row.id,
    n: 'position' in row ? row.position : null,
    at: row.at,
    kind: row.kind,
    type: row.type,
    by,
    by_name: nameOf(by),
    user_id: user ?? null,
    user: nameOf(user),
    group_id: group ?? null,
    group: group === undefined ? null : (accounts.findGroup(group)?.name ?? null),
    recording_id: row.recording ?? null,
    folder_id: row.folder ?? null,
    link_id: row.link ?? null,
    setting: row.setting ?? null,
    role: row.role ?? null,
    audio: row.audio ?? null,
    is_admin: row.admin ?? null,
    count: 'count' in row ? row.count : null,
    last_at: 'last' in row ? row.last : null,
  };
}

async function* jsonOf(all: AsyncIterable<Shown>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const one of all) {
    yield before + JSON.stringify(one);
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

async function* csvOf(all: AsyncIterable<Shown>): AsyncGenerator<string> {
  const columns = Object.keys(happenedAnswer.shape) as (keyof Shown)[];
  yield `${columns.join(',')}\r\n`;
  for await (const one of all) yield `${columns.map((key) => cell(one[key])).join(',')}\r\n`;
}

/** RFC 4180. What a spreadsheet would take for a formula gets a quote before it: names are chosen by people. */
function cell(value: Shown[keyof Shown]): string {
  const text = String(value ?? '');
  const plain = /^[=+\-@\t\r]/u.test(text) ? `'${text}` : text;
  return /[",\r\n]/u.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
