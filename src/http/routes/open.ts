import { detail } from '../../words/details.ts';
import * as z from 'zod';
import { isHandedOver, recordingByFilename } from '../../../projections/library.ts';
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
import { limits } from '../limits.ts';
import { ownerIn, ownerSchema } from '../of-guest.ts';
import { vaultFor } from './vault.ts';
import { Problem, notFound } from '../problems.ts';
import type { HttpServices } from '../services.ts';
import { limited } from '../../shared/mutex.ts';
import { perApp, routesOf } from '../route.ts';
import { isLocal } from '../peer.ts';

const conflict = z
  .object({ path: z.string(), copy: z.string() })
  .describe('a note that was changed in the vault and kept; ours is `copy`');

const desktopOf = perApp(({ desktop }) => desktop ?? openDesktop(process.env, process.platform));
// What is in the vault is looked at before it is replaced: one copy at a time.
const copying = limited(1, limits.openWaitingMax);

/**
 * Documents in the file manager or the notes application. Programs are launched only for
 * a person at this machine; copies into the vault are made for administrators too.
 */
export const openRoutes = [
  routesOf({ tag: 'Transcripts' })('post', '/open', {
    id: 'openDocuments',
    summary: 'Opens documents in the file manager or in the notes application',
    description:
      'Programs are launched only for requests of the user who runs the server, on its computer; for others `folder` answers with the ' +
      '`uri` of the recording’s page. `notes` copies the documents into the caller’s own vault (`GET /users/me/vault`), or, for ' +
      'administrators and such requests, into the one of all (`notes.vault`); where only an index is given, its transcript ' +
      'and summary too. `launched` says whether the notes application was started as well.',
    body: {
      json: z.strictObject({
        mode: z.enum(['folder', 'notes']),
        paths: z.array(z.string().max(4000)).min(1).max(limits.openPathsMax),
        ...ownerSchema.shape,
      }),
    },
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
    async run({ ctx, body, caller }, services) {
      const { mode, paths } = body;
      const local = await isLocal(ctx.req);
      const desktop = desktopOf(services);
      const owner = ownerIn(body, caller);
      const space = await services.spaceOf(owner);
      // All of them before anything is done.
      for (const path of paths) await assertThere(services, space, path);
      const first = paths.find((path) => !path.includes('/')) ?? paths[0]!;
      if (mode === 'folder') {
        if (local && !isInBucket(space)) {
          await desktop.showFiles(await resolved(space, paths));
          return { opened: paths };
        }
        // On another machine there is no file manager, but there is the recording's page.
        const id = await recordingByFilename(services.storage, owner, first);
        return { opened: [], ...(id === undefined ? {} : { uri: `/notes/${id}` }) };
      }
      const vault = vaultFor(services, caller, local);
      if (vault === null) {
        throw new Problem('unavailable', { said: detail('notes-folder-not-set') });
      }
      const { copied, conflicts } = await copying(() =>
        copyIntoVault(space, vault, withSiblings(paths), services),
      );
      // The copies are what was asked for. Whether a program opens them is the desktop's.
      const uri = noteUri(vault, first);
      const launched = local && (await launches(() => desktop.openUri(uri), services.log));
      return {
        opened: copied,
        launched,
        // Elsewhere nobody knows what the reader's vaults are called.
        ...(local ? { uri } : {}),
        ...(conflicts.length > 0 ? { conflicts } : {}),
      };
    },
  }),
];

/** Whether a program was started; why not is in the log. */
async function launches(start: () => Promise<void>, log: HttpServices['log']): Promise<boolean> {
  try {
    await start();
    return true;
  } catch (error) {
    if (!(error instanceof NoDesktop)) throw error;
    log.info({ reason: error.message }, 'notes app could not be opened');
    return false;
  }
}

const resolved = (space: FolderSpace, paths: readonly string[]): Promise<string[]> =>
  Promise.all(paths.map((path) => resolveInSpace(space, path)));

/** @throws {ConfinementError}, {Problem} 404 */
async function assertThere({ storage }: HttpServices, space: Space, path: string): Promise<void> {
  const segments = confinedSegments(path);
  if (await isHandedOver(storage, space.user, path)) throw noSuchDocument();
  if (isInBucket(space)) {
    if (!(await readDocument(space, path))) throw noSuchDocument();
    return;
  }
  const entry = await inFolder(space, segments, undefined, entryAt);
  if (entry === undefined) throw noSuchDocument();
  if (entry.isSymbolicLink()) await resolveInSpace(space, path);
}

const noSuchDocument = (): Problem => notFound(detail('document-not-found'));
