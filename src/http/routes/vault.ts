import { detail } from '../../words/details.ts';
import { readerOf } from '../middleware/authenticate.ts';
import { type Reader, heardBy } from '../readers-language.ts';
import type { Sentence } from '../../words/params.ts';
import { fieldFault } from '../../words/field-faults.ts';
import * as z from 'zod';
import { folder } from '../../config/setting.ts';
import { isUnmounted } from '../../documents/vault.ts';
import { notesStuck } from '../../documents/own-vaults.ts';
import {
  type FolderFault,
  folderFault,
  sentenceOnFolder,
  sharesFolder,
} from '../../shared/folder-fault.ts';
import { Problem, invalid, notFound } from '../problems.ts';
import type { HttpServices, RouteServices } from '../services.ts';
import type { Caller } from '../../accounts/caller.ts';
import { toRead } from '../middleware/ready.ts';
import { isLocal } from '../peer.ts';
import { type RouteRequest, routesOf } from '../route.ts';

const vaultBody = { json: z.strictObject({ folder: folder.nullable() }) };

const nothing = { 204: { description: 'Done.' } };

const ownRoute = routesOf({ tag: 'Users', needs: [] });

/**
 * A user's own vault: the folder of a notes application into which each save of their documents is copied. It is a folder of
 * the service's machine, so who is at that machine chooses it, …
 */
export const vaultRoutes = [
  ownRoute('get', '/users/me/vault', {
    id: 'getOwnVault',
    summary: 'The folder into which the caller’s notes are copied',
    answers: {
      200: {
        description: 'The folder, and what is wrong with it.',
        json: z.object({
          folder: z.string().nullable().describe('on the server; null: the caller has none'),
          fault: z
            .string()
            .nullable()
            .describe('why nothing, or not every note, can be copied into it now'),
          may_choose: z.boolean().describe('whether `PUT` is allowed from where the caller is'),
          copies: z
            .enum(['each-save', 'when-opened', 'nowhere'])
            .describe('when notes are copied: at each save, by `POST /open` only, or never'),
        }),
      },
    },
    async run({ ctx, caller }, services) {
      const local = await isLocal(ctx.req);
      const own = services.accounts.vaultOf(caller.userId);
      const used = vaultFor(services, caller, local);
      return {
        folder: own,
        fault:
          own === null ? null : saidTo(readerOf(ctx), await presentFault(own, caller, services)),
        may_choose: local || caller.isAdmin,
        copies: used === null ? 'nowhere' : own === null ? 'when-opened' : 'each-save',
      };
    },
  }),
  ownRoute('put', '/users/me/vault', {
    id: 'setOwnVault',
    summary: 'Chooses the folder into which the caller’s notes are copied',
    description:
      'For people at the server’s computer, and for administrators. All notes are copied at once, and each again when it is ' +
      'saved; a note that was changed in the folder stays. `null`: none any more; what is there stays.',
    body: vaultBody,
    answers: nothing,
    problems: ['not-admin'],
    command: true,
    async run({ ctx, body, caller, onBehalf }, services) {
      if (!caller.isAdmin && !(await isLocal(ctx.req))) {
        throw new Problem('not-admin', { said: detail('notes-folder-chosen-there') });
      }
      await setVault(services, caller.userId, body.folder, onBehalf);
    },
  }),
  // … and administrators for others.
  routesOf({ tag: 'Users', access: 'admin', needs: toRead, asksPassword: true })(
    'put',
    '/users/{name}/vault',
    {
      id: 'setVault',
      summary: 'Chooses the folder into which the notes of a user are copied',
      body: vaultBody,
      answers: nothing,
      command: true,
      async run({ params, body, onBehalf }, services) {
        const user = services.accounts.findUser(params.name);
        if (!user) throw notFound(detail('user-not-found'));
        await setVault(services, user.userId, body.folder, onBehalf);
      },
    },
  ),
];

/** The vault that documents of a caller are copied into when they open them; null: there is none. */
export function vaultFor(
  { accounts, settings }: Pick<HttpServices, 'accounts' | 'settings'>,
  { userId, isAdmin }: Pick<Caller, 'userId' | 'isAdmin'>,
  isHere: boolean,
): string | null {
  return accounts.vaultOf(userId) ?? (isHere || isAdmin ? settings()['notes.vault'] : null);
}

async function setVault(
  services: RouteServices,
  userId: string,
  path: string | null,
  onBehalf: RouteRequest['onBehalf'],
): Promise<void> {
  const wrong = path === null ? null : await wrongWith(path, userId, services);
  if (wrong !== null) throw invalid([{ path: 'folder', fault: wrong }]);
  await services.accounts.setVault(userId, path, onBehalf);
}

/** Why not everything can be copied into a user's folder now; null: it can. */
async function presentFault(
  own: string,
  { userId }: Caller,
  { dataDir, kept }: RouteServices,
): Promise<Sentence | null> {
  const fault = faultIn(await folderFault(own));
  if (fault !== null) return fault;
  if (await isUnmounted(userId, own, { kept })) return fieldFault('folder-unmounted');
  const count = await notesStuck(dataDir, userId);
  return count === 0 ? null : fieldFault('folder-notes-stuck', { count });
}

/** Why a folder is none to copy this user's notes into; null: it is one. */
async function wrongWith(
  path: string,
  userId: string,
  { accounts, dataDir }: RouteServices,
): Promise<Sentence | null> {
  const fault = faultIn(await folderFault(path));
  if (fault !== null) return fault;
  if (await sharesFolder(path, [dataDir])) return fieldFault('folder-of-data');
  const others = accounts.usersWithVaults().filter((id) => id !== userId);
  const theirs = others.flatMap((id) => accounts.vaultOf(id) ?? []);
  return (await sharesFolder(path, theirs)) ? fieldFault('folder-of-other-user') : null;
}

const saidTo = (reader: Reader, fault: Sentence | null): string | null =>
  fault && heardBy(reader, fault);

const faultIn = (fault: FolderFault | null): Sentence | null =>
  fault === null ? null : sentenceOnFolder(fault);
