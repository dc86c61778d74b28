import { type OwnVaults, openOwnVaults } from '../documents/own-vaults.ts';
import type { Parts, Pipeline } from './parts.ts';
import { audioAtOneNode } from '../recordings/control/at-one-node.ts';
import { namedIn } from '../recordings/erased-files.ts';
import { lastState } from '../recordings/erasure.ts';
import { erasedState } from '../recordings/handle.ts';
import type { Host } from '../shared/data-directory.ts';
import type { Log } from '../shared/log.ts';

/** What keeps the users' own vaults up to date, at one node. */
export function vaultsOver(
  pipeline: Pipeline & Pick<Parts, 'accounts'>,
  { host, log }: { host: Host; log: Log },
): OwnVaults {
  const { accounts, store, spaceOf } = pipeline;
  const { shared: dataDir, quarantine: quarantineDir } = host.data;
  const stopping = new AbortController();
  const vaults = openOwnVaults({
    ...pipeline,
    namesOf: async (recordingId) =>
      (await namedIn({ store, spaceOf, quarantineDir }, recordingId)).bases,
    isErased: async (recordingId) => (await lastState(store, recordingId)) === erasedState,
    vaults: { of: accounts.vaultOf, users: accounts.usersWithVaults },
    dataDir,
    oneOfAll: (begin) => audioAtOneNode(pipeline, 'vaults', stopping.signal, begin),
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
