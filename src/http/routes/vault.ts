import * as z from 'zod';
import { folder } from '../../config/setting.ts';
import {
  type FolderFault,
  folderFault,
  folderFaultText,
  sharesFolder,
  touchesData,
  touchesDataText,
} from '../../shared/folder-fault.ts';
import { callerOf } from '../middleware/authenticate.ts';
import { peerOf } from '../peer.ts';
import { jsonBody } from '../body.ts';
import { Problem, invalid, notFound } from '../problems.ts';
import type { AddRoutes, HttpServices } from '../services.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { Operation } from '../openapi/describe-operation.ts';
import { commandOf } from '../written.ts';

/**
 * A user's own vault: the folder of a notes application into which each save of their documents is copied. It is a folder of
 * the service's machine, so who is at that machine chooses it, and administrators for others.
 */
export const vaultRoutes: AddRoutes = (router, services) => {
  const { accounts } = services;
  router.get('/users/me/vault', async (ctx) => {
    const caller = callerOf(ctx.state);
    const { local } = await peerOf(ctx, services.settings()['server.trusted_proxies']);
    const own = accounts.vaultOf(caller.userId);
    const used = vaultFor(services, caller, local);
    ctx.body = {
      folder: own,
      fault: own === null ? null : faultIn(await folderFault(own)),
      may_choose: local || caller.isAdmin,
      copies: used === null ? 'nowhere' : own === null ? 'when-opened' : 'each-save',
    };
  });

  router.put('/users/me/vault', async (ctx) => {
    const caller = callerOf(ctx.state);
    const { local } = await peerOf(ctx, services.settings()['server.trusted_proxies']);
    if (!local && !caller.isAdmin) {
      throw new Problem(
        'not-admin',
        'The folder lies on the server. Choose one at that computer, or ask an administrator.',
      );
    }
    const { folder: path } = await jsonBody(ctx, vaultBody);
    await set(caller.userId, path, { by: caller.userId, command: commandOf(ctx.state) });
    ctx.status = 204;
  });

  router.put('/users/:name/vault', async (ctx) => {
    const user = accounts.findUser(ctx.params['name'] ?? '');
    if (!user) throw notFound('There is no user of that name.');
    const { folder: path } = await jsonBody(ctx, vaultBody);
    const by = callerOf(ctx.state).userId;
    await set(user.userId, path, { by, command: commandOf(ctx.state) });
    ctx.status = 204;
  });

  async function set(
    userId: string,
    path: string | null,
    onBehalf: { by: string; command: string },
  ): Promise<void> {
    const wrong = path === null ? null : await wrongWith(path, userId);
    if (wrong !== null) throw invalid([{ path: 'folder', message: wrong }]);
    await accounts.setVault(userId, path, onBehalf);
  }

  /** Why a folder is none to copy this user's notes into; null: it is one. */
  async function wrongWith(path: string, userId: string): Promise<string | null> {
    const fault = faultIn(await folderFault(path));
    if (fault !== null) return fault;
    if (await touchesData(path, services.dataDir)) return touchesDataText;
    const others = accounts.usersWithVaults().filter((id) => id !== userId);
    const theirs = others.flatMap((id) => accounts.vaultOf(id) ?? []);
    return (await sharesFolder(path, theirs)) ? 'is the notes folder of another user' : null;
  }
};

/** The vault that documents of a caller are copied into when they open them; null: there is none. */
export function vaultFor(
  { accounts, settings }: Pick<HttpServices, 'accounts' | 'settings'>,
  { userId, isAdmin }: Pick<Caller, 'userId' | 'isAdmin'>,
  isHere: boolean,
): string | null {
  return accounts.vaultOf(userId) ?? (isHere || isAdmin ? settings()['notes.vault'] : null);
}

const faultIn = (fault: FolderFault | null): string | null =>
  fault === null ? null : folderFaultText(fault);

const vaultBody = z.strictObject({ folder: folder.nullable() });

const nothing = { 204: { description: 'Done.' } };

/** The vaults of users. */
export const vaultOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/users/me/vault',
    id: 'getOwnVault',
    tag: 'Users',
    summary: 'The folder into which the caller’s notes are copied',
    answers: {
      200: {
        description: 'The folder, and what is wrong with it.',
        json: z.object({
          folder: z.string().nullable().describe('on the server; null: the caller has none'),
          fault: z.string().nullable().describe('why nothing can be copied into it now'),
          may_choose: z.boolean().describe('whether `PUT` is allowed from where the caller is'),
          copies: z
            .enum(['each-save', 'when-opened', 'nowhere'])
            .describe('when notes are copied: at each save, by `POST /open` only, or never'),
        }),
      },
    },
  },
  {
    method: 'put',
    path: '/users/me/vault',
    id: 'setOwnVault',
    tag: 'Users',
    summary: 'Chooses the folder into which the caller’s notes are copied',
    description:
      'For who is at the service’s machine, and for administrators. All notes are copied at once, and each again when it is ' +
      'saved; a note that was changed in the folder stays. `null`: none any more; what is there stays.',
    body: { kind: 'json', schema: vaultBody },
    answers: nothing,
    problems: ['not-admin'],
    command: true,
  },
  {
    method: 'put',
    path: '/users/{name}/vault',
    id: 'setVault',
    tag: 'Users',
    summary: 'Chooses the folder into which the notes of a user are copied',
    body: { kind: 'json', schema: vaultBody },
    answers: nothing,
    problems: ['not-found'],
    command: true,
  },
];
