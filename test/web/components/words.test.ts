import './dom.ts';
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { type AST, parse } from 'svelte/compiler';

const web = join(import.meta.dirname, '../../../web');

type Text = string | { input?: unknown } | Record<string, unknown>;
// Loaded here, not imported: they look for the document that `dom.ts` makes.
const { languages } = await import('../../../web/words/i18n.ts');
const english = await loaded(
  import.meta.glob<{ words: { base: Record<string, Text> } }>('../../../web/**/words.ts'),
);
const translated = await loaded(
  import.meta.glob<{ default: Record<string, Text> }>('../../../web/**/words.*.ts'),
);

test('every word there is in English is there in every other language, with the same parameters', () => {
  const folders = Object.keys(english);
  assert.ok(folders.length >= 9, folders.join(' '));
  const others = languages.filter((code) => code !== 'en');
  assert.ok(others.includes('de'), others.join(' '));
  for (const [path, code] of folders.flatMap((one) =>
    others.map((other) => [one, other] as const),
  )) {
    const theirs = translated[path.replace('.ts', `.${code}.ts`)]?.default;
    assert.ok(theirs !== undefined, `${path} has no words.${code}.ts beside it`);
    const ours = english[path]!.words.base;
    assert.deepEqual(Object.keys(theirs).toSorted(), Object.keys(ours).toSorted(), path);
    for (const [key, text] of Object.entries(ours)) {
      const where = `${path}: ${key}`;
      assert.deepEqual(parametersOf(theirs[key]!), parametersOf(text), where);
      assert.notEqual(JSON.stringify(theirs[key]).length, 2, where);
    }
  }
});

test('no page holds a text of its own: all stand in words.ts', async () => {
  const names = await readdir(web, { recursive: true });
  const found: string[] = [];
  for (const name of names.filter((each) => each.endsWith('.svelte'))) {
    const path = join(web, name);
    const { fragment } = parse(await readFile(path, 'utf8'), { modern: true });
    found.push(...textsIn(fragment).map((text) => `${relative(web, path)}: ${text}`));
  }
  assert.deepEqual(found, []);
});

test('the check notices a text in markup and in an attribute, and lets names and keys pass', () => {
  const texts = (source: string) => textsIn(parse(source, { modern: true }).fragment);
  assert.deepEqual(texts('<p>Hello</p>'), ['Hello']);
  assert.deepEqual(texts('{#if a}<input placeholder="Your name" />{/if}'), ['Your name']);
  assert.deepEqual(
    texts('<b>Mitschrift</b> <kbd>Ctrl K</kbd> <code>npm start</code> · {word}'),
    [],
  );
});

async function loaded<Module>(
  modules: Record<string, () => Promise<Module>>,
): Promise<Record<string, Module>> {
  const entries = Object.entries(modules).map(
    async ([path, load]) => [path, await load()] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** Names of parameters in a text, or in each form of a count. */
function parametersOf(text: Text): string[] {
  const whole =
    typeof text === 'string' ? text : JSON.stringify('input' in text ? text.input : text);
  return [...new Set(Array.from(whole.matchAll(/\{(\w+)\}/g), ([, name]) => name!))].toSorted();
}

const spoken = new Set(['aria-label', 'title', 'alt', 'placeholder', 'aria-description', 'label']);
/** The product's name, and what is the same in all languages. */
const names = /^(?:Mitschrift|Deutsch|English|Markdown|Word|ms|kB|MB|GB|https?:\/\/\S+|[\d\W_]+)$/;

function textsIn(fragment: AST.Fragment): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    const { type, name, data } = node as { type?: string; name?: string; data?: string };
    // What a machine is asked is the same in all languages.
    if (type === 'RegularElement' && /^(?:kbd|code|pre)$/.test(name!)) return;
    if (type === 'RegularElement' && classOf(node).includes('cmd')) return;
    if (type === 'Attribute' && !spoken.has(name!)) return;
    if (
      type === 'Text' &&
      !data!
        .trim()
        .split(/\s*·\s*/)
        .every((part) => names.test(part) || part === '')
    ) {
      found.push(data!.trim());
    }
    for (const [key, value] of Object.entries(node)) {
      if (key !== 'expression' && key !== 'parent') visit(value);
    }
  };
  visit(fragment);
  return found;
}

function classOf(node: object): string {
  const { attributes } = node as { attributes: { name?: string; value?: unknown }[] };
  return JSON.stringify(attributes.find(({ name }) => name === 'class')?.value ?? '');
}
