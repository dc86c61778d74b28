import type { Settings } from '../config/environment.ts';
import type { DataFolder } from '../shared/data-directory.ts';
import { type Listening, addressLooks } from './address-checks.ts';
import { type Check, lookAtAll } from './check.ts';
import { type ClusterParts, clusterLooks } from './cluster-checks.ts';
import { type DataParts, dataLooks } from './data-checks.ts';
import { type EngineParts, engineLooks, type SpeakerParts, speakerLook } from './engine-checks.ts';
import { hostLooks, runtimeLooks, timeLook } from './host-checks.ts';
import { type MeaningParts, meaningLook } from './meaning-check.ts';
import { signOnLooks } from './try-provider.ts';
import { type PeopleParts, peopleLooks } from './people-checks.ts';
import { soundLooks } from './sound-checks.ts';

/** What is looked at, and by what means. */
export type Examined = Pick<EngineParts, 'leaseSpeech'> &
  Pick<DataParts, 'taken' | 'damage' | 'vaults'> &
  Pick<SpeakerParts, 'voices'> &
  Pick<MeaningParts, 'passages'> & {
    data: DataFolder;
    /** Null: the service is down, and who its users are is not known. */
    people: PeopleParts | null;
    /** Null: this process has the log for itself. */
    cluster: ClusterParts | null;
    /** The environment that settings are read from. */
    env: NodeJS.ProcessEnv;
    settings: Settings;
    listening: Listening;
    log: { warn(fields: object, text: string): void };
  };

/** The checks of a service that runs. All who ask while it looks get the same answer. */
export function openDoctor(examined: () => Promise<Examined>): () => Promise<Check[]> {
  let looking: Promise<Check[]> | undefined;
  return () =>
    (looking ??= examined()
      .then(runChecks)
      .finally(() => (looking = undefined)));
}

/**
 * What this host has and lacks, and what to do about it: for `mitschrift doctor` and `GET /doctor`.
 * Everything is looked at at once, each within a time of its own. The engines are sent a sample of ours and a
 * question, never anything of recordings.
 */
export async function runChecks(examined: Examined): Promise<Check[]> {
  const { data, cluster, env, settings, listening, log } = examined;
  const engines = { ...examined, modelsDir: data.models, catalogueDir: data.catalogue };
  return await lookAtAll(
    [
      ...runtimeLooks(),
      ...hostLooks(env, settings),
      ...dataLooks(examined),
      ...(cluster ? clusterLooks(cluster) : []),
      timeLook(env, data.log),
      // Nodes of a cluster record no devices.
      ...(cluster ? [] : soundLooks(data.root, settings)),
      ...engineLooks(engines),
      meaningLook(examined),
      speakerLook(engines),
      ...signOnLooks(settings),
      ...addressLooks(listening, settings),
      ...(examined.people ? peopleLooks(examined.people) : []),
    ],
    log,
  );
}
