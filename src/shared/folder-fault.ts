import { access, constants, realpath, stat } from 'node:fs/promises';
import type { Sentence } from '../words/params.ts';
import { fieldFault } from '../words/field-faults.ts';
import { relative, resolve, sep } from 'node:path';
import { untilAborted } from './abort.ts';
import { hasCode, messageOf } from './errors.ts';

/** Why nothing can be put into a folder: it is not there, it is none, or the system says why. */
export type FolderFault = 'not-there' | 'no-folder' | { refused: string };

/** A disk in the network that is gone does not answer at all, milliseconds. */
export const patienceMs = 10_000;

/** Why the service can put nothing into a folder that a person named; null: it can. Nothing is written. */
export async function folderFault(path: string): Promise<FolderFault | null> {
  try {
    return await useOf(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return 'not-there';
    return { refused: messageOf(error) };
  }
}

/** The fault as the end of a sentence that begins with the field or the folder. */
export function sentenceOnFolder(fault: FolderFault): Sentence {
  if (fault === 'not-there') return fieldFault('folder-missing');
  if (fault === 'no-folder') return fieldFault('not-a-folder');
  return fieldFault('folder-not-writable', { cause: fault.refused });
}

/** Links followed. @throws the system's errors; one of a timeout where nothing answers */
export const realPathInTime = inPatience((path) => realpath(path));

const useOf = inPatience(async (path): Promise<FolderFault | null> => {
  if (!(await stat(path)).isDirectory()) return 'no-folder';
  await access(path, constants.W_OK | constants.X_OK);
  return null;
});

/**
 * Asks something of a path, and waits only so long. Who asks while nothing has answered yet waits for the same answer:
 * each question holds one of the few threads of the process until the system answers.
 */
function inPatience<T>(ask: (path: string) => Promise<T>): (path: string) => Promise<T> {
  const asked = new Map<string, { answer: Promise<T>; until: number }>();
  return async (path) => {
    const now = performance.now();
    const question = asked.get(path) ?? {
      answer: ask(path).finally(() => asked.delete(path)),
      until: now + patienceMs,
    };
    asked.set(path, question);
    const restMs = Math.max(0, Math.ceil(question.until - now));
    return await untilAborted(question.answer, AbortSignal.timeout(restMs));
  };
}

/** Links followed; of what is not there, or does not answer, the path as it was named. */
const realPathOf = (path: string): Promise<string> =>
  realPathInTime(path).catch(() => resolve(path));

/** Whether a folder is, lies in or lies around one of the others; one that is not there is compared by its name. */
export async function sharesFolder(path: string, others: readonly string[]): Promise<boolean> {
  const [real, theirs] = await Promise.all([realPathOf(path), Promise.all(others.map(realPathOf))]);
  return theirs.some((one) => overlap(real, one));
}

/** Whether one of two paths is the other, or in it. */
function overlap(one: string, other: string): boolean {
  const isIn = (inner: string, outer: string): boolean => {
    const way = relative(outer, inner);
    return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
  };
  return isIn(one, other) || isIn(other, one);
}
