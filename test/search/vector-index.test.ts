import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asBytes, vectorIndex } from '../../src/search/vector-index.ts';
import { cloud } from '../support/cloud.ts';
import { seeded, seeds } from '../support/seeded.ts';

const dimensions = 96;
const perRecording = 40;

for (const seed of seeds({ short: 1, long: 5 })) {
  test(`the nearest of many passages are found by signs and bytes, as by all numbers (SEED=${seed})`, async () => {
    const random = seeded(seed);
    const point = cloud(random, dimensions);
    const index = vectorIndex(dimensions);
    const all: { id: string; passage: number; vector: Float32Array }[] = [];
    for (let recording = 0; recording < 250; recording += 1) {
      const id = `r${recording}`;
      const vectors = Array.from({ length: perRecording }, () => point());
      const bytes = new Int8Array(perRecording * dimensions);
      for (const [passage, vector] of vectors.entries()) {
        bytes.set(asBytes(vector), passage * dimensions);
        all.push({ id, passage, vector });
      }
      index.put(id, bytes);
    }
    const question = point();
    const fits = (id: string) => !id.endsWith('7');
    for (const narrowed of [undefined, fits]) {
      const wanted = all
        .filter(({ id }) => narrowed?.(id) ?? true)
        .map(({ id, passage, vector }) => ({
          key: `${id}/${passage}`,
          score: vector.reduce((sum, one, at) => sum + one * question[at]!, 0),
        }))
        .toSorted((one, other) => other.score - one.score)
        .slice(0, 20);
      const found = await index.nearest(question, 20, narrowed);
      const keys = new Set(found.map(({ id, passage }) => `${id}/${passage}`));
      const share = wanted.filter(({ key }) => keys.has(key)).length / wanted.length;
      assert.ok(share >= 0.85, `${share} of the best 20`);
      assert.ok(Math.abs(found[0]!.score - wanted[0]!.score) < 0.02);
      assert.deepEqual(
        found.map(({ score }) => score),
        found.map(({ score }) => score).toSorted((one, other) => other - one),
      );
    }
  });
}

test('what is taken out is not found, and its room is used again', async () => {
  const point = cloud(seeded(1), dimensions);
  const index = vectorIndex(dimensions);
  const one = point();
  index.put('a', asBytes(one));
  index.put('b', asBytes(point()));
  const { bytes } = index;
  assert.equal((await index.nearest(one, 1))[0]?.id, 'a');
  index.remove('a');
  index.remove('a');
  assert.deepEqual(
    (await index.nearest(one, 9)).map(({ id }) => id),
    ['b'],
  );
  for (let again = 0; again < 10_000; again += 1) index.put('c', asBytes(one));
  assert.equal(index.bytes, bytes);
  assert.deepEqual(
    (await index.nearest(one, 9)).map(({ id }) => id),
    ['c', 'b'],
  );
  assert.deepEqual(await index.nearest(new Float32Array(3), 9), [], 'of another model');
});
