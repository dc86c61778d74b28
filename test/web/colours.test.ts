import axe from 'axe-core';
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

/** WCAG 2.2, 1.4.3 and 1.4.11. */
const least = { text: 4.5, control: 3 } as const;
const themes = ['light', 'dark'] as const;
type Theme = (typeof themes)[number];
type Pair = { where: string; front: string; ground: string; of: keyof typeof least };

const web = join(import.meta.dirname, '../../web');
const ofComponents = (await readdir(web, { recursive: true }))
  .filter((name) => name.endsWith('.svelte'))
  .map(async (name) => /<style>(.*)<\/style>/s.exec(await readFile(join(web, name), 'utf8'))?.[1]);
/** All rules there are. */
const sheet = [
  await readFile(join(web, 'style/mitschrift.css'), 'utf8'),
  ...(await Promise.all(ofComponents)),
].join('\n');

/** What is set on more than one ground, which no rule alone says. */
const grounds = ['--paper', '--surface', '--sunken'];
const speakers = Array.from({ length: 8 }, (_, at) => `--s${at + 1}`);
const texts = ['--ink', '--soft', '--accent', '--accent-ink', '--bad-ink', '--warn-ink'];
const onWash = ['--accent-wash', '--bad-wash', '--warn-wash', '--ins-wash'];

test('colours of text and of controls stand out from every ground they are on, in both themes', () => {
  const named: Pair[] = [
    ...crossed(texts, grounds, 'text'),
    ...crossed(['--ink'], onWash, 'text'),
    // Names of speakers stand on the page and on cards; on what is sunken there are only marks and lanes.
    ...crossed(speakers, ['--paper', '--surface'], 'text'),
    ...crossed(['--edge', '--accent', '--rec', ...speakers], grounds, 'control'),
  ];
  const together = pairsOfRules(sheet);
  assert.ok(together.length > 40, `only ${together.length} rules set both colours`);
  assert.deepEqual(faultsOf(sheet, [...named, ...together]), []);
});

test('the check notices a colour that is too faint, in one theme alone', () => {
  const faint = sheet.replace(/--soft: light-dark\([^;]+;/, '--soft: light-dark(#999, #fff);');
  const faults = faultsOf(faint, crossed(['--soft'], ['--paper'], 'text'));
  assert.equal(faults.length, 1);
  assert.match(faults[0]!, /^light: --soft on --paper 2\.6/);
  const rule = '.a { color: #777; background: white; }';
  assert.deepEqual(faultsOf(sheet, pairsOfRules(rule)), ['light: .a 4.48', 'dark: .a 4.48']);
  assert.throws(() => faultsOf(sheet, crossed(['--nowhere'], ['--paper'], 'text')), /--nowhere/);
});

const crossed = (fronts: string[], backs: string[], of: keyof typeof least): Pair[] =>
  fronts.flatMap((front) =>
    backs.map((ground) => ({ where: `${front} on ${ground}`, front, ground, of })),
  );

/** Rules that set the colour of a text together with its ground. The speaker's own colour is each of eight. */
function pairsOfRules(css: string): Pair[] {
  const rules = css.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/([^{}]+)\{([^{}]*)\}/g);
  return Array.from(rules).flatMap(([, selector, body]) => {
    const front = /(?:^|[;\s])color:\s*([^;]+);/.exec(body!)?.[1];
    const ground = /(?:^|[;\s])background(?:-color)?:\s*([^;]+);/.exec(body!)?.[1];
    if (
      front === undefined ||
      ground === undefined ||
      /inherit|none|transparent/.test(front + ground)
    )
      return [];
    const where = selector!.trim().replaceAll(/\s+/g, ' ');
    const each = ground === 'var(--c)' ? speakers.map((name) => `var(${name})`) : [ground];
    return each.map((one) => ({ where, front, ground: one, of: 'text' as const }));
  });
}

function faultsOf(css: string, pairs: readonly Pair[]): string[] {
  return themes.flatMap((theme) =>
    pairs.flatMap(({ where, front, ground, of }) => {
      const contrast = contrastOf(colourOf(css, front, theme), colourOf(css, ground, theme));
      return contrast < least[of] ? [`${theme}: ${where} ${contrast.toFixed(2)}`] : [];
    }),
  );
}

/** As the browser computes it: tokens and `light-dark()` resolved. @throws when there is no such token */
function colourOf(css: string, value: string, theme: Theme): string {
  const name = /^(?:var\()?(--[\w-]+)\)?$/.exec(value.trim())?.[1];
  if (name !== undefined) {
    const found = new RegExp(`^\\s*${name}:\\s*([^;]+);`, 'm').exec(css)?.[1];
    assert.ok(found !== undefined, `there is no ${name}`);
    return colourOf(css, found, theme);
  }
  const both = /^light-dark\((.+\)|[^,]+),\s*(.+)\)$/.exec(value.trim());
  return both === null ? value.trim() : colourOf(css, both[theme === 'light' ? 1 : 2]!, theme);
}

type Colour = { parseString(text: string): void };
type ColourTools = {
  Color: new (red: number, green: number, blue: number) => Colour;
  getContrast(ground: Colour, front: Colour): number;
};

/** From sRGB, as axe-core computes it in the browser. */
function contrastOf(front: string, ground: string): number {
  const { Color, getContrast } = (axe.commons as unknown as { color: ColourTools }).color;
  const [text, back] = [front, ground].map((colour) => {
    const parsed = new Color(0, 0, 0);
    parsed.parseString(colour);
    return parsed;
  });
  return getContrast(back!, text!);
}
