import { access, constants, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/schema.ts';
import { type Finding, findingSaid } from '../integrity/findings.ts';
import { adviceOn } from '../integrity/verify.ts';
import { type DataFolder, prepare } from '../shared/data-directory.ts';
import { commandLine, makeWritable, shellWord } from '../shared/command-line.ts';
import { messageOf } from '../shared/errors.ts';
import { ifMissing } from '../shared/files.ts';
import { folderFault, sharesFolder } from '../shared/folder-fault.ts';
import { gigabyte, tightestDisk } from '../storage/disk.ts';
import { type LookedAt, type Look, asLimited, asMissing, asOk } from './check.ts';
import { check } from '../words/checks.ts';
import type { Sentence } from '../words/params.ts';
import { guideLink } from './guide.ts';

/** A disk in the network may take its time. */
const diskMs = 20_000;
/** Files that take space are counted one by one. */
const countMs = 120_000;
/** A large log is read from its beginning while the service is down. */
const verifyMs = 10 * 60_000;
/** Damaged places that Health names; of more only how many. */
const placesNamed = 10;
/** Keys whose permissions are looked at. */
const keysLookedAt = 1000;

const settingsPage = guideLink('settings', 'Settings');
const safety = guideLink('administration', 'Safety and backups');
const noticed = guideLink('integrity', 'Checks');

/** What is known of damage: findings of the log and its keys, or why they could not be looked at. */
export type DamageKnown =
  | { findings: readonly Omit<Finding, 'severity'>[] }
  | { refusal: Sentence };

export type DataParts = {
  data: DataFolder;
  /** Whose notes are copied into which folder of their own; null: nobody knows here. */
  vaults: (() => readonly UsersVault[]) | null;
  settings: Settings;
  /** Bytes that documents, recordings and uploads take; null where it is not known here: in a bucket that a node counts. */
  taken: (() => Promise<number>) | null;
  /** Null where the log is not in files here: then neither it nor its keys are looked at. */
  damage: ((signal: AbortSignal) => Promise<DamageKnown>) | null;
};

export type UsersVault = {
  username: string;
  folder: string;
  /** Whether it is the place of a disk that is not there. */
  isUnmounted(): Promise<boolean>;
};

/** The data directory: can it be written, has it room, may only its owner read it, and is all of it readable. */
export function dataLooks({ data, settings, taken, damage, vaults }: DataParts): Look[] {
  return [
    {
      id: 'data',
      link: settingsPage,
      limitMs: diskMs,
      look: () => folder(data),
    },
    {
      id: 'disk',
      link: settingsPage,
      limitMs: diskMs,
      look: () => disk(data, settings),
    },
    ...(taken === null
      ? []
      : [
          {
            id: 'space' as const,
            link: settingsPage,
            limitMs: countMs,
            look: () => space(settings, taken),
          },
        ]),
    {
      id: 'permissions',
      link: safety,
      limitMs: diskMs,
      look: () => permissions(data),
    },
    ...(damage ? damageLooks(damage) : []),
    {
      id: 'vault',
      link: guideLink('readme', 'Where the notes lie'),
      limitMs: diskMs,
      look: () => vault(settings['notes.vault']),
    },
    ...(vaults === null
      ? []
      : [
          {
            id: 'vaults' as const,
            link: guideLink('readme', 'Where the notes lie'),
            limitMs: diskMs,
            look: () => usersVaults(vaults(), data),
          },
        ]),
  ];
}

/** The log and its keys, which are looked through once for both. */
function damageLooks(damage: NonNullable<DataParts['damage']>): Look[] {
  let known: Promise<DamageKnown> | undefined;
  const damaged = (signal: AbortSignal) => (known ??= damage(signal));
  return [
    {
      id: 'log',
      link: noticed,
      limitMs: verifyMs,
      look: async (signal) => logSound(await damaged(signal)),
    },
    {
      id: 'keys',
      link: noticed,
      limitMs: verifyMs,
      look: async (signal) => keysSound(await damaged(signal)),
    },
  ];
}

async function folder(data: DataFolder): Promise<LookedAt> {
  const { root, log, keys, rows, recordings, spaces, uploads } = data;
  try {
    await prepare(data);
    for (const path of [root, log, keys, rows, recordings, spaces, uploads]) {
      await access(path, constants.R_OK | constants.W_OK | constants.X_OK).catch(ifMissing(null));
    }
  } catch (error) {
    return asMissing(check('data-not-writable', { folder: root, cause: messageOf(error) }), {
      command: makeWritable(root),
    });
  }
  const [models] = data.models;
  const unwritable = await access(models, constants.W_OK)
    .then(() => null, ifMissing(null))
    .catch(messageOf);
  if (unwritable === null) return asOk(check('data-writable', { folder: root }));
  return asLimited(check('models-not-writable', { folder: root, models, cause: unwritable }), {
    command: makeWritable(models),
  });
}

async function disk(data: DataFolder, settings: Settings): Promise<LookedAt> {
  const { folder, free, low } = await tightestDisk(data, settings);
  if (free >= low) return asOk(check('disk-ok', { free }));
  return asMissing(check('disk-low', { free, least: low, folder }));
}

/** How much documents, recordings and uploads take of what they may. */
async function space(
  settings: Pick<Settings, 'limits.spaces_gb'>,
  taken: () => Promise<number>,
): Promise<LookedAt> {
  const bytes = await taken();
  const limit = settings['limits.spaces_gb'];
  if (limit === null) return asOk(check('space-unlimited', { taken: bytes }));
  const figures = { taken: bytes, limit: limit * gigabyte };
  if (bytes < figures.limit) return asOk(check('space-within', figures));
  return asMissing(check('space-full', figures));
}

/** Only the owner may read keys, secrets and what people said. */
async function permissions({ root, keys, secrets, setupCode, log }: DataFolder): Promise<LookedAt> {
  const names = await readdir(keys).catch(ifMissing<string[]>([]));
  const inKeys = names.slice(0, keysLookedAt).map((name) => join(keys, name));
  // Who asks may be root, and the data the service's own user's.
  const owner = (await lstat(root).catch(ifMissing(null)))?.uid;
  const open: string[] = [];
  const foreign: string[] = [];
  for (const path of [root, log, keys, secrets, setupCode, ...inKeys]) {
    const found = await lstat(path).catch(ifMissing(null));
    if (!found) continue;
    // Below a folder that only its owner enters, nothing else can be read either; a copy of it could.
    if ((found.mode & 0o077) !== 0) open.push(path);
    if (found.uid !== owner) foreign.push(path);
  }
  if (foreign.length > 0) {
    return asLimited(check('files-of-others', { paths: foreign }), {
      command: `sudo chown -R ${owner} ${shellWord(root)}`,
    });
  }
  if (open.length > 0) {
    return asLimited(check('files-open', { paths: open }), {
      command: `chmod -R go-rwx ${shellWord(root)}`,
    });
  }
  return asOk(check('permissions-ok'));
}

function logSound(known: DamageKnown): LookedAt {
  if ('refusal' in known) {
    return asMissing(check('log-not-opened', { cause: known.refusal }), {
      command: commandLine('verify'),
    });
  }
  const found = known.findings.filter(({ kind }) => kind !== 'key');
  if (found.length === 0) return asOk(check('log-sound'));
  const places: Sentence[] = found.slice(0, placesNamed).map(findingSaid);
  const more = found.length - places.length;
  if (more > 0) places.push(check('more-places', { more }));
  return damaged(check('log-damaged', { count: found.length, places }), found);
}

function keysSound(known: DamageKnown): LookedAt {
  if ('refusal' in known) {
    return asMissing(check('keys-not-compared'));
  }
  const found = known.findings.filter(({ kind }) => kind === 'key');
  if (found.length === 0) return asOk(check('keys-sound'));
  const paths = found.map(({ path = '' }) => path);
  return damaged(check('keys-damaged', { count: found.length, paths }), found);
}

function damaged(said: Sentence, found: readonly Omit<Finding, 'severity'>[]): LookedAt {
  return asMissing(said, {
    text: adviceOn(found.map(({ kind }) => ({ kind, severity: 'damage' }))),
    command: commandLine('verify'),
  });
}

async function vault(path: string | null): Promise<LookedAt> {
  if (path === null) return asOk(check('vault-not-set'));
  const fault = await folderFault(path);
  if (fault === null) return asOk(check('vault-writable', { folder: path }));
  if (fault === 'not-there') return asMissing(check('vault-missing', { folder: path }));
  if (fault === 'no-folder') return asMissing(check('vault-not-a-folder', { folder: path }));
  // Without a command: the folder may be a person's, whom it would be taken away from.
  return asMissing(check('vault-not-writable', { folder: path, cause: fault.refused }));
}

/** Each is looked at at once; the first with a fault is named. */
async function usersVaults(vaults: readonly UsersVault[], data: DataFolder): Promise<LookedAt> {
  if (vaults.length === 0) return asOk(check('vaults-none'));
  const looked = vaults.map(async (one) => {
    const others = vaults.filter((other) => other !== one).map(({ folder: path }) => path);
    return await faultOfVault(one, others, data);
  });
  const faults = (await Promise.all(looked)).filter((fault) => fault !== null);
  return faults.length === 0
    ? asOk(check('vaults-ok', { count: vaults.length }))
    : asLimited(check('vaults-wrong', { faults }));
}

/** What is wrong with it; null: notes can be copied into it. */
async function faultOfVault(
  { username: user, folder: path, isUnmounted }: UsersVault,
  others: readonly string[],
  { root, shared }: DataFolder,
): Promise<Sentence | null> {
  const wrong = (
    fault: 'missing' | 'no-folder' | 'refused' | 'unmounted' | 'shared' | 'in-data',
    cause?: string,
  ): Sentence => check('vault-of-user-wrong', { folder: path, user, fault, cause });
  const fault = await folderFault(path);
  if (fault === 'not-there') return wrong('missing');
  if (fault === 'no-folder') return wrong('no-folder');
  if (fault !== null) return wrong('refused', fault.refused);
  if (await isUnmounted()) return wrong('unmounted');
  if (await sharesFolder(path, others)) return wrong('shared');
  return (await sharesFolder(path, [root, shared])) ? wrong('in-data') : null;
}
