import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { TranscribedFormat } from './export-files.ts';
import { exists, hashFile, ifMissing } from '../shared/files.ts';

/** Which audio already has its documents in a folder of notes. */
export interface TranscribedFiles {
  /**
   * The entry of the same audio, as long as what was written in these formats is where it was written; without documents:
   * no speech was found.
   */
  find(
    file: { path: string; bytes: number },
    formats: readonly TranscribedFormat[],
  ): Promise<TranscribedFile | undefined>;
  /** Notes that a file is done. On disk before it returns, so that no signal comes between. */
  add(file: TranscribedFile): void;
}

const transcribedFile = z.object({
  sha256: z.string(),
  bytes: z.number(),
  /** What the person called it. */
  file: z.string(),
  /** When it was done, RFC 3339 UTC. */
  at: z.string(),
  /** Paths below the folder: index, transcript, summary, and each other format; none: no speech was found. */
  documents: z.record(z.string(), z.string()),
});
export type TranscribedFile = z.output<typeof transcribedFile>;

/** Hidden, so that notes applications do not show it. */
const listName = '.mitschrift-transcribed.jsonl';

/**
 * Reads the list that `mitschrift transcribe` keeps in the folder it writes to. Lines that a crash cut off
 * are left out.
 * @throws the system's errors
 */
export async function openTranscribedFiles(folder: string): Promise<TranscribedFiles> {
  const path = join(folder, listName);
  const text = await readFile(path, 'utf8').catch(ifMissing(''));
  const bySize = new Map<number, TranscribedFile[]>();
  const keep = (one: TranscribedFile) =>
    bySize.set(one.bytes, [...(bySize.get(one.bytes) ?? []), one]);
  for (const line of text.split('\n')) {
    const parsed = transcribedFile.safeParse(jsonIn(line));
    if (parsed.success) keep(parsed.data);
  }
  return {
    async find(file, formats) {
      const sameSize = bySize.get(file.bytes) ?? [];
      if (sameSize.length === 0) return undefined;
      const hash = await hashFile(file.path);
      for (const one of sameSize.toReversed()) {
        if (one.sha256 !== hash?.sha256) continue;
        if (Object.keys(one.documents).length === 0) return one;
        const paths = formats.map((format) => one.documents[format === 'md' ? 'index' : format]);
        const there = await Promise.all(
          paths.map(async (name) => name !== undefined && (await exists(join(folder, name)))),
        );
        if (there.every(Boolean)) return one;
      }
      return undefined;
    },
    add(file) {
      // After a line that a crash cut off, this begins a new line.
      appendFileSync(
        path,
        `${text.endsWith('\n') || text === '' ? '' : '\n'}${JSON.stringify(file)}\n`,
      );
      keep(file);
    },
  };
}

function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
