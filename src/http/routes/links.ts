import { hash, randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import * as z from 'zod';
import { type LinkTerms, isOver } from '../../../events/facts/links.ts';
import type { LoggedFact } from '../../../events/facts/catalogue.ts';
import { recordingStream } from '../../../events/facts/recording.ts';
import { linkTexts } from '../../../projections/link-texts.ts';
import type { KeptLink, RecordingRow } from '../../../projections/recording-row.ts';
import { createLink, revokeLink } from '../../../projections/recording/links.ts';
import { linkTo } from '../../config/page-address.ts';
import { wrong } from '../../shared/in-words.ts';
import { detail } from '../../words/details.ts';
import { fieldFault } from '../../words/field-faults.ts';
import { shortNameSchema } from '../body.ts';
import { time } from '../openapi/activity-answers.ts';
import { usedDifferently } from '../middleware/idempotency.ts';
import { openLinkIn } from '../open-links.ts';
import { linkBase } from '../page-base.ts';
import { Problem, invalid, notFound } from '../problems.ts';
import { routesOf } from '../route.ts';
import type { HttpServices } from '../services.ts';
import { guest, visibleRecording } from '../visible-recording.ts';
import { carryOut, commandOf } from '../written.ts';

const dayMs = 24 * 3_600_000;
/** How long a link is good unless said otherwise. */
const usualDays = 30;

/** A link as its owner sees it. */
export const linkAnswer = z.object({
  link: z.string().describe('for `DELETE /recordings/{id}/links/{link}`'),
  name: z.string().describe('what its owner calls it; who opens it does not see it'),
  expires_at: time.nullable().describe('null: it does not end by itself'),
  audio: z.boolean().describe('whether the audio can be heard, too'),
  live: z.boolean().describe('whether it opens what is said while it is recorded'),
  password: z.boolean().describe('whether it asks for a password'),
  created_at: time,
  is_over: z.boolean().describe('its time has come'),
});

const wanted = z.strictObject({
  name: shortNameSchema,
  expires_at: z.iso
    .datetime({ offset: true, error: wrong('not-a-time') })
    .nullable()
    .optional()
    .describe(`null: for ever; absent: in ${usualDays} days, or as soon as links end here`),
  password: z.string().min(8).max(200).optional(),
  audio: z.boolean().default(false),
  live: z.boolean().default(false),
});

const route = routesOf({ tag: 'Recordings' });

/** Links by which strangers read a recording. Only its owner makes and deletes them. */
export const linkRoutes = [
  route('post', '/recordings/{id}/links', {
    id: 'createLink',
    summary: 'Makes a link by which anybody reads a recording without an account',
    description:
      'The token stands in the fragment of the address, so that no proxy or log gets to see it. What is asked for by it is ' +
      'found by its SHA-256; of a request with an `Idempotency-Key` the token is kept, sealed with the recording’s key, for ' +
      'the same answer to its repetition.',
    body: { json: wanted },
    answers: {
      201: {
        description: 'The link.',
        json: linkAnswer.extend({ url: z.string().describe('shown only here') }),
      },
    },
    problems: ['links-off', 'too-many-names', 'link-over', 'busy'],
    command: true,
    async run({ ctx, params: { id }, body, caller }, services) {
      const row = await visibleRecording(services, caller, id);
      const base = linkBase(ctx, services);
      const { owner } = row;
      const expiresAt = endOf(services, owner, body.expires_at);
      const { name, password, audio, live } = body;
      const token = randomBytes(32).toString('base64url');
      const made: LinkTerms = {
        link: ulid(),
        sha256: hash('sha256', token, 'hex'),
        expiresAt,
        audio,
        live,
        password: password !== undefined,
      };
      const passwordHash =
        password === undefined ? undefined : await services.accounts.hashLinkPassword(password);
      const kept = ctx.state.repeatable ? token : undefined;
      const decide = createLink(made, { name, passwordHash, token: kept });
      const [fact] = (await carryOut(services, ctx.state, id, decide)).facts;
      if (fact?.type !== 'link.created' || fact.data.sha256 !== made.sha256) {
        const again = await madeBefore(services, row, { command: commandOf(ctx.state), body });
        return { ...again.shown, url: linkTo(base, '/s', again.token) };
      }
      report(services, 'link made', { recording_id: id, link: made.link, by: caller.userId });
      const shown = linkShown({ ...made, at: fact.at }, name);
      return { ...shown, url: linkTo(base, '/s', token) };
    },
  }),
  route('delete', '/recordings/{id}/links/{link}', {
    id: 'deleteLink',
    summary: 'Deletes a link: from the next request on it opens nothing',
    answers: { 204: { description: 'It opens nothing any more.' } },
    command: true,
    async run({ ctx, params: { id, link }, caller }, services) {
      const { links } = await visibleRecording(services, caller, id);
      if (!links.some((one) => one.link === link)) throw notFound();
      await carryOut(services, ctx.state, id, revokeLink(link));
      report(services, 'link deleted', { recording_id: id, link, by: caller.userId });
    },
  }),
];

/**
 * The link that this command made before a restart, as it was told.
 * @throws {Problem} `key-used-differently`; `link-over`: it opens nothing any more, or was made before tokens were kept
 */
async function madeBefore(
  services: HttpServices,
  row: RecordingRow,
  {
    command,
    body: { name, expires_at: ends, password, audio, live },
  }: { command: string; body: z.output<typeof wanted> },
) {
  let made: Extract<LoggedFact, { type: 'link.created' }> | undefined;
  for await (const fact of services.store.read(recordingStream(row.recordingId)))
    if (fact.command === command && fact.type === 'link.created') made = fact;
  if (!made) throw usedDifferently();
  const { data, content } = made;
  const end = ends === undefined || ends === null ? ends : new Date(ends).toISOString();
  const isSame =
    content?.name === name &&
    data.audio === audio &&
    data.live === live &&
    data.password === (password !== undefined) &&
    (end === undefined || data.expires_at === end);
  if (!isSame) throw usedDifferently();
  const link = openLinkIn(services, row, data.link);
  if (content?.token === undefined || !link) throw new Problem('link-over');
  return { shown: linkShown(link, name), token: content.token };
}

export const report = ({ log }: Pick<HttpServices, 'log'>, what: string, how: object): void =>
  log.info({ category: 'security', ...how }, what);

/** When a new link ends. @throws {Problem} links are off, or its end is not one that is allowed */
function endOf(
  { settings }: Pick<HttpServices, 'settings'>,
  owner: string,
  asked: string | null | undefined,
): string | null {
  const { 'sharing.links': areOn, 'sharing.link_days_max': daysMax } = settings();
  if (!areOn) throw new Problem('links-off');
  if (owner === guest) throw new Problem('links-off', { said: detail('guest-not-shared') });
  const now = Date.now();
  const latest = daysMax === null ? Infinity : now + daysMax * dayMs;
  const usual = Math.min(now + usualDays * dayMs, latest);
  const end = asked === undefined ? usual : asked === null ? Infinity : Date.parse(asked);
  // The clock of who asks may be a minute ahead.
  if (daysMax !== null && end > latest + 60_000)
    throw invalid([{ path: 'expires_at', fault: fieldFault('link-too-long', { days: daysMax }) }]);
  if (end <= now) throw invalid([{ path: 'expires_at', fault: fieldFault('link-over-already') }]);
  return end === Infinity ? null : new Date(end).toISOString();
}

/** The links of a recording, as its owner sees them. */
export async function linksShown(
  { storage }: Pick<HttpServices, 'storage'>,
  { recordingId, links }: Pick<RecordingRow, 'recordingId' | 'links'>,
) {
  const ids = links.map(({ link }) => link);
  const texts = ids.length === 0 ? [] : await linkTexts(storage, recordingId, ids);
  return links.map((one, at) => linkShown(one, texts[at]?.name ?? ''));
}

const linkShown = (one: KeptLink, name: string) => ({
  link: one.link,
  name,
  expires_at: one.expiresAt,
  audio: one.audio,
  live: one.live,
  password: one.password,
  created_at: one.at,
  is_over: isOver(one),
});
