import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { getHeapSnapshot } from 'node:v8';
import { wordIndex } from '../../src/search/word-index.ts';
import { eventually } from '../support/eventually.ts';
import { fc } from '../support/properties.ts';

const all = 1000;
const nothing = { title: '', speakers: '', text: '', summary: '' };

test('whatever is put in, put in again and removed, exactly the transcripts with all words are found', () => {
  const word = fc.constantFrom('rad', 'rat', 'radar', 'radio', 'tor', 'tore', 'leiter', 'leitung');
  const words = fc.array(word, { maxLength: 6 }).map((some) => some.join(' '));
  const transcript = fc.record({ title: words, speakers: words, text: words, summary: words });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.nat(7), transcript) },
    { weight: 1, arbitrary: fc.tuple(fc.nat(7), fc.constant(null)) },
  );
  const question = fc.array(word, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), question, (steps, asked) => {
      const index = wordIndex();
      const texts = new Map<string, Set<string>>();
      for (const [id, put] of steps) {
        if (put === null) {
          index.remove(`r${id}`);
          texts.delete(`r${id}`);
        } else {
          index.put({ id: `r${id}`, ...put });
          const said = Object.values(put).join(' ').split(' ');
          texts.set(`r${id}`, new Set(said.filter((one) => one !== '')));
        }
      }
      const holding = (fits: (said: string, wanted: string, last: boolean) => boolean) =>
        [...texts]
          .filter(([, said]) =>
            asked.every((one, at) =>
              [...said].some((other) => fits(other, one, at === asked.length - 1)),
            ),
          )
          .map(([id]) => id)
          .toSorted();
      // All of these are long enough to be the beginning of a word wherever they stand.
      const expected = holding((said, wanted) => said.startsWith(wanted));
      const found = index.find(asked, all);
      if (expected.length > 0) assert.deepEqual(found.map(({ id }) => id).toSorted(), expected);
      for (const { id, words: meant } of found) {
        assert.ok(meant.length > 0 && meant.every((one) => texts.get(id)!.has(one)), id);
      }
      const size = [...texts.values()].reduce((sum, said) => sum + said.size, 0);
      assert.equal(index.size, size);
    }),
  );
});

test('a title counts more than what is said, often more than once, the very word more than a longer one', () => {
  const index = wordIndex();
  const filler = 'und dann noch etwas anderes';
  index.put({ ...nothing, id: 'said', text: `Haushalt ${filler}` });
  index.put({ ...nothing, id: 'named', title: 'Haushalt', text: filler });
  index.put({ ...nothing, id: 'often', text: `Haushalt Haushalt ${filler}` });
  index.put({ ...nothing, id: 'longer', text: `Haus und Gartenzaun ${filler}` });
  index.put({ ...nothing, id: 'very', text: `Haus und Garten ${filler}` });
  const order = (...words: string[]) => index.find(words, all).map(({ id }) => id);
  assert.deepEqual(order('haushalt'), ['named', 'often', 'said']);
  assert.deepEqual(order('garten'), ['very', 'longer']);
  assert.deepEqual(index.find(['haushalt'], 2).length, 2);
});

test('an index holds no texts, and soon nothing of what was removed', async () => {
  const index = wordIndex();
  /** Made each time: a text that is kept here, or is in a source, is in the heap whatever the index does. */
  const word = (letter: string) => letter.repeat(40) + process.pid;
  const put = (id: string, ...letters: string[]) =>
    index.put({ ...nothing, id, text: `${letters.map(word).join(' ')} ${id}` });
  put('r1', 'b', 'g');
  put('r2', 'g', 'h');
  put('r1', 'b', 'k');
  index.remove('r2');
  assert.deepEqual(index.find([word('g')], all), []);
  await eventually('what was removed has left', async () => {
    const held = await heap();
    // Of what is there the words alone: V8 keeps a longer part of a text as a place in that text.
    assert.ok(held.includes(word('b')) && !held.includes(`${word('b')} `));
    return !held.includes(word('g')) && !held.includes(word('h'));
  });
  assert.deepEqual(
    index.find([word('k')], all).map(({ id }) => id),
    ['r1'],
  );
});

async function heap(): Promise<string> {
  // V8 keeps the text that a regular expression was last used on.
  assert.match('another', /other/);
  return await text(getHeapSnapshot());
}
