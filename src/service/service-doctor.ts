import type { Parts } from './compose.ts';
import { recordingsByOwner } from '../../projections/recordings.ts';
import type { RunningServer } from '../http/server.ts';
import type { HttpServices } from '../http/services.ts';
import { isUnmounted } from '../documents/vault.ts';
import type { PeopleParts } from '../doctor/people-checks.ts';
import type { Host } from '../shared/data-directory.ts';
import type { Log } from '../shared/log.ts';
import { loadOnce } from '../shared/package.ts';
import { measureTaken } from '../storage/measure-taken.ts';
import type { Sentence } from '../words/params.ts';

/** The doctor of a service that runs. Its code, and that of all it tries, is loaded when it is first asked. */
export function serviceDoctor(
  parts: Parts,
  server: Pick<RunningServer, 'port' | 'encryption'>,
  { host, env, log, lost }: { host: Host; env: NodeJS.ProcessEnv; log: Log; lost: Sentence | null },
): HttpServices['doctor'] {
  const { config, accounts, space, scrub, voices, leaseSpeech, passageMaker, kept } = parts;
  const opened = loadOnce(async () =>
    (await import('../doctor/checks.ts')).openDoctor(async () => ({
      data: host.data,
      cluster: host.cluster && { cluster: host.cluster, behind: () => behindOf(parts), lost },
      env,
      settings: config.settings(),
      log,
      leaseSpeech,
      voices: () => voices.state(),
      passages: () => passageMaker.behind(),
      taken: async () => space.taken() ?? (await measureTaken(parts)).bytes,
      vaults: () =>
        accounts.listUsers().flatMap(({ userId, username }) => {
          const folder = accounts.vaultOf(userId);
          if (folder === null) return [];
          return [{ username, folder, isUnmounted: () => isUnmounted(userId, folder, { kept }) }];
        }),
      people: peopleOf(parts),
      damage: async () => ({ findings: scrub.health().damage }),
      listening: {
        address: host.address,
        port: server.port,
        running: true,
        encryption: await server.encryption(),
      },
    })),
  );
  return async () => await (await opened())();
}

/** What people have to do themselves. */
const peopleOf = ({ config, accounts, retention, storage }: Parts): PeopleParts => ({
  withoutTwoStep: () =>
    config.settings()['auth.totp'] === 'optional'
      ? null
      : accounts.listUsers().flatMap(({ username, isAdmin, disabled, hasTotp, hasPassword }) =>
          // Whoever logs in elsewhere has their second step there.
          isAdmin && !disabled && hasPassword && !hasTotp ? [username] : [],
        ),
  groups() {
    const signedOn = new Set(
      accounts.listUsers().flatMap(({ userId, hasIdentity }) => (hasIdentity ? [userId] : [])),
    );
    return accounts.listGroups().map(({ name, claim, members }) => ({
      name,
      isEmpty: members.size === 0,
      // Whoever has it at a login is a member then. Before the first login nothing is known.
      unseenClaim: signedOn.size > 0 && ![...members].some((id) => signedOn.has(id)) ? claim : null,
    }));
  },
  async waitingForYes(signal) {
    let count = 0;
    for (const owner of (await recordingsByOwner(storage)).keys()) {
      signal.throwIfAborted();
      if ((await retention.dueNow(owner)).waiting.length > 0) count += 1;
    }
    return count;
  },
});

/** Facts in the log that the last of the lists has not taken in. */
async function behindOf({
  store,
  projections,
}: Pick<Parts, 'store' | 'projections'>): Promise<number> {
  const head = await store.head();
  return Math.max(0, ...projections.states().map(({ position }) => head - position));
}
