/** Puts the present statechart into README.md: `npx tsx test/machines/write-chart.ts` (`npm run chart`). */
import { readFile, writeFile } from 'node:fs/promises';
import { replaceChart } from '../support/readme-chart.ts';

const readme = new URL('../../README.md', import.meta.url);
await writeFile(readme, replaceChart(await readFile(readme, 'utf8')));
