/**
 * `npm run debts`: takes what is paid out of the list, and lowers what has become less. Adds nothing, but
 * with `-- --add`, deliberately, all there is.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debtsOf, listPath, type Debts } from './debts.ts';

const now = await debtsOf(join(import.meta.dirname, '../..'));
const listed = JSON.parse(await readFile(listPath, 'utf8')) as Debts;
const less = (kind: 'longFunctions' | 'longFiles') =>
  Object.fromEntries(
    Object.entries(listed[kind]).flatMap(([name, lines]): [string, number][] => {
      const left = now[kind][name];
      return left === undefined ? [] : [[name, Math.min(left, lines)]];
    }),
  );
const names = Object.fromEntries(
  Object.entries(listed.names).flatMap(([name, files]): [string, string[]][] => {
    const left = now.names[name];
    return left === undefined ? [] : [[name, left.length < files.length ? left : files]];
  }),
);
const rest: Debts = process.argv.includes('--add')
  ? now
  : { longFunctions: less('longFunctions'), longFiles: less('longFiles'), names };
await writeFile(listPath, `${JSON.stringify(rest, null, 2)}\n`);
