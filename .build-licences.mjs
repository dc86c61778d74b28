/**
 * What `dist/` holds of others: `THIRD-PARTY-LICENSES`, the texts that their licences ask for, and `sbom.cdx.json`, a list of
 * these and of all production packages (CycloneDX 1.6, https://cyclonedx.org/docs/1.6/json/). Both builds call it at their end.
 */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const root = import.meta.dirname;
const parts = ['service', 'web'];
const listOf = (dir, part) => join(dir, `bundled-${part}.json`);

/**
 * Notes which packages a build has put into its files, and writes both documents once both builds have.
 * @param dir the folder `dist` @param part `service` or `web` @param moduleIds paths of all modules in the files
 */
export async function noteBundled(dir, part, moduleIds) {
  const folders = new Set(moduleIds.map(packageFolder).filter((folder) => folder !== undefined));
  await writeFile(listOf(dir, part), JSON.stringify([...folders].toSorted(), null, 2));
  const lists = await Promise.all(
    parts.map(async (one) =>
      JSON.parse(await readFile(listOf(dir, one), 'utf8').catch(() => 'null')),
    ),
  );
  if (lists.includes(null)) return;
  const bundled = await Promise.all([...new Set(lists.flat())].toSorted().map(packageAt));
  await writeFile(join(dir, 'THIRD-PARTY-LICENSES'), await licences(bundled));
  await writeFile(join(dir, 'sbom.cdx.json'), `${JSON.stringify(await sbom(bundled), null, 2)}\n`);
}

/** `node_modules/a/node_modules/@b/c` of a module in it. */
function packageFolder(id) {
  return /^.*(node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/\0?]+)/s
    .exec(id.slice(id.indexOf('node_modules')))?.[0]
    ?.replaceAll('\\', '/');
}

async function packageAt(folder) {
  const read = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
  const { name, version, license, licenses } = read;
  const given = license ?? licenses ?? 'unknown';
  const said = [given].flat().map((one) => (one.type ?? one).replace(/^Apache2$/, 'Apache-2.0'));
  return { folder, name, version, license: said.join(' OR ') };
}

/** Each package with the texts it ships about its licence, and the fonts with theirs. */
async function licences(bundled) {
  const texts = await Promise.all(
    bundled.map(async ({ folder, name, version, license }) => {
      const names = await readdir(join(root, folder));
      const files = names.filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file)).toSorted();
      const found = await Promise.all(
        files.map((file) => readFile(join(root, folder, file), 'utf8').catch(() => '')),
      );
      const text = found.join('\n').trim() || `No text is shipped with it: ${license}.`;
      return `${name} ${version} (${license})\n\n${text}`;
    }),
  );
  const fonts = join(root, 'web/style/fonts');
  for (const file of (await readdir(fonts)).toSorted()) {
    if (!file.endsWith('.txt')) continue;
    texts.push(
      `${file.split('.')[0]} (OFL-1.1)\n\n${(await readFile(join(fonts, file), 'utf8')).trim()}`,
    );
  }
  const head = 'What the files beside this one hold of others, with the texts of their licences.';
  return `${[head, ...texts].join(`\n\n${'-'.repeat(78)}\n\n`)}\n`;
}

async function sbom(bundled) {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const installed = Object.entries(lock.packages).filter(
    ([path, { dev, link }]) => path !== '' && !dev && !link,
  );
  const held = new Set(bundled.map(({ folder }) => folder));
  const others = await Promise.all(
    // What is for another system is listed, and not installed here.
    installed
      .filter(([path]) => !held.has(path))
      .map(([folder, { version, license }]) =>
        packageAt(folder).catch(() => ({
          folder,
          name: folder.replace(/^.*node_modules\//, ''),
          version,
          license: license ?? 'unknown',
        })),
      ),
  );
  const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const components = [...bundled, ...others].map((one) => ({
    type: 'library',
    'bom-ref': `${one.folder}@${one.version}`,
    name: one.name,
    version: one.version,
    purl: `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`,
    licenses: [
      / OR | AND |^\(/.test(one.license)
        ? { expression: one.license }
        : { license: { id: one.license } },
    ],
    properties: [{ name: 'mitschrift:bundled', value: String(held.has(one.folder)) }],
  }));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name, version, 'bom-ref': name } },
    components,
  };
}
