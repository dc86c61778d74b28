/** Puts the present table of settings into src/config/settings.md: `npm run settings`. */
import { readFile, writeFile } from 'node:fs/promises';
import { replaceSettings } from '../support/readme-settings.ts';

const page = new URL('../../src/config/settings.md', import.meta.url);
await writeFile(page, replaceSettings(await readFile(page, 'utf8')));
