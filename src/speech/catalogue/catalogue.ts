import * as z from 'zod';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../shared/files.ts';
import { insidePath, manifestSchema } from '../local/local-models.ts';
import bundled from './catalogue.json' with { type: 'json' };

/** Where the files of a model are fetched from. */
const sourceSchema = z.union([
  /** One file with all others in it: `.tar.bz2`, `.tar.gz` or `.tar`; its single top folder is dropped. */
  z.strictObject({ archive: z.url({ protocol: /^https?$/ }).max(2000) }),
  /** An address with a slash at its end, to which the name of each file is added. */
  z.strictObject({
    base: z
      .url({ protocol: /^https?$/ })
      .regex(/\/$/, 'must end with /')
      .max(2000),
  }),
]);

const entrySchema = manifestSchema.omit({ files: true }).extend({
  /** What is good about it, in a sentence, of a house's own entry; of ours the catalogue of words says it. */
  about: z.string().max(300).optional(),
  /** Bytes on the disk, about. */
  size: z.number().int().positive(),
  /** Memory and cores that a machine should have, to be recommended for it. */
  memory_gb: z.number().positive(),
  cores: z.number().int().positive(),
  /** The higher one is recommended where both fit. */
  rank: z.number(),
  /** Id of a model that it needs beside it, if none of that purpose is installed. */
  companion: z.string().optional(),
  /** What is taken of a source. Checksums only where their publisher names them. */
  files: z.record(
    insidePath,
    z.strictObject({
      size: z.number().int().positive().optional(),
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .optional(),
    }),
  ),
  /** Tried in order. */
  sources: z.array(sourceSchema).min(1).max(10),
});
/** A model that can be installed: a `model.json` without its checksums, and where its files are. */
export type CatalogueEntry = z.infer<typeof entrySchema>;
export type ModelSource = z.infer<typeof sourceSchema>;

/** A file of a model, to be fetched by a person where the server has no internet. */
export type ModelDownload = { url: string; size: number | null; sha256: string | null };

/** What a person fetches to have a model: the files of its first source, and what their publisher says of them. */
export function downloadsOf({ sources: [source], files }: CatalogueEntry): ModelDownload[] {
  if (!source) return [];
  if ('archive' in source) return [{ url: source.archive, size: null, sha256: null }];
  return Object.entries(files).map(([name, { size = null, sha256 = null }]) => ({
    url: new URL(name, source.base).href,
    size,
    sha256,
  }));
}

export type Catalogue = {
  entries: readonly CatalogueEntry[];
  /** Own entries that cannot be used, and why, in a sentence. */
  broken: readonly { file: string; problem: string }[];
};

/** Own entries that are read. */
const ownMax = 200;

/**
 * The models that can be installed: those of this release, and a house's own, `<id>.json` in `folder`
 * (read at each call, the same schema), which replace ours of the same id.
 */
export async function readCatalogue(folder: string): Promise<Catalogue> {
  const entries = new Map(ours().map((entry) => [entry.id, entry]));
  const broken: { file: string; problem: string }[] = [];
  const names = await readdir(folder).catch(ifMissing<string[]>([]));
  const own = names.filter((name) => name.endsWith('.json')).toSorted();
  for (const name of own.slice(0, ownMax)) {
    const file = join(folder, name);
    try {
      const entry = entrySchema.parse(JSON.parse(await readFile(file, 'utf8')));
      if (`${entry.id}.json` !== name) {
        throw new Error(`its id is ${entry.id}, so its name has to be ${entry.id}.json`);
      }
      entries.set(entry.id, entry);
    } catch (error) {
      broken.push({ file, problem: problemOf(error) });
    }
  }
  return { entries: [...entries.values()], broken };
}

/** The entries of this release. */
export const ours = (): CatalogueEntry[] => z.array(entrySchema).parse(bundled.models);

/** Installed recognisers, the one that the catalogue ranks highest first; those that it does not know come last. */
export function preferred<T extends { id: string }>(models: readonly T[]): T[] {
  const ranks = new Map(bundled.models.map(({ id, rank }) => [id, rank]));
  return models.toSorted((a, b) => (ranks.get(b.id) ?? 0) - (ranks.get(a.id) ?? 0));
}

function problemOf(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error).replaceAll(/\s+/g, ' ');
  return error instanceof Error ? error.message : String(error);
}
