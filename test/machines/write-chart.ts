/** Puts the present statechart into machines/README.md: `npx tsx test/machines/write-chart.ts` (`npm run chart`). */
import { readFile, writeFile } from 'node:fs/promises';
import { replaceChart } from '../support/readme-chart.ts';

const page = new URL('../../machines/README.md', import.meta.url);
await writeFile(page, replaceChart(await readFile(page, 'utf8')));
