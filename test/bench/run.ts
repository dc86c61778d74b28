/**
 * `npm run bench [name …]`: ratios against the raw limit, each measured in one run on this machine.
 * Nothing here fails a build: a busy machine is not a fault. `BENCH_FACTS` changes the size of the log.
 */
import { readdir } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Measured } from './measure.ts';

const wanted = process.argv.slice(2);
/** Takes an hour. */
const onlyByName = 'soak';
const files = (await readdir(import.meta.dirname))
  .filter((name) => name.endsWith('.bench.ts'))
  .filter((name) =>
    wanted.length === 0
      ? !name.startsWith(onlyByName)
      : wanted.some((part) => name.startsWith(part)),
  )
  .toSorted();

console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}\n`);
console.log('| what | ours | bare | ratio | aim |\n|---|---|---|---|---|');
for (const file of files) {
  const bench = (await import(pathToFileURL(join(import.meta.dirname, file)).href)) as {
    bench(): AsyncIterable<Measured>;
  };
  for await (const { what, ours, bare, ratio, aim } of bench.bench()) {
    console.log(`| ${what} | ${ours} | ${bare} | ${ratio.toFixed(2)} | ${aim} |`);
  }
}
