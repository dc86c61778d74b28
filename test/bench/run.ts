/**
 * `npm run bench [-- --list | --dist PATH] [name …]`: one table of what ours costs against the bare thing,
 * with aims. A missed aim fails nothing: a busy machine is not a fault. A bench that could not be run does.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { isMet, type Bench, type Measured } from './measure.ts';

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean' }, dist: { type: 'string' } },
});
if (options.dist !== undefined) process.env['BENCH_DIST'] = resolve(options.dist);
const dist = process.env['BENCH_DIST'];

const benches = await allBenches();
if (options.list) list();
else await run(chosen());

function list(): void {
  for (const [name, { about, throughBuild, onlyByName }] of benches) {
    const notes = [...(onlyByName ? ['by name only'] : []), ...(throughBuild ? ['--dist'] : [])];
    console.log(`${name.padEnd(10)} ${about}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`);
  }
}

/** By their names; without any all that are short, and with `--dist` all that can use it. */
function chosen(): [string, Bench][] {
  const unknown = wanted.filter((name) => !benches.has(name));
  if (unknown.length > 0) {
    console.error(
      `No bench is called ${unknown.join(', ')}. There are: ${[...benches.keys()].join(', ')}`,
    );
    process.exit(2);
  }
  const named = [...benches].filter(([name, { onlyByName }]) =>
    wanted.length === 0 ? !onlyByName : wanted.includes(name),
  );
  if (dist === undefined) return named;
  if (!existsSync(join(dist, 'src/cli/mitschrift.js'))) {
    console.error(`${dist} holds no built service (src/cli/mitschrift.js is missing)`);
    process.exit(2);
  }
  const left = named.filter(([, { throughBuild }]) => !throughBuild);
  if (left.length > 0) {
    const names = left.map(([name]) => name).join(', ');
    console.error(`Left out, since they do not go through the built service: ${names}`);
  }
  return named.filter(([, { throughBuild }]) => throughBuild);
}

async function run(some: [string, Bench][]): Promise<void> {
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load ${load()}`);
  if (dist !== undefined) console.log(`Built service: ${dist}`);
  console.log('\n| what | ours | bare | ratio | aim |   |\n|---|---|---|---|---|---|');
  for (const [name, { bench }] of some) {
    const begun = performance.now();
    try {
      for await (const row of bench()) console.log(line(row));
    } catch (error) {
      console.log(`| ${name}: could not be measured | | | | | ✗ |`);
      console.error(error);
      process.exitCode = 1;
    }
    const took = Math.round((performance.now() - begun) / 1000);
    console.error(`${name}: ${took} s, load ${load()}`);
  }
}

function line(row: Measured): string {
  const { what, ours, bare, ratio, aim } = row;
  const met = isMet(row);
  const sign = met === undefined ? ' ' : met ? '✓' : '✗';
  return `| ${what} | ${ours} | ${bare} | ${ratio.toFixed(2)} | ${aim} | ${sign} |`;
}

function load(): string {
  return loadavg()[0]!.toFixed(1);
}

async function allBenches(): Promise<Map<string, Bench>> {
  const ending = '.bench.ts';
  const files = (await readdir(import.meta.dirname)).filter((file) => file.endsWith(ending));
  const loaded = files.toSorted().map(async (file): Promise<[string, Bench]> => {
    const url = pathToFileURL(join(import.meta.dirname, file)).href;
    return [file.slice(0, -ending.length), (await import(url)) as Bench];
  });
  return new Map(await Promise.all(loaded));
}
