import { hash } from 'node:crypto';
import * as z from 'zod';
import { linkOfToken } from '../../../projections/access.ts';
import { linkTexts } from '../../../projections/link-texts.ts';
import { recordings, recordingById } from '../../../projections/recordings.ts';
import type { KeptLink, RecordingRow } from '../../../projections/recording-row.ts';
import { detail } from '../../words/details.ts';
import { linkCaller } from '../../accounts/caller.ts';
import { noteLook } from '../looked.ts';
import { limits } from '../limits.ts';
import { toRead } from '../middleware/ready.ts';
import * as answers from '../openapi/shared-answers.ts';
import { openLinkIn } from '../open-links.ts';
import { Problem } from '../problems.ts';
import { languageWanted } from '../readers-language.ts';
import { routesOf } from '../route.ts';
import type { RouteServices } from '../services.ts';
import { sharedNote } from '../shared-note.ts';
import { problemOf } from '../../words/problems.ts';
import type { Kept } from '../../storage/kept.ts';
import { perMinute } from '../../storage/per-minute.ts';

const asked = z.strictObject({
  token: z.string().max(200).describe('the fragment of the link'),
  password: z.string().max(200).optional(),
  ticket: z
    .string()
    .max(100)
    .optional()
    .describe(
      'one of this link that has not ended: no password is asked for, and it is good for longer',
    ),
});
type Asked = z.output<typeof asked>;

/** What who has a link sends; no login is needed. */
export const sharedRoutes = [
  routesOf({ tag: 'Recordings', access: 'public' })('post', '/shared', {
    id: 'readShared',
    summary: 'What a link opens: a note, or what is said while it is recorded',
    description:
      'A link that is wrong, deleted or over has one answer, as one whose recording was erased. An address asks 60 times ' +
      'a minute; with a good `ticket` as often as it likes.',
    body: { json: asked },
    answers: {
      200: {
        description: 'The note.',
        json: answers.sharedNoteAnswer,
        headers: { 'X-Robots-Tag': 'noindex' },
      },
    },
    problems: ['link-over', 'password-required', 'too-many-attempts', 'busy', 'starting'],
    async run({ ctx, body, from }, services) {
      ctx.set('X-Robots-Tag', 'noindex');
      await services.readiness.until(toRead, limits.readyWaitMs);
      services.projections.assertRunning(recordings.name);
      const { row, link, sha256, renew } = await opened(services, body, from.address);
      const reader = { language: languageWanted(ctx), isAdmin: false };
      const note = await sharedNote(services, { row, link }, reader);
      const { recordingId } = row;
      const right = { role: 'link', audio: link.audio } as const;
      if (renew === undefined && note.readable)
        noteLook(services, linkCaller(recordingId, link.link), { row, right }, 'opened');
      const { ticket, expiresAt } = await services.tickets.issueForLink(
        { recordingId, link: link.link, sha256 },
        renew,
      );
      return { ...note, ticket, ticket_expires_at: expiresAt.toISOString() };
    },
  }),
];

type Opened = { row: RecordingRow; link: KeptLink; sha256: string; renew: string | undefined };

/** What a token opens; the same is looked at for one that opens nothing. @throws {Problem} */
async function opened(
  services: RouteServices,
  { token, password, ticket }: Asked,
  address: string,
): Promise<Opened> {
  const { storage, accounts, kept, tickets } = services;
  const sha256 = hash('sha256', token, 'hex');
  const holds = ticket !== undefined && (await tickets.isOfLink(ticket, sha256));
  if (!holds) await countLook(kept, address);
  await accounts.takeIn();
  const found = (await linkOfToken(storage, sha256)) ?? noLink;
  const row = await recordingById(storage, found.recording);
  const [text] = await linkTexts(storage, found.recording, [found.link]);
  const link = row && openLinkIn(services, row, found.link);
  const isAsked = !holds && (link ? link.password : password !== undefined);
  if (link && isAsked && password === undefined) throw new Problem('password-required');
  if (isAsked && password !== undefined) {
    const account = `link:${link?.link ?? sha256.slice(0, 26)}`;
    const passwordHash = (link && text?.passwordHash) ?? null;
    const isRight = await accounts.isLinkPassword({ account, passwordHash, password }, address);
    if (link && !isRight)
      throw new Problem('password-required', { said: detail('link-password-wrong') });
  }
  if (!row || !link) throw new Problem('link-over');
  return { row, link, sha256, renew: holds ? ticket : undefined };
}

/** What is looked up where there is no such link. */
const noLink = { recording: '00000000000000000000000000', link: '00000000000000000000000000' };

/** Counts a look before anything is looked up. @throws {Problem} 429 too many within a minute */
async function countLook(kept: Kept, address: string): Promise<void> {
  const wait = await perMinute(kept, 'link-looks', address, limits.linkLooksPerMinute);
  if (wait === 0) return;
  throw new Problem('too-many-attempts', {
    said: problemOf('too-many-attempts', { wait }),
    headers: { 'Retry-After': String(wait) },
  });
}
