import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import ts from 'typescript';
import { cpuMicros } from '../support/cpu-time.ts';

/*
 * Every regular expression of the service is fed with runs of what texts of requests and models may hold: its work has to
 * grow as the text does. `/\s+$/` does not: it looks at the rest of a run from each of its characters; `/(?<!\s)\s+$/` does.
 */

/** What runs are made of, besides each expression's own words. */
const units = [
  ...Array.from(' \n\r\t*[^<_aA0.-"`=&%#(:;,/{|。>)\\'),
  ...'ä|\u00A0|a |**|[[|<a|\n |a: |; a|**a| and|"a"|0:|Ab'.split('|'),
];
const beginnings = ['', 'a', '**', '"', '- ', '# ', '\n'];
const endings = ['\u0001', '\n\u2028a'];
const lengths = { short: 400, long: 3_000, longest: 24_000 };
/** Of one text, in microseconds of this process: what is below is not looked at again. */
const noticedMicros = 1_500;

/** Eight times the text takes eight times the work, sixty-four times if it is looked at again from each place. */
const growthMax = 24;

type Parts = readonly [from: string, unit: string, to: string];
const textOf = ([from, unit, to]: Parts, length: number): string =>
  `${from}${unit.repeat(Math.ceil(length / unit.length))}${to}`;

const textsOf = (runs: readonly string[]) =>
  beginnings
    .flatMap((from) => endings.flatMap((to) => runs.map((unit): Parts => [from, unit, to])))
    .map((parts) => ({
      parts,
      short: textOf(parts, lengths.short),
      long: textOf(parts, lengths.long),
    }));
const texts = textsOf(units);

/** What an expression looks for by the letter: a run of how its match begins has many beginnings. */
const ownUnits = ({ source }: RegExp): string[] =>
  Array.from(
    source.matchAll(
      /\(\?[:=!<]*|\\[a-z](?:\{[^}]*\})?|\[(?:\\.|[^\]\\])*\]|((?:[^\\^$.*+?()[\]{}|]|\\\W)+)/giu,
    ),
    ([, literal = '']) => literal.replaceAll(/\\(\W)/gu, '$1'),
  ).filter((literal) => literal.length > 1);

function tooSlow(expression: RegExp): string | undefined {
  const micros = (text: string) => cpuMicros(() => text.replace(expression, ''));
  for (const { parts, short, long } of [...texts, ...textsOf(ownUnits(expression))]) {
    // What is cubic would take minutes for the longer one.
    if (micros(short) < noticedMicros && micros(long) < noticedMicros) continue;
    const least = Math.min(...[1, 2, 3].map(() => micros(long)));
    if (least < noticedMicros / 3) continue;
    if (least > 1_000_000 || micros(textOf(parts, lengths.longest)) / least > growthMax)
      return JSON.stringify(parts);
  }
  return undefined;
}

function* expressionsIn(file: string): Generator<{ place: string; expression: RegExp }> {
  const source = ts.createSourceFile(
    file,
    readFileSync(file, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const nodes: ts.Node[] = [source];
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    ts.forEachChild(node, (child) => void nodes.push(child));
    if (!ts.isRegularExpressionLiteral(node)) continue;
    const text = node.getText();
    const end = text.lastIndexOf('/');
    const flags = new Set(text.slice(end + 1).replace('y', '')).add('g');
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    const expression = new RegExp(text.slice(1, end), [...flags].join(''));
    yield { place: `${file}:${line + 1} ${text}`, expression };
  }
}

const files = ['events', 'machines', 'projections', 'src'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${folder}/${path}`),
);

test('an expression whose work grows faster than the text is noticed', () => {
  assert.notEqual(tooSlow(/\s+$/u), undefined);
  assert.equal(tooSlow(/(?<!\s)\s+$/u), undefined);
  assert.notEqual(tooSlow(/zz[^"]*?!/u), undefined);
  assert.equal(tooSlow(/zz[^"]{0,50}?!/u), undefined);
});

test('the work of each regular expression grows as the text does', () => {
  const found = files.flatMap((file) =>
    [...expressionsIn(file)].flatMap(({ place, expression }) => {
      const run = tooSlow(expression);
      return run === undefined ? [] : [`${place} with ${run}`];
    }),
  );
  assert.deepEqual(found, []);
});
