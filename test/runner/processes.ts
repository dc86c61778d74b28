import { readFile } from 'node:fs/promises';
import type { FileTry } from './run-together.ts';

/** Where tests start whole services, or pure functions, in the process itself and leave nothing behind. */
const sharing: readonly string[] = [
  'accounts',
  'config',
  'documents',
  'events',
  'http',
  'language',
  'machines',
  'order',
  'projections',
  'recordings',
  'search',
  'security',
  'shared',
  'speech',
  'storage',
  'words',
].map((folder) => `test/${folder}/`);

/** What a process of its own must be for, and why. */
const alone: Readonly<Record<string, string>> = {
  'test/events/disk-full.test.ts': 'starts itself, with arguments',
  'test/search/word-index.test.ts':
    'takes snapshots of the heap, at which Node.js 20 ends while a file is being read',
  'test/http/read-once.test.ts': 'has a database server with settings of its own',
  'test/security/long-texts.test.ts': 'measures times',
  'test/security/programs-beside.test.ts': 'changes the environment',
};

/** Where tests have services and pages of their own: what they share is Chromium. Those of `components` have a document in the process. */
const sharingPages = /^test\/web\/[^/]+$/;

/** What is lost with a process that ends is run again: not too much. */
const filesMax = 10;
/** Of files with pages, each of which takes long. */
const pagesMax = 4;
/** It does something while it is loaded, at which all files of a process are loaded; or changes the process's own clock. */
const needsOwn = /^(?:(?:const|let) .+ = )?await |\bmock\.timers\b/m;

/**
 * Which files share a process: those on the same store, since starting one and warming it up costs more than
 * most files. Long ones are spread.
 * @param tries the longest first
 */
export async function processesOf(tries: readonly FileTry[]): Promise<FileTry[][]> {
  const groups = new Map<string, FileTry[]>();
  for (const one of tries) {
    const { file, store } = one;
    const shares = await canShare(file);
    const together = sharingPages.test(file) ? 'pages' : 'together';
    const key = shares ? `${together} ${store}` : `${file} ${store}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].flatMap((group) => {
    const most = sharingPages.test(group[0]!.file) ? pagesMax : filesMax;
    const count = Math.ceil(group.length / most);
    return Array.from({ length: count }, (_, at) => group.filter((__, n) => n % count === at));
  });
}

async function canShare(file: string): Promise<boolean> {
  const isThere = sharingPages.test(file) || sharing.some((folder) => file.startsWith(folder));
  if (alone[file] !== undefined || !isThere) return false;
  return !needsOwn.test(await readFile(file, 'utf8'));
}
