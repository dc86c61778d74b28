import type { Accounts } from '../accounts/accounts.ts';
import { type OwnVaults, openOwnVaults } from '../documents/own-vaults.ts';
import type { OpenedLog } from './event-log.ts';
import type { Pipeline } from './pipeline.ts';
import { audioAtOneNode } from '../recordings/control/at-one-node.ts';
import { namedIn } from '../recordings/erased-files.ts';
import { lastState } from '../recordings/erasure.ts';
import { erasedState } from '../recordings/handle.ts';
import type { Host } from '../shared/data-directory.ts';
import type { Log } from '../shared/log.ts';

/** What keeps the users' own vaults up to date, at one node. */
export function vaultsOver(
  opened: OpenedLog,
  {
    pipeline,
    accounts,
    host,
    log,
  }: { pipeline: Pipeline; accounts: Accounts; host: Host; log: Log },
): OwnVaults {
  const { store, storage, projections, spaceOf } = pipeline;
  const { shared: dataDir, quarantine: quarantineDir } = host.data;
  const stopping = new AbortController();
  const vaults = openOwnVaults({
    store,
    storage,
    projections,
    spaceOf,
    namesOf: async (recordingId) =>
      (await namedIn({ store, spaceOf, quarantineDir }, recordingId)).bases,
    isErased: async (recordingId) => (await lastState(store, recordingId)) === erasedState,
    vaults: { of: accounts.vaultOf, users: accounts.usersWithVaults },
    dataDir,
    oneOfAll: (begin) => audioAtOneNode(opened, 'vaults', stopping.signal, begin),
    everyMs: 60_000,
    log,
  });
  return {
    begin: vaults.begin,
    async close() {
      stopping.abort();
      await vaults.close();
    },
  };
}
