import { Level } from 'level';
import { ulid } from 'ulid';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { type LogDatabase, levelCode, openDatabase } from '../../events/log/database.ts';
import { exists, writeDurably } from '../shared/files.ts';
import { type LogCopy, type Salvaged, openLogCopy, salvage } from '../../events/log/salvage.ts';
import { keyOrFault } from '../../events/key-place.ts';
import { filesOf, parseErasure } from '../../events/log/file-keys.ts';
import { positionReached } from '../../events/log/head-file.ts';
import { EventStoreError } from '../../events/store.ts';
import { type DataFolder, dataFolder } from '../shared/data-directory.ts';
import { backupLayout, readBackupMarker } from './backup.ts';
import { type Copied, copyTree } from './copy-tree.ts';
import { type KeptRow, keptData, putKeptData, readKeptData } from './kept-data.ts';
import { notInBackups } from './not-in-backups.ts';
import { newDirectory } from './new-directory.ts';
import { withLogAlone } from './open-mark.ts';
import { putBack, takeOutHarmedTables } from './tables/tables.ts';
import { addJobs } from './restore.ts';
import { vaultProgressFile } from '../documents/own-vaults.ts';
import { levelKept } from '../storage/level-rows.ts';
import { type VerifyReport, verifyData } from './verify.ts';
import type { Finding } from './findings.ts';
import { dataFailure } from '../words/data-failures.ts';

/** What `mitschrift repair` answers. */
export type RepairReport = SalvageReport & {
  directory: string;
  /** Damage in the files of the database, a sentence each. */
  tables: readonly Finding[];
  /** What could not be taken over, one JSON object a line, for an expert. */
  leftOver: string | null;
  /** Keys that were left out since they open nothing, and what they cost; the first of them. */
  lostKeys: readonly LostKey[];
  files: Copied;
  /** The new data directory, checked. What keys and files had lost is still lost. */
  verified: VerifyReport;
};

/** A subject whose content cannot be read. */
export type LostKey = {
  subject: string;
  /** `wrong`: a sound key, but not the one it was sealed with. */
  reason: 'missing' | 'damaged' | 'wrong';
  /** How many facts have lost their content. */
  facts: number;
};

/** Where to salvage from: a data directory, or a backup. */
export type RepairSource = {
  root: string;
  log: string;
  erasures: string;
  /** Up to which position the log had facts, as far as that is known beside its head file. */
  reached: number;
  /** Rows beside the log, as far as they are known without its database. */
  kept: readonly KeptRow[];
};

/** The parts of a data directory that a salvage reads. */
export const sourceOfData = (root: string): RepairSource => {
  const { log, keys } = dataFolder(root);
  return {
    root: resolve(root),
    log,
    erasures: join(keys, 'erased.jsonl'),
    reached: 0,
    kept: [],
  };
};

/** The parts of a backup. @throws {Error} when there is no complete one */
export async function sourceOfBackup(directory: string): Promise<RepairSource> {
  const marker = await readBackupMarker(directory);
  if (!marker) throw new Error(`${directory} doesn’t contain a complete backup.`);
  const layout = backupLayout(directory);
  const { log, erasures } = layout;
  const { position: reached } = marker;
  const kept = await readKeptData(layout.keptOf(marker));
  return { root: layout.filesOf(marker), log, erasures, reached, kept };
}

/**
 * Salvages what can be read of a damaged log into a new data directory: a separate log, with
 * positions without gaps; a stream with a hole keeps its facts before the hole, the others are set
 * aside in a file. The source is only read, also by LevelDB: it works on a copy. No service may run.
 * It is built apart and put in its place when it is whole.
 * @throws {Error} when the target is not empty or inside the source
 */
export async function repair(source: RepairSource, target: string): Promise<RepairReport> {
  const out = dataFolder(target);
  if (!relative(source.root, out.root).startsWith('..')) {
    throw new Error('Choose a folder outside the damaged data directory.');
  }
  const { building, putInPlace } = await newDirectory(out, source.root, 'repairing');
  const workplace = join(building.root, 'source-log');
  await copyTree(source.log, workplace);
  const leftOver = join(building.root, leftOverFile);
  const {
    tables,
    kept: found,
    ...salvaged
  } = await salvageInto(workplace, building.log, {
    leftOver,
    reached: Math.max(source.reached, await positionReached(source.log)),
  });
  await rm(workplace, { recursive: true });
  const files = await copyTree(source.root, building.root, {
    wanted: (path) =>
      !notInBackups.has(path.split('/')[0] ?? '') &&
      ![join('keys', 'erased.jsonl'), vaultProgressFile].includes(path),
  });
  await takeErasures(source.erasures, join(building.keys, 'erased.jsonl'));
  const lostKeys = await leaveLostKeysOut(building);
  const verified = await withLogAlone(building, async ({ store, keys, kept, jobs }) => {
    await putKeptData(kept, [...source.kept, ...found]);
    await addJobs(building, { store, jobs });
    return await verifyData({ store, keys, data: building });
  });
  const aside = salvaged.unreadable.length + salvaged.setAside > 0;
  if (!aside) await rm(leftOver);
  await putInPlace();
  const report = {
    ...salvaged,
    directory: out.root,
    tables,
    more: salvaged.more + Math.max(0, lostKeys.length - listedMax),
    leftOver: aside ? join(out.root, leftOverFile) : null,
    lostKeys: lostKeys.slice(0, listedMax),
  };
  return { ...report, files, verified };
}

/**
 * Removes keys that open nothing of what was sealed for their subject, and says what cannot be read
 * without them. Memory: one entry a subject.
 */
async function leaveLostKeysOut(data: DataFolder): Promise<LostKey[]> {
  const lost = new Map<string, number>();
  const opened = new Set<string>();
  await withLogAlone(data, async ({ store }) => {
    for await (const page of store.pages()) {
      for (const { subject, content, unreadable } of page) {
        if (subject === undefined) continue;
        if (unreadable) lost.set(subject, (lost.get(subject) ?? 0) + 1);
        else if (content !== undefined) opened.add(subject);
      }
    }
  });
  const keys: LostKey[] = [];
  for (const [subject, facts] of lost) {
    const key = await keyOrFault(filesOf(data.keys), subject);
    const reason = typeof key === 'string' ? key : 'wrong';
    if (!opened.has(subject)) await rm(join(data.keys, subject), { force: true });
    keys.push({ subject, reason, facts });
  }
  return keys;
}

const leftOverFile = 'left-over.jsonl';

const lostBookkeeping = (): EventStoreError =>
  new EventStoreError('DAMAGED', dataFailure('log-bookkeeping-lost'));

/** What is written to the side file for one record: its JSON, or its bytes in base64. */
export type LeftOver = { position: number; record?: string; bytes?: string };

/** Holes and streams listed each. */
const listedMax = 1_000;

const remains = ({ position, bytes }: Extract<Salvaged, { fact: undefined }>): LeftOver =>
  bytes === undefined ? { position } : { position, bytes: bytes.toString('base64') };

async function salvageInto(
  workplace: string,
  log: string,
  { leftOver, reached }: { leftOver: string; reached: number },
): Promise<SalvageReport & Pick<RepairReport, 'tables'> & { kept: KeptRow[] }> {
  const rescued = await takeOutHarmedTables(workplace);
  const db = await openAnyhow(workplace, rescued.tables.length > 0);
  try {
    await putBack(db, rescued);
    // A separate history: backups of the old one cannot be continued with it.
    const copy = await openLogCopy(log, ulid());
    const aside = await open(leftOver, 'w', 0o600);
    try {
      const report = await salvageRecords(db, copy, {
        reached,
        aside: (lines) =>
          aside.writeFile(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
      });
      return { ...report, tables: rescued.tables, kept: await rowsIn(db) };
    } finally {
      await aside.sync();
      await aside.close();
      await copy.close();
    }
  } finally {
    await db.close();
  }
}

/** Rows beside the log; where LevelDB stumbles over some, files tell the most of what had been promised. */
const rowsIn = (db: LogDatabase): Promise<KeptRow[]> =>
  keptData(
    levelKept(db, () => new Date()),
    (error) => {
      if (levelCode(error) !== 'LEVEL_CORRUPTION') throw error;
      return [];
    },
  );

/** Opens the copied database; where its own bookkeeping is lost, or wrong, lets LevelDB rebuild that first. */
async function openAnyhow(directory: string, isWrong: boolean): Promise<LogDatabase> {
  try {
    // Without it LevelDB would make a new database and delete the tables.
    if (isWrong || !(await exists(join(directory, 'CURRENT')))) throw lostBookkeeping();
    return await openDatabase(directory, { createIfMissing: false, hook: undefined });
  } catch (error) {
    if (!(error instanceof EventStoreError)) throw error;
    await (Level as unknown as { repair(location: string): Promise<void> }).repair(directory);
    return await openDatabase(directory, { createIfMissing: false, hook: undefined });
  }
}

/** The lines of the list that can be read: one that cannot must not bring back all the others. */
async function takeErasures(from: string, to: string): Promise<void> {
  if (!(await exists(from))) return;
  const text = await readFile(from, 'utf8');
  const lines = text.split('\n').filter((line) => parseErasure(line));
  await writeDurably(to, lines.map((line) => `${line}\n`).join(''));
  const lost = text.split('\n').filter((line) => line !== '' && !parseErasure(line));
  if (lost.length > 0) await writeFile(`${to}.left-over`, `${lost.join('\n')}\n`, { mode: 0o600 });
}

/** What was taken over, and what is missing from it. */
type SalvageReport = {
  facts: number;
  /** Positions of the old log that are gone, also at its end, or not as they were written; the first of them. */
  unreadable: readonly { position: number; upTo: number; what: 'missing' | 'damaged' }[];
  /** Streams that end earlier than they did, the first of them. */
  cut: readonly { stream: string; lastVersion: number; setAside: number }[];
  /** Sound facts behind a hole of their stream. */
  setAside: number;
  /** Holes and cut streams that are not listed. */
  more: number;
};

/**
 * Copies every sound record whose stream has no hole before it, with new positions; hands the rest
 * aside. Memory: one entry a stream.
 */
async function salvageRecords(
  from: LogDatabase,
  to: LogCopy,
  { reached, aside }: { reached: number; aside: (lines: LeftOver[]) => Promise<void> },
): Promise<SalvageReport> {
  const unreadable: { position: number; upTo: number; what: 'missing' | 'damaged' }[] = [];
  const cut = new Map<string, { lastVersion: number; setAside: number }>();
  const versions = new Map<string, number>();
  let facts = 0;
  let more = 0;
  let setAside = 0;
  let expected = 1;
  const hole = (position: number, upTo: number, what: 'missing' | 'damaged') => {
    if (unreadable.length < listedMax) unreadable.push({ position, upTo, what });
    else more += 1;
  };

  for await (const page of salvage(from)) {
    const jsons: string[] = [];
    const left: LeftOver[] = [];
    for (const one of page) {
      if (one.position > expected) hole(expected, one.position - 1, 'missing');
      expected = one.position + 1;
      if (one.fact === undefined) {
        hole(one.position, one.position, 'damaged');
        left.push(remains(one));
        continue;
      }
      const { stream, version } = one.fact;
      const last = versions.get(stream) ?? 0;
      if (version !== last + 1) {
        const of = cut.get(stream) ?? { lastVersion: last, setAside: 0 };
        cut.set(stream, { ...of, setAside: of.setAside + 1 });
        setAside += 1;
        left.push({ position: one.position, record: one.json });
        continue;
      }
      versions.set(stream, version);
      facts += 1;
      jsons.push(JSON.stringify({ ...one.fact, position: facts }));
    }
    if (jsons.length > 0) await to.append(jsons);
    if (left.length > 0) await aside(left);
  }
  // What is lost at the end leaves no gap.
  if (reached >= expected) hole(expected, reached, 'missing');
  const streams = [...cut].map(([stream, of]) => ({ stream, ...of }));
  return {
    facts,
    unreadable,
    cut: streams.slice(0, listedMax),
    setAside,
    more: more + Math.max(0, streams.length - listedMax),
  };
}
