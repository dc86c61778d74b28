import { ulid } from 'ulid';
import * as z from 'zod';
import { foldName } from '../../../projections/library.ts';
import type { KnownWord } from '../../../projections/known-words.ts';
import { deleteInOrder } from '../../../projections/personal.ts';
import {
  changeWord,
  createWord,
  importWords,
  wordLimits,
  wordsMax,
  wordsMaxOf,
} from '../../../projections/words.ts';
import { heardAs, lineFaults, readWords, wordLinesMax } from '../../order/read-words.ts';
import { wrong } from '../../shared/in-words.ts';
import { fieldFault } from '../../words/field-faults.ts';
import { nameSchema, orderIdSchema } from '../body.ts';
import * as answers from '../openapi/order-answers.ts';
import { assertLedTo } from '../made.ts';
import { invalid } from '../problems.ts';
import { routesOf } from '../route.ts';
import type { HttpServices } from '../services.ts';
import { type AskedOf, changedOf, listOf, createdOf, ofSchema } from '../whose.ts';

const { termMax, heardMax } = wordLimits;

const term = nameSchema
  .refine((text) => text !== '', wrong('field-empty'))
  .pipe(z.string().max(termMax));
const folder = orderIdSchema
  .nullable()
  .default(null)
  .describe('id of the folder whose recordings it is for; null: all. Words of the house: null');

/** A word as people write it. */
const wordSchema = z
  .strictObject({
    write: term.describe('how it is written'),
    heard: z
      .array(term)
      .max(heardMax)
      .default([])
      .describe('as what it was misheard: whole words, without regard to case and accents'),
    folder,
  })
  .transform((word) => ({ ...word, heard: heardAs(word.write, word.heard) }));

const importSchema = z.strictObject({
  text: z
    .string()
    .refine((text) => text.split('\n').length <= wordLinesMax, {
      error: wrong('too-many-lines', { count: wordLinesMax }),
    })
    .describe(`lines \`write = heard, heard\` or \`write\`, at most ${wordLinesMax}`),
  folder,
});

const route = routesOf({ tag: 'Order' });

/** How names and terms are written, and as what they were misheard. */
export const wordRoutes = [
  route('get', '/words', {
    id: 'listWords',
    summary: 'Names and terms of the caller, or of the house: how they are written',
    description:
      'Speech recognition and summaries spell them so, where they can; as what they were misheard is replaced in new ' +
      'transcripts. In a recording count those of its folder, the caller’s and those of the house.',
    query: ofSchema,
    answers: {
      200: {
        description: 'All of them, that saved last first.',
        json: z.object({
          words: z.array(answers.word),
          max: z.int().describe('how many there can be'),
        }),
      },
    },
    async run({ query, caller }, { order }) {
      const listed = listOf(query, caller);
      const { words } = await order.of(listed);
      return { words: [...words.values()].toReversed().map(shown), max: wordsMaxOf(listed) };
    },
  }),
  route('post', '/words', {
    id: 'createWord',
    summary: `Adds a word, one of at most ${wordsMax.user}; of the house ${wordsMax.house}`,
    query: ofSchema,
    body: { json: wordSchema },
    answers: { 201: { description: 'The word.', json: answers.word } },
    problems: ['name-taken', 'too-many-names', 'not-admin'],
    command: true,
    async run(asked, services) {
      await assertFolder(asked, services);
      const id = await createdOf(asked, services, (one) => createWord(one, asked.body));
      return await wordAfter(asked, services, id);
    },
  }),
  route('put', '/words/{id}', {
    id: 'changeWord',
    summary: 'Changes a word, for what is transcribed from now on',
    query: ofSchema,
    body: { json: wordSchema },
    answers: { 200: { description: 'The word as it is now.', json: answers.word } },
    problems: ['name-taken', 'not-admin'],
    command: true,
    async run(asked, services) {
      await assertFolder(asked, services);
      await changedOf(asked, services, changeWord(asked.params.id, asked.body));
      return await wordAfter(asked, services, asked.params.id);
    },
  }),
  route('delete', '/words/{id}', {
    id: 'deleteWord',
    summary: 'Deletes a word; what it replaced stays',
    query: ofSchema,
    answers: { 204: { description: 'It is gone.' } },
    problems: ['not-admin'],
    command: true,
    async run(asked, services) {
      await changedOf(asked, services, deleteInOrder('words', asked.params.id));
    },
  }),
  route('post', '/words/import', {
    id: 'importWords',
    summary: 'Adds many words, all or none',
    description:
      'What is written the same way, without regard to case, is one word: it gets what it was not misheard as before. ' +
      'Empty lines and lines that begin with `#` say nothing; lines that cannot be read are left out and named.',
    query: ofSchema,
    body: { json: importSchema },
    answers: {
      200: {
        description: 'What became of the lines.',
        json: z.object({
          saved: z.int().describe('words that are new, or were changed'),
          unchanged: z.int().describe('words that were there as they are given'),
          refused: z.array(
            z.object({
              line: z.int().describe('from 1'),
              text: z.string().describe('what it begins with'),
              reason: z.enum(lineFaults),
            }),
          ),
        }),
      },
    },
    problems: ['too-many-names', 'not-admin'],
    command: true,
    async run(asked, services) {
      await assertFolder(asked, services);
      const { words, refused } = readWords(asked.body.text, asked.body.folder);
      const facts = await changedOf(asked, services, importWords(words, ulid));
      await assertImported(asked, services, facts, words);
      return { saved: facts.length, unchanged: words.length - facts.length, refused };
    },
  }),
];

const shown = ({ savedAt, ...word }: KnownWord) => ({ ...word, saved_at: savedAt });

async function wordAfter({ query, caller }: AskedOf, { order }: HttpServices, id: string) {
  const { words } = await order.of(listOf(query, caller));
  const word = words.get(id);
  return word && shown(word);
}

/** @throws {Problem} `key-used-differently`: the command saved other words, or led to anything else */
async function assertImported(
  { query, caller, body }: AskedOf & { body: { folder: string | null } },
  services: HttpServices,
  facts: Awaited<ReturnType<typeof changedOf>>,
  words: ReturnType<typeof readWords>['words'],
): Promise<void> {
  const written = new Set(words.map(({ write }) => foldName(write)));
  await assertLedTo(services, listOf(query, caller), facts, (stored) =>
    stored.every(
      (fact) =>
        fact.type === 'word.saved' &&
        fact.data.folder === body.folder &&
        fact.content !== undefined &&
        written.has(foldName(fact.content.write)),
    ),
  );
}

/** @throws {Problem} 422: it is none of the caller's folders; the house has none */
async function assertFolder(
  { query, caller, body: { folder } }: AskedOf & { body: { folder: string | null } },
  { order }: HttpServices,
): Promise<void> {
  if (folder === null) return;
  const { folders } = await order.of(listOf(query, caller));
  if (!folders.has(folder))
    throw invalid([{ path: 'folder', fault: fieldFault('not-your-folder') }]);
}
