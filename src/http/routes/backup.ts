import * as z from 'zod';
import { isAbsolute } from 'node:path';
import { callerOf } from '../middleware/authenticate.ts';
import { jsonBody } from '../body.ts';
import { backupNow } from '../openapi/activity-answers.ts';
import type { Operation } from '../openapi/describe-operation.ts';
import type { AddRoutes } from '../services.ts';

/** For administrators: what `mitschrift backup` does. */
export const backupRoutes: AddRoutes = (router, { backups, log }) => {
  router.post('/backup', async (ctx) => {
    const { path } = await jsonBody(ctx, backupSchema);
    ctx.body = { backup: await backups.begin(path) };
    ctx.status = 202;
    log.info({ category: 'security', by: callerOf(ctx.state).userId, path }, 'backup begun');
  });
  router.delete('/backup', async (ctx) => {
    await backups.cancel();
    ctx.status = 204;
    log.info({ category: 'security', by: callerOf(ctx.state).userId }, 'backup cancelled');
  });
};

const backupSchema = z.strictObject({
  path: z
    .string()
    .max(4000)
    .refine((path) => isAbsolute(path) && !path.includes('\0'), 'must be an absolute path')
    .describe(
      'folder of the service’s machine: a new or empty one, or an earlier backup, to which only what is new is added',
    ),
});

/** Backing up. */
export const backupOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/backup',
    id: 'backUp',
    tag: 'Host',
    summary: 'Begins a backup of everything, while the service works',
    description:
      'How far it is, and what came of it: `backup` of `GET /status`. It holds the keys too; models are not in it.',
    body: { kind: 'json', schema: backupSchema },
    answers: { 202: { description: 'It has begun.', json: z.object({ backup: backupNow }) } },
    problems: ['backup-running'],
  },
  {
    method: 'delete',
    path: '/backup',
    id: 'cancelBackup',
    tag: 'Host',
    summary: 'Ends the backup that is being made',
    description:
      'At its next file. What was backed up before stays as it was; without a backup nothing happens.',
    answers: { 204: { description: 'None is being made.' } },
  },
];
