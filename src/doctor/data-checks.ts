import { access, constants, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/schema.ts';
import { type Finding, findingPlace } from '../integrity/findings.ts';
import { adviceOn } from '../integrity/verify.ts';
import { type DataFolder, prepare } from '../shared/data-directory.ts';
import { commandLine, makeWritable, shellWord } from '../shared/command-line.ts';
import { messageOf } from '../shared/errors.ts';
import { diskAt, ifMissing } from '../shared/files.ts';
import { folderFault, sharesFolder, touchesData } from '../shared/folder-fault.ts';
import { gigabyte, lowWaterMark, sizeText } from '../storage/disk.ts';
import { whatToDo } from '../storage/quota.ts';
import { type LookedAt, type Look, asLimited, asMissing, asOk } from './check.ts';
import { guideLink } from './guide.ts';

/** A disk in the network may take its time. */
const diskMs = 20_000;
/** Files that take space are counted one by one. */
const countMs = 120_000;
/** A large log is read from its beginning while the service is down. */
const verifyMs = 10 * 60_000;
/** Damaged things, and files that others may read, that a sentence names. */
const namedMax = 10;
/** Keys whose permissions are looked at. */
const keysLookedAt = 1000;

const settingsPage = guideLink('settings', 'Settings');
const safety = guideLink('administration', 'Safety and backups');
const noticed = guideLink('integrity', 'Checks');

/** What is known of damage: findings of the log and its keys, or why they could not be looked at. */
export type DamageKnown = { findings: readonly Omit<Finding, 'severity'>[] } | { refusal: string };

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

export type UsersVault = { username: string; folder: string };

/** The data directory: can it be written, has it room, may only its owner read it, and is all of it readable. */
export function dataLooks({ data, settings, taken, damage, vaults }: DataParts): Look[] {
  return [
    {
      id: 'data',
      title: 'Data directory',
      link: settingsPage,
      limitMs: diskMs,
      look: () => folder(data),
    },
    {
      id: 'disk',
      title: 'Disk',
      link: settingsPage,
      limitMs: diskMs,
      look: () => disk(data, settings),
    },
    ...(taken === null
      ? []
      : [
          {
            id: 'space',
            title: 'Documents and recordings',
            link: settingsPage,
            limitMs: countMs,
            look: () => space(settings, taken),
          },
        ]),
    {
      id: 'permissions',
      title: 'Permissions',
      link: safety,
      limitMs: diskMs,
      look: () => permissions(data),
    },
    ...(damage ? damageLooks(damage) : []),
    {
      id: 'vault',
      title: 'Vault of notes',
      link: guideLink('readme', 'Where the notes lie'),
      limitMs: diskMs,
      look: () => vault(settings['notes.vault']),
    },
    ...(vaults === null
      ? []
      : [
          {
            id: 'vaults',
            title: 'Notes folders of users',
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
      title: 'Event log and tables',
      link: noticed,
      limitMs: verifyMs,
      look: async (signal) => logSound(await damaged(signal)),
    },
    {
      id: 'keys',
      title: 'Keys',
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
    return asMissing(`${root} cannot be written: ${messageOf(error)}.`, {
      text: 'Make it writable, or set MITSCHRIFT_DATA to a folder of yours.',
      command: makeWritable(root),
    });
  }
  const [models] = data.models;
  const unwritable = await access(models, constants.W_OK)
    .then(() => null, ifMissing(null))
    .catch(messageOf);
  if (unwritable === null) return asOk(`${root} can be written.`);
  return asLimited(`${root} can be written, the folder of models cannot: ${unwritable}.`, {
    text: 'Make it writable, or set MITSCHRIFT_MODELS to a folder of yours; models in it are used as they are.',
    command: makeWritable(models),
  });
}

const leastBytes = 100e6;

async function disk(data: DataFolder, settings: Settings): Promise<LookedAt> {
  const { free, total } = await diskAt(data.root);
  const needed = lowWaterMark(settings, total);
  if (free >= needed) return asOk(`${sizeText(free)} are free.`);
  return asMissing(
    `Only ${sizeText(free)} are free: below ${sizeText(needed)} nothing new is taken.`,
    {
      // What is written down needs some room, whatever the limit.
      text:
        free < leastBytes
          ? `Make room on the disk of ${data.root}.`
          : `Make room on the disk of ${data.root}, or lower limits.free_mb.`,
    },
  );
}

/** How much documents, recordings and uploads take of what they may. */
async function space(
  settings: Pick<Settings, 'limits.spaces_gb'>,
  taken: () => Promise<number>,
): Promise<LookedAt> {
  const bytes = await taken();
  const limit = settings['limits.spaces_gb'];
  if (limit === null) return asOk(`They take ${sizeText(bytes)}; no limit is set.`);
  const detail = `They take ${sizeText(bytes)} of ${sizeText(limit * gigabyte)} (limits.spaces_gb)`;
  if (bytes < limit * gigabyte) return asOk(`${detail}.`);
  return asMissing(`${detail}: nothing new is taken.`, { text: whatToDo });
}

/** Only the owner may read keys, secrets and what people said. */
async function permissions({ root, keys, secrets, setupCode, log }: DataFolder): Promise<LookedAt> {
  const names = await readdir(keys).catch(ifMissing<string[]>([]));
  const inKeys = names.slice(0, keysLookedAt).map((name) => join(keys, name));
  const open: string[] = [];
  const foreign: string[] = [];
  for (const path of [root, log, keys, secrets, setupCode, ...inKeys]) {
    const found = await lstat(path).catch(ifMissing(null));
    if (!found) continue;
    // Below a folder that only its owner enters, nothing else can be read either; a copy of it could.
    if ((found.mode & 0o077) !== 0) open.push(path);
    if (process.getuid && found.uid !== process.getuid()) foreign.push(path);
  }
  const list = (paths: readonly string[]) => {
    const more = paths.length > namedMax ? `, and ${paths.length - namedMax} more` : '';
    return paths.slice(0, namedMax).join(', ') + more;
  };
  if (foreign.length > 0) {
    return asLimited(`These belong to another user than the service’s: ${list(foreign)}.`, {
      text: 'Give them to the user that the service runs as.',
      command: makeWritable(root),
    });
  }
  if (open.length > 0) {
    return asLimited(`Others on this machine may read: ${list(open)}.`, {
      text: 'Take the rights of others away.',
      command: `chmod -R go-rwx ${shellWord(root)}`,
    });
  }
  return asOk('Only the service’s own user can read the data.');
}

function logSound(known: DamageKnown): LookedAt {
  if ('refusal' in known) {
    const text = 'Do what the sentence says; mitschrift verify names every place.';
    return asMissing(known.refusal, { text, command: commandLine('verify') });
  }
  const found = known.findings.filter(({ kind }) => kind !== 'key');
  return sound('All that was looked at is as it was written.', found, (one) => {
    const place = findingPlace(one);
    return place === '' ? one.what : `${place}: ${one.what}`;
  });
}

function keysSound(known: DamageKnown): LookedAt {
  if ('refusal' in known) {
    return asMissing('They could not be compared with the log, which cannot be opened.', {
      text: 'Mend the log first.',
    });
  }
  const found = known.findings.filter(({ kind }) => kind === 'key');
  return sound('All are readable.', found, ({ path = '' }) => path);
}

function sound(
  whole: string,
  damaged: readonly Omit<Finding, 'severity'>[],
  named: (finding: Omit<Finding, 'severity'>) => string,
): LookedAt {
  if (damaged.length === 0) return asOk(whole);
  const more = damaged.length > namedMax ? `, and ${damaged.length - namedMax} more` : '';
  const list = damaged.slice(0, namedMax).map(named).join(', ');
  const advice = adviceOn(damaged.map(({ kind }) => ({ kind, severity: 'damage' })));
  return asMissing(`${damaged.length} missing or damaged: ${list}${more}.`, {
    text: advice.join(' '),
    command: commandLine('verify'),
  });
}

async function vault(path: string | null): Promise<LookedAt> {
  if (path === null) return asOk('None is set: documents are opened where they lie.');
  const choose = {
    text: 'Make the folder, or set notes.vault to the one of the notes application.',
  };
  const fault = await folderFault(path);
  if (fault === null) return asOk(`${path} can be written.`);
  if (fault === 'not-there') return asMissing(`${path} (notes.vault) is not there.`, choose);
  if (fault === 'no-folder') return asMissing(`${path} (notes.vault) is no folder.`, choose);
  return asMissing(`${path} (notes.vault) cannot be written: ${fault.refused}.`, {
    text: 'Make it writable for the user that the service runs as.',
    command: makeWritable(path),
  });
}

/** Each is looked at at once; the first with a fault is named. */
async function usersVaults(vaults: readonly UsersVault[], data: DataFolder): Promise<LookedAt> {
  if (vaults.length === 0) return asOk('No user has a notes folder of their own.');
  const looked = vaults.map(async (one) => {
    const others = vaults.filter((other) => other !== one).map(({ folder: path }) => path);
    return await faultOfVault(one, others, data);
  });
  const [first, ...more] = (await Promise.all(looked)).filter((fault) => fault !== null);
  if (first === undefined) return asOk(`${vaults.length} notes folders of users can be written.`);
  const { length: count } = more;
  const text =
    'Mend the folder, or choose another one for this user under Settings › People.' +
    (count === 0 ? '' : ` Notes folders with a fault besides this one: ${count}.`);
  return asLimited(first, { text });
}

/** A sentence about it; null: notes can be copied into it. */
async function faultOfVault(
  { username, folder: path }: UsersVault,
  others: readonly string[],
  { root, shared }: DataFolder,
): Promise<string | null> {
  const fault = await folderFault(path);
  if (fault === 'not-there') return `${path} of ${username} is not there.`;
  if (fault === 'no-folder') return `${path} of ${username} is no folder.`;
  if (fault !== null) return `${path} of ${username} cannot be written: ${fault.refused}.`;
  if (await sharesFolder(path, others)) {
    return `${path} of ${username} is the notes folder of another user as well, or lies in it or around it.`;
  }
  if (!(await touchesData(path, root, shared))) return null;
  return `${path} of ${username} is in the data of the service, or around it.`;
}
