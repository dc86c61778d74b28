import { finished } from 'node:stream';
import * as z from 'zod';
import { recordings } from '../../../projections/recordings.ts';
import { people } from '../../../projections/people.ts';
import { detail } from '../../words/details.ts';
import { Problem } from '../problems.ts';
import { ownExport } from '../own-export.ts';
import { languageWanted } from '../readers-language.ts';
import { perApp, routesOf } from '../route.ts';
import { everything } from '../tickets.ts';

const needs = [recordings.name, people.name];

/** Whose data is being downloaded: of each user one file at a time. */
const underWay = perApp(() => new Set<string>());

/** All that the caller has, to take along. */
export const ownExportRoutes = [
  routesOf({ tag: 'Users', asksPassword: true, needs: [] })('post', '/users/me/export', {
    id: 'openOwnExport',
    summary: 'Opens the download of all one’s data to what cannot send a token',
    answers: {
      201: {
        description: 'Goes as `?ticket=` to `GET /users/me/export`, and nowhere else.',
        json: z.object({ ticket: z.string(), expires_at: z.string() }),
      },
    },
    async run({ caller }, { tickets }) {
      const { ticket, expiresAt } = await tickets.issue(caller, everything);
      return { ticket, expires_at: expiresAt.toISOString() };
    },
  }),
  routesOf({ tag: 'Users', access: 'ticket', asksPassword: true, needs })(
    'get',
    '/users/me/export',
    {
      id: 'exportOwnData',
      summary: 'All that the caller has, in one zip file',
      description:
        'Each recording with its documents, its audio as it is kept, and `recording.json`; account, folders, tags, rules, ' +
        'names of voices, and with whom one shares. What is missing or damaged on the server is named in `MISSING.txt`. ' +
        'Nothing of others, and no secret, is in it. Its size is not limited; of each user one is sent at a time.',
      answers: { 200: { description: 'The file.', media: ['application/zip'] } },
      problems: ['too-many-connections'],
      async run({ ctx, caller }, services) {
        services.projections.assertRunning(needs);
        const { userId } = caller;
        const present = underWay(services);
        if (present.has(userId))
          throw new Problem('too-many-connections', { said: detail('own-export-running') });
        if (ctx.method !== 'HEAD') {
          present.add(userId);
          finished(ctx.res, () => present.delete(userId));
          ctx.body = await ownExport(services, caller, languageWanted(ctx));
          services.log.info({ category: 'security', user_id: userId }, 'user exported own data');
        }
        ctx.attachment('mitschrift.zip');
        ctx.type = 'application/zip';
      },
    },
  ),
];
