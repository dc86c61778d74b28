/** Puts the present table of settings into README.md: `npm run settings`. */
import { readFile, writeFile } from 'node:fs/promises';
import { replaceSettings } from '../support/readme-settings.ts';

const readme = new URL('../../README.md', import.meta.url);
await writeFile(readme, replaceSettings(await readFile(readme, 'utf8')));
