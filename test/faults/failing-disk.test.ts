import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryName } from '../../src/documents/write.ts';
import { seed, seeded, times } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';
import { runWriter } from './run-writer.ts';
import { strace } from './strace.ts';
import { type Told, checkKept } from './told.ts';

const rounds = times({ short: 6, long: 240 });
const writer = { seed, writers: 3, appends: 20, bytes: 200 };
/** Once, for a while, and from then on for ever: then the writer says why it cannot go on. */
const durations = ['', '..+', '+'];

test(
  `${rounds} times EIO or ENOSPC at the n-th write or sync of a writer (SEED=${seed})`,
  { timeout: 3_600_000 },
  async (t) => {
    const random = seeded(seed);
    const endings = { done: 0, refused: 0, killed: 0 };
    let failures = 0;
    for (let round = 0; round < rounds; round += 1) {
      const root = join(await tempDir(t), 'data');
      const told: Told = { lines: [] };
      const call = ['write', 'fdatasync', 'fsync'][round % 3]!;
      const error = ['EIO', 'ENOSPC'][Math.floor(round / 3) % 2];
      const first = 1 + random.below(call === 'write' ? 40 : 25);
      const duration = random.pick(durations);
      const last = duration === '..+' ? `..${first + 1 + random.below(5)}` : duration;
      // Also behind files and keys of an earlier life.
      if (random.chance(0.5)) await runWriter(told, { ...writer, root, life: 1, appends: 5 });
      const fault = `${call}:error=${error}:when=${first}${last}`;
      const { how, lines, said } = await runWriter(
        told,
        { ...writer, root, life: 2, bytes: random.chance(0.2) ? 40_000 : 200 },
        // All writes would include those by which threads wake each other.
        { wrap: strace(fault, call === 'write' ? written(root) : []) },
      );
      endings[how] += 1;
      if (how === 'killed') {
        const last = JSON.stringify(lines.slice(-10));
        assert.fail(`round ${round}, ${fault}: the writer hung. It printed ${last} ${said}`);
      }
      if (how === 'refused' || lines.some((line) => 'failed' in line)) failures += 1;
      await checkKept(root, told);
      // The disk is well again: so is the writer.
      assert.equal((await runWriter(told, { ...writer, root, life: 3, appends: 3 })).how, 'done');
      await checkKept(root, told);
    }
    t.diagnostic(`${failures} of ${rounds} were noticed by the writer; ${JSON.stringify(endings)}`);
    assert.ok(failures > rounds / 2, `only ${failures} of ${rounds} faults hit`);
  },
);

/** The files that the writer writes, by the names they will have. */
function written(root: string): string[] {
  const numbers = Array.from({ length: 80 }, (_, number) => String(number).padStart(6, '0'));
  const subjects = Array.from({ length: writer.writers }, (_, number) => number);
  const turns = Array.from({ length: writer.appends }, (_, turn) => turn + 1);
  const commands = subjects.flatMap((number) => turns.map((turn) => `2-${number}-${turn}`));
  const bases = commands.map((command) => `notes c${command}`);
  const space = join(root, 'spaces', 'anna');
  return [
    ...numbers.flatMap((number) => [`${number}.log`, `${number}.ldb`, `MANIFEST-${number}`]),
    ...numbers.map((number) => `${number}.dbtmp`),
  ]
    .map((name) => join(root, 'log', name))
    .concat(
      [...subjects.map((number) => `w${number}`), ...commands.map((command) => `x${command}`)].map(
        (subject) => join(root, 'keys', `${subject}.tmp`),
      ),
      [join(root, 'keys', 'erased.jsonl'), join(root, 'log.json.tmp')],
      bases.flatMap((base) => [
        join(space, temporaryName(`${base}.md`)),
        join(space, 'a', temporaryName(`a/${base} t.md`)),
        join(space, 'a', temporaryName(`a/${base} s.md`)),
      ]),
    );
}
