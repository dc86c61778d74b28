import * as z from 'zod';
import { languageWanted } from '../readers-language.ts';
import { backupIn } from '../status-answer.ts';
import { wrong } from '../../shared/in-words.ts';
import { isAbsolute } from 'node:path';
import { backupNow } from '../openapi/activity-answers.ts';
import { routesOf } from '../route.ts';

const route = routesOf({ tag: 'Host', access: 'admin', needs: [] });

/** For administrators: what `mitschrift backup` does. */
export const backupRoutes = [
  route('post', '/backup', {
    id: 'backUp',
    summary: 'Starts a backup of everything while the server runs',
    description:
      'How far it is, and what came of it: `backup` of `GET /status`. It holds the keys too; models are not in it.',
    asksPassword: true,
    body: {
      json: z.strictObject({
        path: z
          .string()
          .max(4000)
          .refine((path) => isAbsolute(path) && !path.includes('\0'), wrong('not-absolute-path'))
          .describe(
            'folder of the server: a new or empty one, or an earlier backup, to which only what is new is added',
          ),
      }),
    },
    answers: { 202: { description: 'It has begun.', json: z.object({ backup: backupNow }) } },
    problems: ['backup-running'],
    async run({ ctx, body: { path }, caller }, { backups, log }) {
      const backup = await backups.begin(path, caller.userId);
      log.info({ category: 'security', by: caller.userId, path }, 'backup started');
      return { backup: backupIn(languageWanted(ctx), backup) };
    },
  }),
  // Ending one gives nothing away: no password is asked for.
  route('delete', '/backup', {
    id: 'cancelBackup',
    summary: 'Ends the backup that is being made',
    description:
      'At its next file. What was backed up before stays as it was; without a backup nothing happens.',
    answers: { 204: { description: 'None is being made.' } },
    async run({ caller }, { backups, log }) {
      await backups.cancel();
      log.info({ category: 'security', by: caller.userId }, 'backup cancelled');
    },
  }),
];
