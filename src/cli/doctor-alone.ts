import { SettingsError } from '../shared/errors.ts';
import { EventStoreError } from '../../events/store.ts';
import { KeyError } from '../../events/key-store.ts';
import { ConfigError, type Settings } from '../config/schema.ts';
import { settingsFrom } from '../config/environment.ts';
import type { Check } from '../doctor/check.ts';
import { runChecks } from '../doctor/checks.ts';
import type { DamageKnown } from '../doctor/data-checks.ts';
import { openFindings, whyUnopenable } from '../integrity/findings.ts';
import { withLogAlone } from '../integrity/open-mark.ts';
import { verifyLogAndKeys } from '../integrity/verify.ts';
import { harmedTables } from '../integrity/tables/tables.ts';
import { encryptionOf } from '../shared/certificate.ts';
import { type DataFolder, type Host } from '../shared/data-directory.ts';
import { exists } from '../shared/files.ts';
import { chooseEngine } from '../speech/choose-engine.ts';
import { measureTaken } from '../storage/measure-taken.ts';
import { blobsOfOneProcess } from '../storage/blobs/file-blobs.ts';
import { folderUploads } from '../storage/uploads/folder-uploads.ts';
import { presentSettings } from './settings.ts';
import type { Sentence } from '../words/params.ts';

/** What is looked at while no service runs: also all of the log and its keys, where they are in files. */
export async function checksAlone(host: Host): Promise<Check[]> {
  const { data, cluster, address, port } = host;
  // What is wrong is in the checks themselves.
  const log = { warn() {} };
  const hasLog = cluster === null && (await exists(data.log));
  const tables = hasLog ? await harmedTables(data.log) : [];
  // Opening such a log would end this process.
  const isFatal = tables.some(({ endsProcess }) => endsProcess);
  const { settings, refusal } = isFatal ? ofEnvironment() : await settingsOrRefusal(host);
  const engine = async () => {
    const value = await chooseEngine(settings, { modelsDir: data.models, log });
    return { value, release: () => void value.close() };
  };
  return await runChecks({
    data,
    cluster: cluster && { cluster, behind: null },
    env: process.env,
    settings,
    log,
    leaseSpeech: engine,
    vaults: null,
    people: null,
    taken: cluster?.sharedDirectory === null ? null : async () => await takenIn(data),
    damage:
      cluster !== null
        ? null
        : async (signal) => {
            if (isFatal) return { findings: tables.flatMap(({ findings }) => findings) };
            const known = await damageOf(data, signal);
            const isSound = 'findings' in known && known.findings.length === 0;
            return isSound && refusal !== null ? { refusal } : known;
          },
    listening: {
      address,
      port,
      running: false,
      encryption: await encryptionOf(settings['server.tls_cert'], settings['server.tls_key']),
    },
  });
}

const takenIn = async (data: DataFolder): Promise<number> =>
  (
    await measureTaken({
      blobs: blobsOfOneProcess(data.shared),
      unfinished: folderUploads(data.resumable),
    })
  ).bytes;

/** The settings; where the log that has them cannot be opened, those of the environment and why. */
async function settingsOrRefusal(
  host: Host,
): Promise<{ settings: Settings; refusal: Sentence | null }> {
  try {
    return { settings: (await presentSettings(host)).settings, refusal: null };
  } catch (error) {
    if (error instanceof SettingsError) return ofEnvironment();
    return { ...ofEnvironment(), refusal: refusalOf(error, host.data.log) };
  }
}

/** Without those in the log. That variables are wrong is a finding of its own: then the defaults. */
function ofEnvironment(): { settings: Settings; refusal: null } {
  try {
    return { settings: settingsFrom(process.env), refusal: null };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { settings: settingsFrom({}), refusal: null };
  }
}

/** What keeps the log from being opened. @throws anything that is not about the data */
function refusalOf(error: unknown, folder: string): Sentence {
  const known =
    error instanceof EventStoreError || error instanceof KeyError || error instanceof ConfigError;
  if (!known) throw error;
  return whyUnopenable(error, folder);
}

/** Records, tables and keys; `mitschrift verify` looks at audio and documents too, which takes longer. */
async function damageOf(data: DataFolder, signal: AbortSignal): Promise<DamageKnown> {
  if (!(await exists(data.log))) return { findings: [] };
  const findings = openFindings();
  try {
    await withLogAlone(data, ({ store, keys }) =>
      verifyLogAndKeys({ store, keys, data }, findings.add, signal),
    );
  } catch (error) {
    return { refusal: refusalOf(error, data.log) };
  }
  return { findings: findings.list };
}
