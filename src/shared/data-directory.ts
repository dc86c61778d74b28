import { chmod, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type ClusterSettings, clusterFrom } from './cluster-settings.ts';

/** Where the service lives and listens. */
export type Host = {
  data: DataFolder;
  address: string;
  port: number;
  logLevel: string;
  /** How it is one node of many; null: it is alone, with the log in its data directory. */
  cluster: ClusterSettings | null;
};

/** Everything below the data directory. Directories 0700, files 0600. */
export type DataFolder = {
  /** Of this machine. */
  root: string;
  /**
   * Above what all nodes of a cluster have: keys, recordings, spaces, uploads, quarantine. Alone: `root`. Where those are in
   * a bucket: what is on its way there, a folder of this machine.
   */
  shared: string;
  log: string;
  keys: string;
  /** Rows of projections: made again from the log when they are missing. */
  rows: string;
  recordings: string;
  /** Above the folders of what is derived from recordings' audio, which two nodes may do at once. Alone: `recordings`. */
  derived: string;
  spaces: string;
  /** Where models are looked for; they are installed into the first. */
  models: readonly [string, ...string[]];
  /** A house's own entries of models that can be installed. */
  catalogue: string;
  /** Uploads until they are complete. */
  uploads: string;
  /** Uploads that can be taken up again, until they are complete. */
  resumable: string;
  /** Files that were never acknowledged or are unknown: kept, never deleted by the service. */
  quarantine: string;
  controlSocket: string;
  /** Where the hotkey and the tray speak, as the guest. */
  triggerSocket: string;
  /** Keys for servers; beside the log, which holds their fingerprints. */
  secrets: string;
  setupCode: string;
};

/**
 * Reads `MITSCHRIFT_DATA`, `_MODELS`, `_HOST`, `_PORT` and `_LOG_LEVEL`, and what makes this a node of a cluster.
 * @throws {Error} when the port is none; {SettingsError} as `clusterFrom`
 */
export function hostFrom(env: NodeJS.ProcessEnv): Host {
  const port = Number(env['MITSCHRIFT_PORT'] || 8765);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error('MITSCHRIFT_PORT must be a number from 0 to 65535');
  }
  const cluster = clusterFrom(env);
  const ofUser = env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share');
  const root = env['MITSCHRIFT_DATA'] || join(ofUser, 'mitschrift');
  const data = dataFolder(
    root,
    cluster === null ? undefined : (cluster.sharedDirectory ?? join(root, 'staging')),
  );
  const models = resolve(env['MITSCHRIFT_MODELS'] || join(ofUser, 'mitschrift', 'models'));
  return {
    data: { ...data, models: [models, ...data.models.filter((folder) => folder !== models)] },
    address: env['MITSCHRIFT_HOST'] || '127.0.0.1',
    port,
    logLevel: env['MITSCHRIFT_LOG_LEVEL'] || 'info',
    cluster,
  };
}

/** The layout of a data directory. @param sharedPath where all nodes of a cluster have what is theirs together */
export function dataFolder(path: string, sharedPath = path): DataFolder {
  const root = resolve(path);
  const shared = resolve(sharedPath);
  return {
    root,
    shared,
    log: join(root, 'log'),
    keys: join(shared, 'keys'),
    rows: join(root, 'rows'),
    recordings: join(shared, 'recordings'),
    derived: join(root, shared === root ? 'recordings' : 'derived'),
    spaces: join(shared, 'spaces'),
    models: [join(root, 'models')],
    catalogue: join(root, 'catalogue'),
    uploads: join(shared, 'uploads'),
    resumable: join(shared, 'resumable'),
    quarantine: join(shared, 'quarantine'),
    controlSocket: join(root, 'control.sock'),
    triggerSocket: join(root, 'trigger.sock'),
    secrets: join(root, 'secrets.json'),
    setupCode: join(root, 'setup-code'),
  };
}

/** Makes the folders that are not there. */
export async function prepare(data: DataFolder): Promise<void> {
  const { root, shared, keys, recordings, derived, spaces, uploads } = data;
  for (const folder of [root, shared, keys, recordings, derived, spaces, uploads]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  // A person may have made it before, for a model: no other user may read what is below.
  await chmod(root, 0o700);
}
/** The captured audio, relative to the recording's folder. */
export const audioFileName = 'audio.wav';
/** The derived 16 kHz mono file beside the kept audio; made again whenever it is missing. */
export const speechFileName = 'speech.wav';
/** Its two channels, while they are looked at apart. */
export const channelFileNames = ['speech-left.wav', 'speech-right.wav'] as const;
/** Each with what it says itself alone. */
export const apartFileNames = ['speech-left-own.wav', 'speech-right-own.wav'] as const;
/** The stretch that is recognised while the recording goes on. */
export const livePieceName = 'speech-live.wav';
/** The same while voices are measured again, and while it is made. */
export const voicesFileNames = ['speech-voices.wav', 'speech-voices.wav.part'] as const;
/** What stages derive from the kept audio, also half of it: removed when none runs any more. */
export const stageFileNames = [
  speechFileName,
  `${speechFileName}.part`,
  ...channelFileNames,
  ...apartFileNames,
  livePieceName,
] as const;
/** All that is derived from the kept audio. */
export const derivedFileNames = [...stageFileNames, ...voicesFileNames] as const;
