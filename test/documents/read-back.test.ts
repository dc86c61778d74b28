import { parse } from 'yaml';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SummaryLine } from '../../events/facts/transcript.ts';
import type { DocumentsInput } from '../../src/documents/documents.ts';
import { renderDocuments } from '../../src/documents/render.ts';
import { blocksOf, seenOf, typesIn } from '../support/markdown-parser.ts';
import { fc } from '../support/properties.ts';

const runs = process.env['MITSCHRIFT_LONG'] === '1' ? 10_000 : 400;

/** What a reader would see of a text: no breaks, no controls, spaces as one. */
const visible = (text: string): string =>
  text
    .replace(/[\s\u0085]+/gu, ' ')
    .replace(/\p{Cc}/gu, '')
    .replace(/\p{Cs}/gu, '\uFFFD')
    .replace(/ +/gu, ' ')
    .trim();

const snippets = [
  [
    'Anna',
    'Müller',
    'עדה',
    'أحمد',
    '李雷',
    '👩‍🔧',
    '\u202Eabc',
    '“A”',
    '„B“',
    "O'Neill",
    '`x`',
    '**b**',
  ],
  [
    '[[x]]',
    '[[a|b]]',
    '![[y]]',
    '[a](b)',
    '# ',
    '- ',
    '+ ',
    '1. ',
    '---',
    '===',
    '> ',
    '<b>',
    '&amp;',
  ],
  [
    '%%',
    '==',
    '```',
    '~~',
    '$x$',
    '^t-1',
    '\\',
    '|',
    '*',
    '_',
    ': ',
    '"',
    "'",
    '[ ]',
    '[x] ',
    '#tag',
  ],
  [
    'no',
    'null',
    '12:30',
    '!!x',
    '@',
    '&a',
    '{a: 1}',
    '\n',
    '\r\n',
    '\u2028',
    '\t',
    '    ',
    '\uD800',
    '\0',
  ],
].flat();
const nasty = fc
  .array(fc.oneof(fc.constantFrom(...snippets), fc.string({ unit: 'grapheme', maxLength: 5 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''))
  .filter((text) => visible(text) !== '');

const kinds = ['decision', 'task', 'open', 'point'] as const;

test('names and texts come out of the documents as they were typed, and break nothing', () => {
  fc.assert(
    fc.property(
      fc.tuple(nasty, nasty),
      nasty,
      fc.array(nasty, { minLength: 4, maxLength: 4 }),
      fc.boolean(),
      (names, title, texts, links) => {
        const { index, transcript, summary } = renderDocuments(inputOf(names, title, texts, links));
        const shown = names.map(visible);

        const [, front = ''] = /^---\n(.*?)\n---\n/su.exec(index) ?? [];
        const properties = parse(front, { version: '1.1' }) as Record<string, unknown>;
        const people = [...new Set(shown)];
        const isShown = (seen: string, name: string) =>
          seen === name || (links && seen === `[[${name}]]`);
        const inFront = (properties['speakers'] as string[]).map(visible);
        assert.equal(inFront.length, people.length);
        assert.ok(
          people.every((name, at) => isShown(inFront[at]!, name)),
          inFront.join('\n'),
        );
        assert.equal(visible(String(properties['title'])), visible(title));

        const turns = blocksOf(transcript).slice(2);
        assert.equal(turns.length, texts.length);
        for (const [at, turn] of turns.entries()) {
          assert.equal(turn.type, 'paragraph');
          const name = shown[at % 2]!;
          const bold = turn.tokens!.find(({ type }) => type === 'strong')!;
          assert.equal(visible(seenOf(bold)), name);
          const said = `${name} [00:00:0${at}] ${visible(texts[at]!)} ^t-000${at + 1}`;
          assert.equal(visible(seenOf(turn)), said);
        }

        const sections = blocksOf(summary).slice(2);
        assert.deepEqual(
          sections.map(({ type }) => type),
          kinds.flatMap(() => ['heading', 'list']),
        );
        for (const [at, kind] of kinds.entries()) {
          const [item, ...others] = sections[2 * at + 1]!.items!;
          assert.deepEqual(others, []);
          assert.equal(item!.task ?? false, kind === 'task');
          const foreign = typesIn(item!).filter((type) => !plain.has(type));
          assert.deepEqual(foreign, [], item!.raw);
          const link = `[[Base/transkript#^t-000${at + 1}|00:00:0${at}]]`;
          const said = visible(`${shown[at % 2]!}: ${visible(texts[at]!)}`);
          assert.equal(visible(seenOf(item!)), `${said} ${link}`);
        }

        const times = blocksOf(index).at(-1)!;
        const seen = times.items!.map((item) =>
          visible(seenOf(item)).replace(/: 00:00:0\d \(\d+%\)$/u, ''),
        );
        assert.equal(seen.length, people.length);
        assert.ok(
          people.every((name, at) => isShown(seen[at]!, name)),
          seen.join('\n'),
        );
      },
    ),
    { numRuns: runs },
  );
});

/** Addresses are links by themselves, in Obsidian too; they show what was typed. */
const plain = new Set(['text', 'escape', 'link', 'checkbox']);

function inputOf(
  names: readonly string[],
  title: string,
  texts: readonly string[],
  links: boolean,
): DocumentsInput {
  const labels = ['SPEAKER_00', 'SPEAKER_01'];
  return {
    recordingId: '01KAJ0V6M8ZQ4T7C2N5R9XWEHB',
    base: 'Base',
    title,
    source: null,
    aliases: [],
    kind: 'meeting',
    language: 'en',
    duration: 9,
    localStart: '2026-11-21T09:05:31Z',
    uiLanguage: 'en',
    times: true,
    links,
    speakers: labels.map((label, at) => ({ label, name: names[at]!, seconds: at + 1 })),
    blocks: texts.map((text, at) => ({
      id: `t-000${at + 1}`,
      speaker: labels[at % 2]!,
      start: at,
      end: at + 1,
      text,
      words: [],
    })),
    summary: '',
    sidenotes: [],
    interruptions: [],
    lines: texts.map((text, at): SummaryLine => ({
      kind: kinds[at]!,
      text,
      speaker: labels[at % 2]!,
      person: null,
      due: null,
      block: `t-000${at + 1}`,
    })),
    abstract: '',
    notes: [],
  };
}
