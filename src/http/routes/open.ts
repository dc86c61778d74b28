import * as z from 'zod';
import { recordingByFilename } from '../../../projections/library.ts';
import { confinedSegments } from '../../documents/confinement.ts';
import { NoDesktop, openDesktop } from '../../documents/desktop.ts';
import {
  type FolderSpace,
  type Space,
  entryAt,
  inFolder,
  isInBucket,
  readDocument,
  resolveInSpace,
} from '../../documents/space.ts';
import { copyIntoVault, noteUri, withSiblings } from '../../documents/vault.ts';
import { callerOf } from '../middleware/authenticate.ts';
import { peerOf } from '../peer.ts';
import { jsonBody } from '../body.ts';
import { limits } from '../limits.ts';
import { vaultFor } from './vault.ts';
import { Problem, notFound } from '../problems.ts';
import type { AddRoutes, HttpServices } from '../services.ts';
import type { Operation } from '../openapi/describe-operation.ts';
import { limited } from '../../shared/mutex.ts';

/**
 * `POST /open`: documents in the file manager or the notes application. Programs are launched only for
 * a person at this machine; copies into the vault are made for administrators too.
 */
export const openRoutes: AddRoutes = (router, services) => {
  const { dataDir, spaceOf, storage } = services;
  const desktop = services.desktop ?? openDesktop(process.env, process.platform);
  // What is in the vault is looked at before it is replaced: one copy at a time.
  const copying = limited(1, limits.openWaitingMax);

  router.post('/open', async (ctx) => {
    const { mode, paths } = await jsonBody(ctx, openSchema);
    const caller = callerOf(ctx.state);
    const { local } = await peerOf(ctx, services.settings()['server.trusted_proxies']);
    const space = await spaceOf(caller.userId);
    // All of them before anything is done.
    for (const path of paths) await assertThere(space, path);
    const first = paths.find((path) => !path.includes('/')) ?? paths[0]!;

    if (mode === 'folder') {
      const shown = local && !isInBucket(space);
      if (shown) await desktop.showFiles(await resolved(space, paths));
      ctx.body = shown ? { opened: paths } : { opened: [], ...(await page(caller.userId, first)) };
      return;
    }
    const vault = vaultFor(services, caller, local);
    if (vault === null) {
      throw new Problem(
        'unavailable',
        caller.isAdmin
          ? 'Choose a notes folder of your own in your account, or set one for all (`notes.vault`) first.'
          : 'You have no notes folder on this server. Ask an administrator for one.',
      );
    }
    const { copied, conflicts } = await copying(() =>
      copyIntoVault(space, vault, withSiblings(paths), dataDir),
    );
    // The copies are what was asked for. Whether a program opens them is the desktop's.
    const uri = noteUri(vault, first);
    const launched = local && (await launches(() => desktop.openUri(uri), services.log));
    ctx.body = {
      opened: copied,
      launched,
      // Elsewhere nobody knows what the reader's vaults are called.
      ...(local ? { uri } : {}),
      ...(conflicts.length > 0 ? { conflicts } : {}),
    };
  });

  /** On another machine there is no file manager, but there is the recording's page. */
  async function page(userId: string, path: string): Promise<{ uri?: string }> {
    const recordingId = await recordingByFilename(storage, userId, path);
    return recordingId === undefined ? {} : { uri: `/notes/${recordingId}` };
  }
};

const openSchema = z.strictObject({
  mode: z.enum(['folder', 'notes']),
  paths: z.array(z.string().max(4000)).min(1).max(limits.openPathsMax),
});

/** Whether a program was started; why not is in the log. */
async function launches(start: () => Promise<void>, log: HttpServices['log']): Promise<boolean> {
  try {
    await start();
    return true;
  } catch (error) {
    if (!(error instanceof NoDesktop)) throw error;
    log.info({ reason: error.message }, 'the notes application was not opened');
    return false;
  }
}

const resolved = (space: FolderSpace, paths: readonly string[]): Promise<string[]> =>
  Promise.all(paths.map((path) => resolveInSpace(space, path)));

const conflict = z
  .object({ path: z.string(), copy: z.string() })
  .describe('a note that was changed in the vault and kept; ours is `copy`');

/** Documents in the programs of the person’s own machine. */
export const openOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/open',
    id: 'openDocuments',
    tag: 'Transcripts',
    summary: 'Opens documents in the file manager or in the notes application',
    description:
      'Programs are launched only for requests of the service’s own user on its machine; for others `folder` answers with the ' +
      '`uri` of the recording’s page. `notes` copies the documents into the caller’s own vault (`GET /users/me/vault`), or, for ' +
      'administrators and such requests, into the one of all (`notes.vault`); where only an index is given, its transcript ' +
      'and summary too. `launched` says whether the notes application was started as well.',
    body: { kind: 'json', schema: openSchema },
    answers: {
      200: {
        description: 'What was opened, or copied to be opened.',
        json: z.object({
          opened: z.array(z.string()),
          launched: z.boolean().optional(),
          uri: z.string().optional(),
          conflicts: z.array(conflict).optional(),
        }),
      },
    },
    problems: ['not-found', 'outside-space', 'too-large', 'unavailable', 'busy'],
  },
];

/** @throws {ConfinementError}, {Problem} 404 */
async function assertThere(space: Space, path: string): Promise<void> {
  const segments = confinedSegments(path);
  if (isInBucket(space)) {
    if (!(await readDocument(space, path))) throw noSuchDocument();
    return;
  }
  const entry = await inFolder(space, segments, undefined, entryAt);
  if (entry === undefined) throw noSuchDocument();
  if (entry.isSymbolicLink()) await resolveInSpace(space, path);
}

const noSuchDocument = (): Problem => notFound('There is no such document.');
