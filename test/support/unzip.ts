import { createRequire } from 'node:module';

/** What the `docx` package is built on; reads what it and we write. */
type Zip = { files: Record<string, { dir: boolean; async(type: 'string'): Promise<string> }> };
const docxRequire = createRequire(createRequire(import.meta.url).resolve('docx'));
const { loadAsync } = docxRequire('jszip') as { loadAsync(bytes: Buffer): Promise<Zip> };

/** The files in a zip file, by their paths, as text. */
export async function unzip(bytes: Buffer): Promise<Map<string, string>> {
  const { files } = await loadAsync(bytes);
  const texts = new Map<string, string>();
  for (const [name, file] of Object.entries(files)) {
    if (!file.dir) texts.set(name, await file.async('string'));
  }
  return texts;
}
