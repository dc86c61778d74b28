/** Puts the present statechart into machines/statechart.md and its layout into machines/chart-layout.json: `npx tsx test/machines/write-chart.ts` (`npm run chart`). */
import { readFile, writeFile } from 'node:fs/promises';
import { chartJson } from '../../machines/chart.ts';
import { replaceChart } from '../support/statechart-page.ts';
import { layOut, layoutText } from './chart-layout.ts';

const page = new URL('../../machines/statechart.md', import.meta.url);
await writeFile(page, replaceChart(await readFile(page, 'utf8')));

const layout = new URL('../../machines/chart-layout.json', import.meta.url);
await writeFile(layout, layoutText(await layOut(chartJson())));
