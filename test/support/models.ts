import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Models of ours, trained on espeak-ng speech alone: no use for human speech. */
export const modelsDir = fileURLToPath(new URL('../fixtures/models', import.meta.url));

/** A copy of a model that a test may damage. @returns the copy's folder. */
export async function copyModel(id: string, target: string): Promise<string> {
  const folder = join(target, id);
  await cp(join(modelsDir, id), folder, { recursive: true });
  return folder;
}

/** Changes fields of a model's `model.json`. */
export async function editManifest(folder: string, changes: object): Promise<void> {
  const path = join(folder, 'model.json');
  const manifest = JSON.parse(await readFile(path, 'utf8')) as object;
  await writeFile(path, JSON.stringify({ ...manifest, ...changes }));
}
